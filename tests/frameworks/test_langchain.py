from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("langchain.agents", reason="make test-frameworks")
pytest.importorskip("langchain_core")

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.utils.function_calling import convert_to_openai_tool

from commonplace import Commonplace
from commonplace.integrations.langchain import memory_tools
from langchain_agent import answer
from tests.frameworks.script import CALLS, LAST, MIA, Script, answer_of_the_page


class Scripted(BaseChatModel):
    """A chat model that plays the script."""

    script: Script

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Any, **_: Any) -> Runnable[Any, Any]:
        functions = [convert_to_openai_tool(tool)["function"] for tool in tools]
        self.script.shown = {one["name"]: (one["description"], one["parameters"]) for one in functions}
        return self

    def _generate(self, messages: list[BaseMessage], *_: Any, **__: Any) -> ChatResult:
        self.script.told = [str(one.content) for one in messages if isinstance(one, ToolMessage)]
        call = self.script.next_call()
        calls = [{"name": call[0], "args": call[1], "id": str(len(messages))}] if call else []
        message = AIMessage(content="" if calls else LAST, tool_calls=calls)
        return ChatResult(generations=[ChatGeneration(message=message)])


def test_an_agent_remembers(memory: Commonplace) -> None:
    script = Script()
    script.check(memory, answer(memory, Scripted(script=script), "Is anybody allergic?", "all"))


def test_what_is_wrong_is_an_error_of_the_tool(memory: Commonplace) -> None:
    search = next(tool for tool in memory_tools(memory) if tool.name == "search_memory")
    asked = {"type": "tool_call", "id": "1", "name": "search_memory", "args": {"limit": 3}}
    told = search.invoke(asked)
    assert (told.status, told.tool_call_id) == ("error", "1")
    assert "query" in told.content


def test_the_code_of_the_page_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    script = Script(CALLS[:2])
    assert LAST in answer_of_the_page("LangChain", Scripted(script=script))
    assert MIA in script.told[1]
