"""Storing many statements in one call."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from commonplace import Commonplace
from commonplace.domain.results import StoreResult
from tests.conftest import refusal

pytestmark = pytest.mark.integration

GIVEN: list[dict[str, Any]] = [
    {"content": "Ana keeps bees on the roof."},
    {"content": "The password is hunter2secret9"},
    {"content": "Mia is allergic to peanuts.", "context": {"force_importance": 5}},
    {"content": "Ben plays the cello.", "context": {"force_importance": 9}},
    {"content": "..."},
    {"content": "I like tea.", "mood": "good"},
    {"content": "My card is 4111 1111 1111 1111 and I live in Lisbon."},
    {"content": "Ana keeps bees on the roof."},
]


def test_each_has_its_own_answer_and_a_refused_one_stops_no_other(memory: Commonplace) -> None:
    done = memory.store_memories(GIVEN).model_dump(mode="json")
    assert done["refused"] == 4
    told = [(one.get("error") or {}).get("code") for one in done["answers"]]
    assert told == [None, "secret_only", None, "invalid_argument", "empty_text", "unknown_field", None, None]
    assert done["answers"][3]["error"]["field"] == "context.force_importance"
    stored = [one for one in done["answers"] if "memory_id" in one]
    assert stored[2]["notes"]["redacted"] == ["card"]
    assert stored[3]["memory_id"] == stored[0]["memory_id"]
    kept = {record["memory_id"]: record for record in memory.export()}
    assert set(kept) == {one["memory_id"] for one in stored}
    assert kept[stored[1]["memory_id"]]["importance"] == 1.0
    assert "4111" not in str(kept)


def test_each_answer_is_that_of_store_memory(open_memory: Callable[..., Commonplace]) -> None:
    (many,) = open_memory(user_id="ana").store_memories(GIVEN[:1]).answers
    one = open_memory(user_id="ben").store_memory(**GIVEN[0])
    assert isinstance(many, StoreResult)
    assert many.model_copy(update={"memory_id": one.memory_id}) == one


@pytest.mark.parametrize("given", [[], [GIVEN[0]] * 101, ["I like tea."]], ids=["none", "101", "a text"])
def test_one_to_a_hundred_objects_are_taken(memory: Commonplace, given: Any) -> None:
    error = refusal(lambda: memory.store_memories(given))
    assert error.code.label == "invalid_argument"
    assert str(error.field).startswith("memories")
    assert not list(memory.export())


def test_what_there_is_no_time_for_is_told_and_may_be_sent_again(memory: Commonplace) -> None:
    def seconds() -> Iterator[float]:
        yield from (9.0, 1.0, 0.5)

    left = seconds()
    done = memory.store_memories([GIVEN[0], GIVEN[2], {"content": "Ben plays the cello."}], left=lambda: next(left))
    told = [one.model_dump(mode="json").get("error") for one in done.answers]
    assert [error and (error["code"], error["retryable"]) for error in told] == [None, *[("storage_unavailable", True)] * 2]
    assert done.refused == 2
    assert len(list(memory.export())) == 1
