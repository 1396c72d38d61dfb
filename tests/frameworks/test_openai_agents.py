import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("agents", reason="make test-frameworks")

from agents import FunctionTool, ModelResponse, Usage, set_tracing_disabled
from agents.models.interface import Model
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText

from commonplace import Commonplace
from commonplace.integrations.openai_agents import memory_tools
from openai_agents_agent import answer
from tests.frameworks.script import CALLS, LAST, MIA, Script, answer_of_the_page


class Scripted(Model):
    """A model that plays the script."""

    def __init__(self, script: Script) -> None:
        self._script = script

    async def get_response(self, *_: Any, input: Any, tools: Any, **__: Any) -> ModelResponse:
        functions = [tool for tool in tools if isinstance(tool, FunctionTool)]
        self._script.shown = {one.name: (one.description, one.params_json_schema) for one in functions}
        self._script.told = [one["output"] for one in input if one.get("type") == "function_call_output"]
        call = self._script.next_call()
        output: list[Any] = [_call(len(input), *call) if call else _said()]
        return ModelResponse(output=output, usage=Usage(), response_id=None)

    def stream_response(self, *_: Any, **__: Any) -> AsyncIterator[Any]:
        raise NotImplementedError


def _call(number: int, name: str, arguments: dict[str, Any]) -> ResponseFunctionToolCall:
    return ResponseFunctionToolCall(
        type="function_call", call_id=f"call_{number}", name=name, arguments=json.dumps(arguments)
    )


def _said() -> ResponseOutputMessage:
    text = ResponseOutputText(type="output_text", text=LAST, annotations=[])
    return ResponseOutputMessage(id="1", type="message", role="assistant", status="completed", content=[text])


def test_an_agent_remembers(memory: Commonplace) -> None:
    set_tracing_disabled(True)
    script = Script()
    script.check(memory, asyncio.run(answer(memory, Scripted(script), "Is anybody allergic?", "all")))


@pytest.mark.parametrize("arguments", ["", "{", "[]", '{"limit": 3}'])
def test_what_is_wrong_is_told_to_the_model(memory: Commonplace, arguments: str) -> None:
    search = next(tool for tool in memory_tools(memory) if tool.name == "search_memory")
    told = json.loads(asyncio.run(search.on_invoke_tool(None, arguments)))
    assert set(told) == {"error"}


def test_the_code_of_the_page_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    script = Script(CALLS[:2])
    assert LAST in answer_of_the_page("OpenAI Agents SDK", Scripted(script))
    assert MIA in script.told[1]
