"""`summarize_memory` with the real SDK against a scripted Messages API, and what stands in when it fails."""

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from commonplace import Commonplace
from commonplace.settings import Settings
from tests.conftest import NOON
from tests.integration.scripted_messages_api import Answers, Fails, Hangs, Received, ScriptedMessagesApi, Step

pytestmark = pytest.mark.integration

KEY = "sk-ant-api03-" + "scripted" * 6
TOLD = ("My daughter Mia is allergic to peanuts.", "I cook for 4 people on Sundays.", "I have been vegetarian since 2019.")
SAID = ["The user is vegetarian.", "Mia is allergic to peanuts.", "The user cooks for 4 people."]
Serve = Callable[..., tuple[ScriptedMessagesApi, Commonplace]]


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Serve]:
    with ExitStack() as stack:

        def start(*script: Step, **settings: Any) -> tuple[ScriptedMessagesApi, Commonplace]:
            api = stack.enter_context(ScriptedMessagesApi(script))
            given = {"anthropic_api_key": KEY, "anthropic_base_url": api.base_url, "claude_deadline": 5.0, **settings}
            memory = Commonplace(tmp_path / "memory.db", user_id="ana", now=lambda: NOON, settings=Settings(**given))
            stack.callback(memory.close)
            for text in TOLD:
                memory.store_memory(text)
            return api, memory

        yield start


def answer(received: Received, summary: list[str], *points: tuple[str, str]) -> Answers:
    """An answer whose points name the memories by the numbers under which they were shown."""
    shown = {line.split(": ", 1)[1]: int(line.split(".")[0]) for line in received.message.split("\n") if line[:1].isdigit()}
    numbers = [{"text": text, "memories": [n for told, n in shown.items() if word in told]} for text, word in points]
    return Answers(json.dumps({"summary": summary, "key_points": numbers}))


def test_claude_sums_up_and_each_point_has_its_memories(serve: Serve) -> None:
    points = (("Mia is allergic to peanuts.", "Mia"), ("The user has been vegan since 2012.", "2019"))
    api, memory = serve(lambda received: answer(received, SAID, *points))
    done = memory.summarize_memory("what do you know about me")
    assert done.notes is not None
    assert (done.notes.method, done.notes.degraded) == ("claude", None)
    assert done.summary == " ".join(SAID)
    assert [point.text for point in done.key_points] == ["Mia is allergic to peanuts."]
    (cited,) = done.key_points[0].ids
    assert [kept["raw_text"] for kept in memory.export() if kept["memory_id"] == cited] == [TOLD[0]]
    (request,) = api.requests
    assert request.body["output_config"]["format"]["type"] == "json_schema"
    assert request.body["model"] == "claude-haiku-5-5"
    assert "You sum up what a long-term memory holds" in request.body["system"][0]["text"]


@pytest.mark.parametrize(
    ("step", "why"),
    [
        (Fails(400, "invalid_request_error", "no"), "Claude answered 400"), (Fails(401, "authentication_error"), "answered 401"),
        (Answers("I'd rather not."), "the memories don't support the model's answer"), (Answers("", "refusal"), "declined"),
        (Hangs(), "did not answer in time"),
        (Answers(json.dumps({"summary": ["Zelda lives in Helsinki."] * 3, "key_points": []})), "don't support"),
        (Answers(blocks=({"type": "text"}, {"type": "text", "text": None})), "don't support"),
    ],
    ids=["bad request", "key", "chatter", "refusal", "silence", "invention", "no text"],
)  # fmt: skip
def test_a_model_that_fails_is_replaced_by_the_memories_own_sentences_and_that_is_told(
    serve: Serve, step: Step, why: str
) -> None:
    _, memory = serve(step, claude_deadline=1.5)
    done = memory.summarize_memory("vegetarian")
    assert done.notes is not None
    assert done.notes.method == "extraction"
    assert why in str(done.notes.degraded)
    assert done.summary.startswith("The user has been vegetarian since 2019.")


def test_without_a_key_it_is_extraction_and_nothing_is_degraded(memory: Commonplace) -> None:
    for text in TOLD:
        memory.store_memory(text)
    done = memory.summarize_memory("vegetarian")
    assert done.notes is not None
    assert (done.notes.method, done.notes.degraded) == ("extraction", None)
    assert done.count == len(done.key_points) >= 1
    ids = {kept["memory_id"] for kept in memory.export()}
    assert all(set(point.ids) <= ids for point in done.key_points)


def test_claude_is_not_asked_about_nothing(serve: Serve) -> None:
    api, memory = serve()
    done = memory.summarize_memory("quantum chromodynamics lectures")
    assert (done.summary, done.key_points, done.count) == ("Nothing is remembered about this.", [], 0)
    assert api.requests == []


def test_no_other_tool_asks_a_model(serve: Serve) -> None:
    api, memory = serve()
    memory.write_memory("tea", "The user drinks green tea.", "preference", "durable")
    memory.update_memory("tea", "The user drinks black tea.")
    memory.read_memory("preference")
    memory.get_memory_context("tea")
    memory.delete_memory("tea")
    assert api.requests == []
