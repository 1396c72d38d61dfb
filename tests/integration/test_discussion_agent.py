"""The example agent: the real `anthropic` client, a scripted Messages API as the model, real memories."""

import io
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import anthropic
import pytest

from agent_memory import Memory
from commonplace import Commonplace
from discussion_agent import MAX_CALLS, Agent, Unanswered
from tests.integration.scripted_messages_api import Answers, Fails, Received, ScriptedMessagesApi, Step

pytestmark = pytest.mark.integration

KEY = "sk-ant-api03-" + "scripted" * 6
MODEL = "claude-sonnet-5-5"
TOLD = "I'm 43 and I love concept albums."
CLEAN = {"normalized": "The user is 43 and loves concept albums.", "type": "preference", "tags": ["music", "age", "album"]}
EXAMPLES = Path(__file__).parents[2] / "examples"
MANIFEST = json.loads((EXAMPLES.parent / "tool_manifest.json").read_text("utf-8"))


class Counted:
    """A memory that keeps the calls that it gets."""

    def __init__(self, memory: Memory) -> None:
        self.calls: list[tuple[str, dict[str, Any]]] = []
        self.record_interactions = memory.record_interactions
        self._answer = memory.answer

    def answer(self, tool: str, arguments: Mapping[str, Any]) -> tuple[int, dict[str, Any]]:
        self.calls.append((tool, dict(arguments)))
        return self._answer(tool, arguments)


class Talk:
    """A talk, its model by script, and what came of it."""

    def __init__(self, api: ScriptedMessagesApi, memory: Memory, claude: anthropic.Anthropic) -> None:
        self.api, self.memory, self._shown = api, Counted(memory), io.StringIO()
        self._agent = Agent(claude, MODEL, self.memory, self._shown)
        self.say, self.record = self._agent.say, self._agent.record

    @property
    def shown(self) -> str:
        return self._shown.getvalue()

    @property
    def calls(self) -> list[str]:
        """The tools that the model called, in order; the first call of a talk is the agent's own."""
        return [tool for tool, _ in self.memory.calls[1:]]

    def sent(self, request: int) -> list[dict[str, Any]]:
        messages: list[dict[str, Any]] = self.api.requests[request].body["messages"]
        return messages


Begin = Callable[..., Talk]


@pytest.fixture
def begin(memory: Commonplace) -> Iterator[Begin]:
    with ExitStack() as stack:

        def start(*script: Step) -> Talk:
            api = stack.enter_context(ScriptedMessagesApi(script))
            claude = stack.enter_context(anthropic.Anthropic(api_key=KEY, base_url=api.base_url, max_retries=0))
            return Talk(api, memory, claude)

        yield start


def call(tool: str, number: int = 1, /, **arguments: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": f"toolu_{number}", "name": tool, "input": arguments}


def calls(*blocks: dict[str, Any], stop_reason: str = "tool_use") -> Answers:
    return Answers(blocks=blocks, stop_reason=stop_reason)


def results(received: Received) -> list[dict[str, Any]]:
    """What the last calls gave, as the model gets it."""
    content: list[dict[str, Any]] = received.body["messages"][-1]["content"]
    assert {block["type"] for block in content} == {"tool_result"}
    return content


def kept(memory: Commonplace) -> list[str]:
    return [record["raw_text"] for record in memory.export() if record["status"] == "active"]


def normalizes(_: Received) -> Answers:
    return calls(call("memory_normalize", 2, text=TOLD))


def stores_what_was_normalized(received: Received) -> Answers:
    (result,) = results(received)
    clean = {name: value for name, value in json.loads(result["content"]).items() if name in CLEAN}
    return calls(call("memory_store_personal", 3, raw_text=TOLD, **clean))


def test_what_a_user_tells_is_looked_for_normalized_and_stored(begin: Begin, memory: Commonplace) -> None:
    looks = calls({"type": "text", "text": "Nice."}, call("search_memory", query="the user's age and music"))
    talk = begin(looks, normalizes, stores_what_was_normalized, Answers("Try Dark Side tonight."))
    assert talk.say(TOLD) == "Nice.\nTry Dark Side tonight."
    clean = memory.memory_normalize(TOLD)
    stored = {"raw_text": TOLD, "normalized": clean.normalized, "type": clean.type, "tags": clean.tags}
    assert talk.memory.calls == [
        ("get_memory_context", {"topic": TOLD}),
        ("search_memory", {"query": "the user's age and music"}),
        ("memory_normalize", {"text": TOLD}),
        ("memory_store_personal", stored),
    ]
    (record,) = memory.export()
    assert (record["raw_text"], record["normalized_text"]) == (TOLD, clean.normalized)
    assert "Try Dark Side tonight." in talk.shown


def test_the_same_thing_again_is_one_memory_and_the_model_is_told(begin: Begin, memory: Commonplace) -> None:
    memory.memory_store_personal(TOLD, CLEAN["normalized"], "preference", CLEAN["tags"])  # type: ignore[arg-type]
    again = call("memory_store_personal", raw_text=TOLD, **CLEAN)
    talk = begin(calls(again), lambda received: Answers(results(received)[0]["content"]))
    assert json.loads(talk.say(TOLD))["created"] is False
    assert kept(memory) == [TOLD]


def test_a_wish_is_written_under_a_key_and_changed_under_it(begin: Begin, memory: Commonplace) -> None:
    where = {"key": "home_city", "category": "personal_context", "durability": "durable"}
    talk = begin(
        calls(call("write_memory", **where, value="The user lives in London.")), Answers("Noted."),
        calls(call("update_memory", key="home_city", value="The user has lived in Leeds since March 2026.")), Answers("Noted."),
    )  # fmt: skip
    talk.say("remember that I live in London")
    assert kept(memory) == ["The user lives in London."]
    talk.say("remember that we moved to Leeds in March")
    assert kept(memory) == ["The user has lived in Leeds since March 2026."]


def test_of_itself_the_agent_stores_nothing(begin: Begin, memory: Commonplace) -> None:
    talk = begin(Answers("Miso soup takes five minutes."))
    talk.say("I'm cold right now, what's a quick soup?")
    assert talk.calls == []
    assert kept(memory) == []


def test_what_do_you_know_about_me_is_answered_from_memory(begin: Begin, memory: Commonplace) -> None:
    memory.memory_store_personal(TOLD, CLEAN["normalized"], "preference", CLEAN["tags"])  # type: ignore[arg-type]
    memory.store_memory("My daughter Mia is allergic to peanuts.")
    asked = "What do you know about me?"

    def recites(received: Received) -> Answers:
        return Answers(" ".join(hit["raw_text"] for hit in json.loads(results(received)[0]["content"])["results"]))

    talk = begin(calls(call("memory_search_personal", query=asked, limit=50)), recites)
    answer = talk.say(asked)
    assert TOLD in answer
    assert "Mia is allergic to peanuts" in answer


def test_the_request_has_the_rules_the_tools_of_the_manifest_and_what_is_remembered(
    begin: Begin, memory: Commonplace
) -> None:
    memory.store_memory("My daughter Mia is allergic to peanuts.")
    talk = begin(Answers("Rice."), Answers("Yes."))
    talk.say("What can I cook for Mia?")
    talk.say("Is it quick?")
    first, second = (request.body for request in talk.api.requests)
    assert first["model"] == MODEL
    assert first["system"] == (EXAMPLES / "system_prompt.md").read_text("utf-8")
    assert [tool["name"] for tool in first["tools"]] == [tool["name"] for tool in MANIFEST["tools"]]
    assert all(set(tool) == {"name", "description", "input_schema"} for tool in first["tools"])
    ((_, question),) = (message.values() for message in first["messages"])
    now, memories, asked = (block["text"] for block in question)
    assert now.startswith("<now>")
    assert memories.startswith("<memories>")
    assert "Mia is allergic to peanuts" in memories
    assert asked == "What can I cook for Mia?"
    assert second["messages"] == [
        *first["messages"],
        {"role": "assistant", "content": [{"type": "text", "text": "Rice."}]},
        {"role": "user", "content": [{"type": "text", "text": "Is it quick?"}]},
    ]
    assert "tool_choice" not in first


def test_parallel_calls_are_run_in_order_and_answered_in_one_message(begin: Begin) -> None:
    both = calls(call("read_memory", 1, category="preference"), call("read_memory", 2, category="work_context"))
    talk = begin(both, Answers("Nothing yet."))
    talk.say("What do you know of my work and my tastes?")
    assert [arguments for _, arguments in talk.memory.calls[1:]] == [{"category": "preference"}, {"category": "work_context"}]
    asked, called, answered = talk.sent(1)
    assert [message["role"] for message in (asked, called, answered)] == ["user", "assistant", "user"]
    assert called["content"] == list(both.blocks)
    assert [(one["tool_use_id"], one["is_error"]) for one in answered["content"]] == [("toolu_1", False), ("toolu_2", False)]
    assert "0 memories in preference" in answered["content"][0]["content"]


def test_a_failed_call_goes_back_as_an_error_with_the_field_and_can_be_mended(begin: Begin, memory: Commonplace) -> None:
    half = {name: value for name, value in CLEAN.items() if name != "type"}
    talk = begin(
        calls(call("memory_store_personal", 1, raw_text=TOLD, **half), call("send_mail", 2)),
        calls(call("memory_store_personal", 3, raw_text=TOLD, **CLEAN)),
        Answers("Done."),
    )
    talk.say(TOLD)
    missing, unknown = results(talk.api.requests[1])
    assert (missing["is_error"], unknown["is_error"]) == (True, True)
    assert json.loads(missing["content"])["error"] | {"message": ""} == {
        "code": "missing_field", "message": "", "field": "type", "retryable": False,
    }  # fmt: skip
    assert json.loads(unknown["content"])["error"]["code"] == "unknown_tool"
    assert kept(memory) == [TOLD]
    assert "missing_field" in talk.shown


def test_a_call_that_was_cut_off_is_not_run_and_the_model_is_told(begin: Begin, memory: Commonplace) -> None:
    whole, cut = call("memory_store_personal", 1, raw_text=TOLD, **CLEAN), call("store_memory", 2, content="My daughter")
    talk = begin(calls(whole, cut, stop_reason="max_tokens"), Answers("Done."))
    talk.say(TOLD)
    assert talk.calls == ["memory_store_personal"]
    assert kept(memory) == [TOLD]
    ran, refused = results(talk.api.requests[1])
    assert (ran["is_error"], refused["is_error"]) == (False, True)
    assert "did not run" in refused["content"]


@pytest.mark.parametrize(
    ("step", "why"),
    [
        (calls(call("store_memory", content=TOLD), stop_reason="refusal"), "declined"),
        (calls(call("store_memory", content=TOLD), stop_reason="model_context_window_exceeded"), "too long"),
        (Fails(401, "authentication_error", "invalid x-api-key"), "invalid x-api-key"),
        (Fails(529, "overloaded_error", "Overloaded"), "Overloaded"),
        (Fails(0, broken=True), "could not be asked"),
    ],
    ids=["refusal", "context window", "key", "overloaded", "connection"],
)
def test_a_message_without_an_answer_is_told_and_leaves_the_talk_as_it_was(
    begin: Begin, memory: Commonplace, step: Step, why: str
) -> None:
    talk = begin(calls(call("read_memory", category="preference")), step, Answers("Hello."))
    with pytest.raises(Unanswered, match=why):
        talk.say(TOLD)
    assert kept(memory) == []
    assert talk.say("hi") == "Hello."
    (message,) = talk.sent(2)
    assert [block["text"] for block in message["content"]][-1] == "hi"
    assert message["content"][1]["text"].startswith("<memories>")


def test_a_model_that_only_calls_tools_is_made_to_answer_and_then_given_up(begin: Begin) -> None:
    talk = begin(*[calls(call("read_memory", category="preference"))] * MAX_CALLS, Answers("Hello."))
    with pytest.raises(Unanswered, match=f"{MAX_CALLS} times"):
        talk.say(TOLD)
    choices = [request.body.get("tool_choice") for request in talk.api.requests]
    assert choices == [None] * (MAX_CALLS - 1) + [{"type": "none"}]
    assert talk.say("hi") == "Hello."


def test_an_empty_end_after_calls_leaves_nothing_empty_in_the_talk(begin: Begin) -> None:
    empty = {"type": "text", "text": ""}
    talk = begin(
        calls(empty, call("read_memory", category="preference")), calls(empty, stop_reason="end_turn"), Answers("Yes.")
    )
    assert talk.say(TOLD) == ""
    assert talk.say("Still there?") == "Yes."
    blocks = [block for message in talk.sent(2) for block in message["content"]]
    assert all(block.get("text", "-") for block in blocks)
    assert [message["role"] for message in talk.sent(2)] == ["user", "assistant", "user", "user"]


def test_a_talk_is_recorded_for_the_night_as_it_was_said(begin: Begin, memory: Commonplace) -> None:
    talk = begin(Answers("Do you cook?"), Fails(529, "overloaded_error", "Overloaded"))
    talk.say("I have been vegetarian since 2019.")
    with pytest.raises(Unanswered):
        talk.say("Yes, every evening.")
    talk.record()
    assert "Recorded for the night." in talk.shown
    (talk_id,) = memory.nightly(mode="rules").interactions
    vegetarian = next(record for record in memory.export() if "vegetarian since 2019" in record["normalized_text"])
    assert (vegetarian["session_id"], vegetarian["position"]) == (talk_id, 0)


def test_a_talk_in_which_nothing_was_said_is_not_recorded(begin: Begin, memory: Commonplace) -> None:
    begin().record()
    assert memory.due() == []
