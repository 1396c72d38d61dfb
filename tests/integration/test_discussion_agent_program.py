"""The example agent as a person starts it: its options, its chat on stdin, a server in the place of the file, its page."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from agent_memory import opened
from commonplace import Commonplace
from commonplace.settings import Settings
from discussion_agent import main
from tests.integration.command_line import clean
from tests.integration.http_server import served
from tests.integration.scripted_json_api import scripted as scripted_json
from tests.integration.scripted_messages_api import Answers, Received, ScriptedMessagesApi, Step

pytestmark = pytest.mark.integration

KEY = "sk-ant-api03-" + "scripted" * 6
EXAMPLES = Path(__file__).parents[2] / "examples"
TOLD = "I'm 43 and I love concept albums."
CLEAN = {"normalized": "The user is 43 and loves concept albums.", "type": "preference", "tags": ["music", "age", "albums"]}
STORES = Answers(
    stop_reason="tool_use",
    blocks=({"type": "tool_use", "id": "toolu_2", "name": "memory_store_personal", "input": {"raw_text": TOLD, **CLEAN}},),
)
NORMALIZES = Answers(
    stop_reason="tool_use",
    blocks=({"type": "tool_use", "id": "toolu_1", "name": "memory_normalize", "input": {"text": TOLD}},),
)


@pytest.fixture(autouse=True)
def bare_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in (
        "ANTHROPIC_API_KEY",
        "ANTHROPIC_BASE_URL",
        "COMMONPLACE_USER",
        "COMMONPLACE_TOKEN",
        "COMMONPLACE_CLAUDE_MODEL",
    ):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("COMMONPLACE_DB", str(tmp_path / "memory.db"))


@pytest.fixture
def types(monkeypatch: pytest.MonkeyPatch) -> Any:
    """What a person types, line by line, and then Ctrl-D or another end."""

    def typed(*lines: str, end: type[BaseException] = EOFError) -> None:
        left: Iterator[str] = iter(lines)

        def line(*_: object) -> str:
            text = next(left, None)
            if text is None:
                raise end
            return text

        monkeypatch.setattr("builtins.input", line)

    return typed


def scripted(monkeypatch: pytest.MonkeyPatch, *script: Step) -> ScriptedMessagesApi:
    api = ScriptedMessagesApi(script)
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    monkeypatch.setenv("ANTHROPIC_BASE_URL", api.base_url)
    return api


def test_without_a_key_it_says_what_it_needs_and_makes_no_file(tmp_path: Path) -> None:
    program = [sys.executable, str(EXAMPLES / "discussion_agent.py"), "--db", str(tmp_path / "memory.db")]
    done = subprocess.run(program, capture_output=True, text=True, env=clean(tmp_path), check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert "set ANTHROPIC_API_KEY" in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "memory.db").exists()


def test_a_chat_over_a_file_with_the_memory_of_the_last_one(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], types: Any, tmp_path: Path
) -> None:
    def last(received: Received) -> Answers:
        return Answers(received.body["messages"][0]["content"][1]["text"])

    # With a key `memory_normalize` asks Claude too: the second answer is to it.
    file = str(tmp_path / "ana.db")
    with scripted(monkeypatch, NORMALIZES, Answers(json.dumps(CLEAN)), STORES, Answers("Nice."), last) as api:
        types("", TOLD, "/quit", "never read")
        assert main(["--db", file, "--user", "ana", "--model", "claude-opus-5"]) == 0
        types("Any albums for me?")
        assert main(["--db", file, "--user", "ana"]) == 0
    models = [request.body["model"] for request in api.requests]
    assert models == ["claude-opus-5", "claude-haiku-5-5", "claude-opus-5", "claude-opus-5", "claude-haiku-5-5"]
    shown = capsys.readouterr().out
    assert "Nice." in shown
    assert "The user is 43 and loves concept albums." in shown.split("Nice.")[1]
    with Commonplace(file, user_id="ana", settings=Settings()) as memory:
        (record,) = memory.export()
        assert record["raw_text"] == TOLD
        assert len(memory.nightly(mode="rules", dry_run=True).interactions) == 2


def test_a_message_that_fails_does_not_end_the_chat_and_ctrl_c_records_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], types: Any
) -> None:
    with scripted(monkeypatch, Answers("", "refusal"), Answers("Hello.")):
        types("one", "two", end=KeyboardInterrupt)
        assert main([]) == 0
    shown = capsys.readouterr().out
    assert "Claude declined to answer this." in shown
    assert "Hello." in shown
    assert "Recorded for the night." in shown


def test_the_same_over_http(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], types: Any, tmp_path: Path
) -> None:
    with served(tmp_path / "served.db") as server, scripted(monkeypatch, NORMALIZES, STORES, Answers("Nice.")):
        types(TOLD)
        assert main(["--url", f"http://127.0.0.1:{server.port}/"]) == 0
        found = server.call("memory_search_personal", query="What do you know about me?")
        run = server.ask("GET", "/runs").body
    assert [hit["raw_text"] for hit in found["results"]] == [TOLD]
    assert run == {"runs": []}
    assert "Recorded for the night." in capsys.readouterr().out
    assert not (tmp_path / "memory.db").exists()


def test_a_server_that_is_gone_is_an_error_for_the_model_and_at_the_end_for_the_person(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], types: Any
) -> None:
    with scripted(monkeypatch, STORES, Answers("I can't store this now.")) as api:
        types(TOLD)
        assert main(["--url", "http://127.0.0.1:1"]) == 1
    (result,) = api.requests[1].body["messages"][-1]["content"]
    assert result["is_error"] is True
    assert json.loads(result["content"])["error"]["code"] == "storage_unavailable"
    assert "503" in capsys.readouterr().err


def test_what_is_no_memory_server_is_told_as_such(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], types: Any
) -> None:
    with scripted(monkeypatch, Answers("Hello.")), scripted_json([["a list"], ["a list"]]) as other:
        types("hi")
        assert main(["--url", other.url]) == 1
    done = capsys.readouterr()
    assert "is it a memory server?" in done.out
    assert "is it a memory server?" in done.err
    assert "Hello." in done.out


def test_a_stack_on_aws_gets_the_users_token(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COMMONPLACE_TOKEN", "a.user.token")
    with ScriptedMessagesApi([]) as stack, opened(stack.base_url, None, None) as memory:
        memory.answer("read_memory", {"category": "preference"})
    (request,) = stack.requests
    assert (request.path, request.key, request.body) == ("/tools/read_memory", "a.user.token", {"category": "preference"})


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (("--url", "http://127.0.0.1:8787", "--db", "memory.db"), "leave out --db and --user"),
        (("--url", "127.0.0.1:8787"), "begins with http"),
    ],
    ids=["file and server", "no scheme"],
)
def test_options_that_cannot_be_are_refused(options: tuple[str, ...], why: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(options)
    assert ended.value.code == 2
    assert why in capsys.readouterr().err


def test_the_page_explains_every_section_and_names_only_tools_and_options_that_there_are() -> None:
    page, prompt = ((EXAMPLES / name).read_text("utf-8") for name in ("README.md", "system_prompt.md"))
    for section in re.findall(r"^# (.+)$", prompt, re.MULTILINE):
        assert f"\n| {section} |" in page
    manifest = json.loads((EXAMPLES.parent / "tool_manifest.json").read_text("utf-8"))
    tools = {tool["name"] for tool in manifest["tools"]}
    named = set(re.findall(r"`((?:memory|search|write|read|update|delete|get|store)_\w+)`", page + prompt))
    fields = {field for tool in manifest["tools"] for field in tool["input_schema"]["properties"]}
    assert named & tools
    assert named <= tools | fields
    assert set(re.findall(r"`(--[a-z]+)`", page)) == {"--model", "--db", "--user", "--url"}


@pytest.mark.parametrize(
    "rule", ["I'm cold right now", "Remember that", "What do you know about me?", "Known already", "memory_normalize"]
)
def test_the_prompt_has_the_rules_that_the_agent_is_for(rule: str) -> None:
    assert rule in (EXAMPLES / "system_prompt.md").read_text("utf-8")
