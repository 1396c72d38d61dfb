import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("strands", reason="make test-frameworks")

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
