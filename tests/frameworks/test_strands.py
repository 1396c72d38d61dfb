import json
import os
import re
import subprocess
import sys
from collections.abc import AsyncIterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("strands", reason="make test-frameworks")

import anyio
import mcp
from strands.models.model import Model

from commonplace import Commonplace
from commonplace.integrations.strands import memory_tools
from strands_agent import answer
from tests.frameworks.script import CALLS, LAST, MIA, PRIMARY, Script, answer_of_the_page


class Scripted(Model):
    """A model that plays the script."""

    def __init__(self, script: Script) -> None:
        self._script = script
        self.statuses: list[str] = []

    def update_config(self, **_: Any) -> None: ...

    def get_config(self) -> Any:
        return {}

    def structured_output(self, *_: Any, **__: Any) -> Any:
        raise NotImplementedError

    async def stream(self, messages: Any, tool_specs: Any = None, *_: Any, **__: Any) -> AsyncIterator[Any]:
        self._script.shown = {one["name"]: (one["description"], one["inputSchema"]["json"]) for one in tool_specs}
        blocks = [block for message in messages for block in message["content"]]
        results = [block["toolResult"] for block in blocks if "toolResult" in block]
        self.statuses = [one["status"] for one in results]
        self._script.told = [_text(one["content"][0]) for one in results]
        call = self._script.next_call()
        start = {"toolUse": {"name": call[0], "toolUseId": f"tool_{len(messages)}"}} if call else {}
        delta = {"toolUse": {"input": json.dumps(call[1])}} if call else {"text": LAST}
        yield {"messageStart": {"role": "assistant"}}
        yield {"contentBlockStart": {"start": start}}
        yield {"contentBlockDelta": {"delta": delta}}
        yield {"contentBlockStop": {}}
        yield {"messageStop": {"stopReason": "tool_use" if call else "end_turn"}}


def _text(block: Any) -> str:
    return str(block["text"]) if "text" in block else json.dumps(block["json"])


def test_an_agent_remembers(memory: Commonplace) -> None:
    script = Script()
    model = Scripted(script)
    script.check(memory, answer(memory, model, "Is anybody allergic?", "all"))
    assert model.statuses == ["success", "success", "error", "error", "success"]


def test_the_tier_is_chosen(memory: Commonplace) -> None:
    assert [tool.tool_name for tool in memory_tools(memory, "primary")] == PRIMARY


def test_the_code_of_the_page_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    script = Script(CALLS[:2])
    assert LAST in answer_of_the_page("Strands Agents", Scripted(script))
    assert MIA in script.told[1]


@pytest.mark.parametrize("way", ["serve", "mcp"])
def test_the_lowest_mcp_of_our_range_serves_the_tools(tmp_path: Path, way: str) -> None:
    assert version("mcp").startswith("2.1.")
    run = ("-c", "from commonplace.interfaces.cli import main; main()", way, "--db", str(tmp_path / "memory.db"))
    environment = {name: value for name in ("PATH", "PYTHONPATH") if (value := os.environ.get(name))}

    async def talk(where: mcp.StdioServerParameters | str) -> Any:
        async with mcp.Client(where) as client:
            assert "search_memory" in {tool.name for tool in (await client.list_tools()).tools}
            await client.call_tool("store_memory", {"content": MIA})
            return (await client.call_tool("search_memory", {"query": "is anybody allergic?"})).structured_content

    if way == "mcp":
        found = anyio.run(talk, mcp.StdioServerParameters(command=sys.executable, args=[*run], env=environment))
    else:
        with subprocess.Popen([sys.executable, *run, "--port", "0"], stdout=subprocess.PIPE, text=True) as server:
            assert server.stdout is not None
            found = anyio.run(talk, re.findall(r"http://\S+/mcp", server.stdout.readline())[0])
            server.terminate()
            server.communicate(timeout=60)
        assert server.returncode == 0
    assert [hit["content"] for hit in found["results"]] == [MIA]
