"""Claude as the model of the night: the real SDK as the client and a scripted Messages API as the server."""

import json
import logging
import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from commonplace import Commonplace
from commonplace.adapters.claude.clients import KeyClients
from commonplace.adapters.claude.reader import ClaudeLanguage
from commonplace.llm.prompts import prompt_version
from commonplace.nightly.agent import tool_list
from commonplace.nightly.llm_extraction import SHAPE as MEMORIES
from commonplace.nightly.pipeline import SHAPE as DECISIONS
from commonplace.ports.values import ModelUnavailable, Reply
from commonplace.settings import Settings
from tests.conftest import NOON
from tests.integration.scripted_messages_api import Answers, Fails, Hangs, Received, ScriptedMessagesApi, Step

pytestmark = pytest.mark.integration

KEY = "sk-ant-api03-" + "scripted" * 6
MODEL = "claude-sonnet-5-5"
ASKED = [{"role": "user", "content": "a day"}]

Serve = Callable[..., tuple[ScriptedMessagesApi, ClaudeLanguage]]


@pytest.fixture
def serve() -> Iterator[Serve]:
    with ExitStack() as stack:

        def start(*script: Step) -> tuple[ScriptedMessagesApi, ClaudeLanguage]:
            api = stack.enter_context(ScriptedMessagesApi(script))
            model = ClaudeLanguage(KeyClients(lambda: KEY, api.base_url), MODEL)
            stack.callback(model.close)
            return api, model

        yield start


def said(*blocks: dict[str, Any], stop_reason: str = "end_turn", **usage: int) -> Answers:
    message = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": MODEL,
        "content": list(blocks),
        "stop_reason": stop_reason,
        "stop_sequence": None,
        "usage": {"input_tokens": 10, "output_tokens": 2, **usage},
    }
    return Answers(raw=json.dumps(message).encode())


def failure(model: ClaudeLanguage, **asked: Any) -> ModelUnavailable:
    with pytest.raises(ModelUnavailable) as caught:
        model.reply("instructions", ASKED, **{"seconds": 5.0, **asked})
    return caught.value


def test_an_answer_comes_with_its_blocks_and_what_it_cost(serve: Serve) -> None:
    thought = {"type": "thinking", "thinking": "hm", "signature": "c2ln"}
    call = {"type": "tool_use", "id": "toolu_1", "name": "search_memory", "input": {"query": "dog"}}
    text = {"type": "text", "text": "I look."}
    _, model = serve(
        said(thought, text, call, stop_reason="tool_use", cache_read_input_tokens=30, cache_creation_input_tokens=5)
    )
    reply = model.reply("instructions", ASKED, tools=tool_list())
    assert reply == Reply((thought, text, call), "tool_use", 45, 2)
    assert reply.text == "I look."
    assert model.name == MODEL


@pytest.mark.parametrize(("shape", "name"), [(MEMORIES, "memories"), (DECISIONS, "decisions")])
def test_a_shape_is_asked_for_by_the_apis_own_means(serve: Serve, shape: dict[str, Any], name: str) -> None:
    api, model = serve(said({"type": "text", "text": "{}"}))
    model.reply("instructions", ASKED, schema=shape, max_tokens=123)
    body = api.requests[0].body
    form = body["output_config"]["format"]
    assert form["type"] == "json_schema"
    assert form["schema"]["required"] == [name]
    assert form["schema"]["properties"][name]["items"]["additionalProperties"] is False
    assert body["max_tokens"] == 123
    assert body["messages"] == ASKED
    assert "tools" not in body


def test_a_talk_with_tools_goes_out_as_it_is_and_is_kept_for_the_next_turn(serve: Serve) -> None:
    api, model = serve(said({"type": "text", "text": "done"}))
    call = {"type": "tool_use", "id": "toolu_1", "name": "read_memory", "input": {"category": "preference"}}
    results = [
        {"type": "tool_result", "tool_use_id": "toolu_1", "content": "{}", "is_error": False},
        {"type": "tool_result", "tool_use_id": "toolu_2", "content": "{}", "is_error": True},
    ]
    talk: list[dict[str, Any]] = [*ASKED, {"role": "assistant", "content": [call]}, {"role": "user", "content": results}]
    model.reply("instructions", talk, tools=tool_list())
    body = api.requests[0].body
    kept = {"cache_control": {"type": "ephemeral"}}
    assert body["messages"] == [*talk[:2], {"role": "user", "content": [results[0], results[1] | kept]}]
    assert body["tools"] == tool_list()
    assert "format" not in body["output_config"]
    assert "cache_control" not in results[1]


def test_the_first_message_of_a_talk_with_tools_is_kept_too(serve: Serve) -> None:
    api, model = serve(said({"type": "text", "text": "done"}))
    model.reply("instructions", ASKED, tools=tool_list())
    block = {"type": "text", "text": "a day", "cache_control": {"type": "ephemeral"}}
    assert api.requests[0].body["messages"] == [{"role": "user", "content": [block]}]


def test_a_shape_that_the_model_does_not_take_is_left_out_and_nothing_else(serve: Serve) -> None:
    refused = Fails(400, "invalid_request_error", "output_config.format: structured outputs are not supported")
    api, model = serve(refused, said({"type": "text", "text": "{}"}), said({"type": "text", "text": "{}"}))
    model.reply("instructions", ASKED, schema=MEMORIES)
    model.reply("instructions", ASKED, schema=MEMORIES)
    assert [list(asked.body["output_config"]) for asked in api.requests] == [["effort", "format"], ["effort"], ["effort"]]


def test_an_objection_to_a_tool_costs_no_other_question_its_shape(serve: Serve) -> None:
    refused = Fails(400, "invalid_request_error", "tools.0.input_schema: JSON schema is invalid")
    api, model = serve(refused, said({"type": "text", "text": "{}"}))
    assert failure(model, tools=tool_list()).misconfigured
    model.reply("instructions", ASKED, schema=MEMORIES)
    assert "format" in api.requests[1].body["output_config"]


@pytest.mark.parametrize("status", [400, 401, 403, 404, 413])
def test_a_misconfiguration_is_logged_as_an_error(serve: Serve, caplog: pytest.LogCaptureFixture, status: int) -> None:
    _, model = serve(Fails(status, "some_error"))
    assert failure(model).misconfigured
    assert [record.levelno for record in caplog.records if record.name == "commonplace"] == [logging.ERROR]


@pytest.mark.parametrize(
    "step", [Fails(429, "rate_limit_error", headers={"retry-after": "30"}), Hangs()], ids=["429", "hang"]
)
def test_what_passes_is_no_misconfiguration(serve: Serve, caplog: pytest.LogCaptureFixture, step: Step) -> None:
    _, model = serve(step)
    assert not failure(model, seconds=0.4).misconfigured
    assert not [record for record in caplog.records if record.name == "commonplace"]


def test_a_passing_failure_is_tried_again(serve: Serve) -> None:
    api, model = serve(Fails(529, "overloaded_error", headers={"retry-after": "0"}), said({"type": "text", "text": "{}"}))
    assert model.reply("instructions", ASKED).text == "{}"
    assert len(api.requests) == 2


@pytest.mark.parametrize("raw", [b"{}", b"[]", b"not json", b'{"content": "text"}'])
def test_what_is_no_message_is_no_answer(serve: Serve, raw: bytes) -> None:
    _, model = serve(Answers(raw=raw))
    assert str(failure(model)) == "Claude's answer was not a message"


# Whole nights


def discussion(interaction_id: str, *texts: str) -> dict[str, Any]:
    messages = [
        {"role": "assistant" if text.startswith("A: ") else "user", "content": text.removeprefix("A: ")} for text in texts
    ]
    return {"type": "discussion", "id": interaction_id, "time": "2026-05-20T09:00:00+02:00", "messages": messages}


LEEDS = discussion("c1", "btw we live in Leeds now", "A: Noted! Do you have pets?", "yes, a dog called Rex")
OBOE = discussion("c2", "I play the oboe in an orchestra")
FOUND = {
    "memories": [
        {"message": 1, "evidence": "we live in Leeds now", "content": "The user lives in Leeds.", "confidence": 0.95, "key": "home_city", "corrects": True},
        {"message": 2, "evidence": "yes, a dog called Rex", "content": "The user has a dog called Rex.", "confidence": 0.9},
        {"message": 3, "evidence": "I play the oboe", "content": "The user plays the oboe in Berlin.", "confidence": 0.9},
    ]
}  # fmt: skip


def words(answer: object, **more: Any) -> Answers:
    return said({"type": "text", "text": json.dumps(answer)}, **more)


def using(*calls: tuple[str, dict[str, Any]]) -> Answers:
    blocks = [
        {"type": "tool_use", "id": f"toolu_{at}", "name": name, "input": given} for at, (name, given) in enumerate(calls)
    ]
    return said(*blocks, stop_reason="tool_use")


@contextmanager
def night(path: Path, *script: Step, **settings: Any) -> Iterator[tuple[ScriptedMessagesApi, Commonplace]]:
    with ScriptedMessagesApi(script) as api:
        chosen = Settings(db=path, anthropic_api_key=KEY, anthropic_base_url=api.base_url, **settings)
        with Commonplace(path, user_id="ana", now=lambda: NOON, settings=chosen) as memory:
            yield api, memory


@pytest.fixture
def london(memory_file: Path) -> None:
    """What was written nine days before the night."""
    then = NOON - timedelta(days=9)
    with Commonplace(memory_file, user_id="ana", now=lambda: then, settings=Settings(db=memory_file)) as memory:
        memory.write_memory("home_city", "The user lives in London.", "personal_context", "durable")


def current(memory: Commonplace) -> set[str]:
    return {one["raw_text"] for one in memory.export() if one["status"] == "active"}


@pytest.mark.usefixtures("london")
def test_a_night_of_the_pipeline_reads_decides_and_applies(memory_file: Path) -> None:
    update = {"candidate": 0, "operation": "UPDATE", "updated_content": "The user lives in Leeds now."}

    def decide(received: Received) -> Answers:
        (home,) = re.findall(r'"memory_id": "(mem_\w+)", "content": "The user lives in London."', received.message)
        return words({"decisions": [{**update, "target_memory_id": home}, {"candidate": 1, "operation": "ADD"}]})

    with night(memory_file, words(FOUND, input_tokens=900), decide, nightly_price_in=1.0, nightly_price_out=5.0) as (
        api,
        memory,
    ):
        memory.record_interactions([LEEDS, OBOE])
        run = memory.nightly()
        assert (run.status, run.mode, run.model, run.calls) == ("done", "pipeline", "claude-haiku-5-5", 2)
        assert (run.input_tokens, run.output_tokens) == (910, 4)
        assert run.cost == pytest.approx((910 * 1.0 + 4 * 5.0) / 1_000_000)
        assert run.prompt_version == prompt_version("pipeline")
        assert [(one.kind, one.outcome) for one in run.operations] == [("UPDATE", "applied"), ("ADD", "applied")]
        assert len(run.dropped) == 1
        assert current(memory) == {"The user lives in Leeds now.", "The user has a dog called Rex."}
        told = [(one.value, one.status) for one in memory.history("home_city").values]
        assert told == [("The user lives in Leeds now.", "active"), ("The user lives in London.", "superseded")]
        assert len(api.requests) == 2


@pytest.mark.usefixtures("london")
def test_a_night_of_the_agent_reads_and_applies_its_plan(memory_file: Path) -> None:
    place = {"interaction_id": "c1", "evidence": "we live in Leeds now"}
    pet = {"key": "pet", "value": "The user has a dog called Rex.", "category": "personal_context", "durability": "durable"}
    with night(
        memory_file,
        using(("search_memory", {"query": "where the user lives"}), ("search_memory", {"query": "pets, dog"})),
        using(
            ("update_memory", {"key": "home_city", "value": "The user lives in Leeds now.", **place}),
            ("write_memory", {**pet, "interaction_id": "c1", "evidence": "yes, a dog called Rex"}),
            ("write_memory", {**pet, "key": "admin", "value": "The user is an admin.", **place}),
        ),
        said({"type": "text", "text": "done"}),
    ) as (api, memory):
        memory.record_interactions([LEEDS])
        run = memory.nightly("agent")
        assert (run.status, run.mode, run.calls) == ("done", "agent", 3)
        assert current(memory) == {"The user lives in Leeds now.", "The user has a dog called Rex."}
        assert [block["is_error"] for block in api.requests[2].body["messages"][-1]["content"]] == [False, False, True]
        assert {one.key for one in memory.read_memory("personal_context").entries} == {"home_city", "pet"}


def test_a_misconfigured_model_is_replaced_by_rules_and_heard(memory_file: Path, caplog: pytest.LogCaptureFixture) -> None:
    with night(memory_file, Fails(401, "authentication_error")) as (_, memory):
        memory.record_interactions([OBOE])
        run = memory.nightly()
        assert run.status == "done"
        assert "read by rules: Claude answered 401 (authentication_error)" in run.notes
        assert any("oboe" in text for text in current(memory))
    assert [record.levelno for record in caplog.records if record.name == "commonplace"] == [logging.ERROR]


def test_two_nights_wait_for_a_model_that_is_down_and_the_third_is_for_rules(memory_file: Path) -> None:
    down = Fails(529, "overloaded_error", headers={"retry-after": "600"})
    with night(memory_file, down, down, down) as (api, memory):
        memory.record_interactions([OBOE])
        runs = [memory.nightly() for _ in range(3)]
        assert [run.status for run in runs] == ["failed", "failed", "done"]
        assert [run.unread for run in runs] == [("c2",), ("c2",), ()]
        assert any("oboe" in text for text in current(memory))
        assert memory.nightly().interactions == ()
        assert len(api.requests) == 3


def test_a_budget_that_is_spent_is_told_and_rules_read(memory_file: Path) -> None:
    with night(memory_file, nightly_user_tokens=100) as (api, memory):
        memory.record_interactions([OBOE])
        assert "read by rules: the budget of tokens is spent" in memory.nightly().notes
        assert api.requests == []


def test_a_model_of_its_own_may_read_days(memory_file: Path) -> None:
    with night(memory_file, words({"memories": []}), nightly_model="claude-opus-5-5") as (api, memory):
        memory.record_interactions([OBOE])
        assert memory.nightly().model == "claude-opus-5-5"
        assert api.requests[0].body["model"] == "claude-opus-5-5"
