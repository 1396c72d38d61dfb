import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pydantic_ai", reason="make test-frameworks")

from pydantic_ai.messages import ModelMessage, ModelResponse, RetryPromptPart, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from commonplace import Commonplace
from commonplace.integrations.pydantic_ai import memory_tools
from pydantic_ai_agent import answer
from tests.frameworks.script import CALLS, LAST, MIA, PRIMARY, Script, answer_of_the_page


def scripted(script: Script) -> FunctionModel:
    """A model that plays the script."""

    def respond(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        script.shown = {one.name: (str(one.description), one.parameters_json_schema) for one in info.function_tools}
        parts = [part for message in messages for part in message.parts]
        script.told = [_told(part) for part in parts if isinstance(part, ToolReturnPart | RetryPromptPart)]
        call = script.next_call()
        return ModelResponse(parts=[ToolCallPart(*call) if call else TextPart(LAST)])

    return FunctionModel(respond)


def _told(part: Any) -> str:
    return part.content if isinstance(part.content, str) else json.dumps(part.content)


def test_an_agent_remembers(memory: Commonplace) -> None:
    script = Script()
    script.check(memory, answer(memory, scripted(script), "Is anybody allergic?", "all"))


def test_the_tier_is_chosen(memory: Commonplace) -> None:
    assert [tool.name for tool in memory_tools(memory, "primary")] == PRIMARY


def test_the_code_of_the_page_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    script = Script(CALLS[:2])
    assert LAST in answer_of_the_page("pydantic-ai", scripted(script))
    assert MIA in script.told[1]
