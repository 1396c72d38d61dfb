"""The protocol's own inspector, its command line, which starts the server by the file that `commonplace mcp install` writes."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.conformance.packages import node
from tests.integration.command_line import clean, run
from tests.integration.test_mcp_tools import SHOWN

pytestmark = pytest.mark.integration

ERAS = ("legacy", "modern")
MIA = "My daughter Mia is allergic to peanuts."
Inspector = Callable[..., tuple[int, Any]]


@pytest.fixture
def inspector(npm: Path, tmp_path: Path) -> Inspector:
    """Asks the server of a fresh memory file, each time a new one: exit code, and what it prints, read as JSON."""
    launcher = npm / "@modelcontextprotocol" / "inspector" / "clients" / "launcher" / "build" / "index.js"
    environment = clean(tmp_path, {"MCP_INSPECTOR_SECRET_STORE": "memory"})
    kept = {name: environment[name] for name in ("PYTHONPATH", "PYTHONWARNINGS") if name in environment}
    handed_on = [part for name, value in kept.items() for part in ("-e", f"{name}={value}")]  # it keeps the rest to itself

    def ask(era: str, method: str, *options: str, tier: str | None = None) -> tuple[int, Any]:
        file = tmp_path / f"{tier}.json"
        installed = ["--file", str(file), "--db", str(tmp_path / "memory.db"), *(["--tier", tier] if tier else [])]
        assert run("mcp", "install", "--client", "claude-code", "--yes", *installed, home=tmp_path).code == 0
        command: list[str | Path] = [
            node(),
            launcher,
            "--cli",
            "--config",
            file,
            "--server",
            "commonplace",
            "--format",
            "json",
            "--quiet",
        ]
        asked = ["--protocol-era", era, "--method", method, *handed_on, *options]
        done = subprocess.run([*command, *asked], env=environment, capture_output=True, text=True, timeout=100, check=False)
        return done.returncode, json.loads(done.stdout or done.stderr)

    return ask


@pytest.mark.parametrize(
    ("tier", "era"),
    [(None, "legacy"), pytest.param(None, "modern", marks=pytest.mark.sample), ("all", "legacy"), ("all", "modern")],
)
def test_it_lists_the_tools_and_finds_their_schemas_fit_for_every_client(
    tier: str | None, era: str, inspector: Inspector
) -> None:
    code, listed = inspector(era, "tools/list", "--strict", tier=tier)
    assert code == 0  # 6 for a schema that some clients refuse
    assert {tool["name"] for tool in listed["result"]["tools"]} == SHOWN[tier]


@pytest.mark.parametrize("era", ERAS)
def test_it_stores_and_searches_reads_and_gets_a_prompt(era: str, inspector: Inspector) -> None:
    def result(method: str, *options: str) -> Any:
        code, answer = inspector(era, method, *options)
        assert code == 0, answer
        return answer["result"]

    stored = result("tools/call", "--tool-name", "store_memory", "--tool-arg", f"content={MIA}")["structuredContent"]
    found = result("tools/call", "--tool-name", "search_memory", "--tool-args-json", '{"query": "is anybody allergic?"}')
    assert [hit["content"] for hit in found["structuredContent"]["results"]] == [MIA]
    (content,) = result("resources/read", "--uri", f"memory://{stored['memory_id']}")["contents"]
    assert MIA in content["text"]
    prompt = ("--prompt-name", "what_do_you_know_about_me", "--prompt-args", "topic=food")
    (message,) = result("prompts/get", *prompt)["messages"]
    assert "food" in message["content"]["text"]


@pytest.mark.parametrize("era", ERAS)
def test_it_tells_what_is_wrong_with_a_call(era: str, inspector: Inspector) -> None:
    code, answer = inspector(era, "tools/call", "--tool-name", "search_memory", "--tool-args-json", '{"query": ""}')
    assert code != 0
    assert "query" in json.dumps(answer)
    code, answer = inspector(era, "resources/read", "--uri", "memory://mem_nobody")
    assert code != 0
    assert "error" in answer
