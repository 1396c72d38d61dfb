"""A store that is not waited for: written at once, and compared when its history is asked for."""

from collections.abc import Callable
from datetime import timedelta

import pytest

from commonplace import Commonplace
from commonplace.domain.imports import NotStored
from tests.conftest import NOON

pytestmark = pytest.mark.integration

BERLIN, MUNICH, SAME = "I live in Berlin.", "I moved to Munich.", "Berlin is where I live."


def test_it_tells_the_id_and_history_tells_what_a_store_would_have_recommended(memory: Commonplace) -> None:
    old = memory.store_memory(BERLIN).memory_id
    stored = memory.store_memory(MUNICH, wait=False)
    assert memory.get(stored.memory_id).value == MUNICH
    assert (stored.recommendations.similar, stored.recommendations.updates) == ([], [])
    assert stored.notes is not None
    assert stored.notes.warnings == ["similar memories were not looked for; history of this memory lists them"]
    (value,) = memory.history(memory_id=stored.memory_id).values
    assert value.recommendations is not None
    assert [one.memory_id for one in value.recommendations.updates] == [old]
    assert value.recommendations.similar_memories == [old]
    memory.delete_memory(memory_id=stored.memory_id)
    waited = memory.store_memory(MUNICH)
    assert waited.recommendations.updates == value.recommendations.updates


def test_of_a_store_that_was_waited_for_history_is_as_before(memory: Commonplace) -> None:
    stored = memory.store_memory(BERLIN)
    told = memory.call("history", {"memory_id": stored.memory_id})
    assert "recommendations" not in told["values"][0]


def test_what_came_later_is_no_recommendation_and_a_closed_memory_has_none(open_memory: Callable[..., Commonplace]) -> None:
    first = open_memory(now=lambda: NOON - timedelta(seconds=1)).store_memory(BERLIN, wait=False).memory_id
    memory = open_memory()
    memory.store_memories([{"content": SAME}, {"content": MUNICH}], wait=False)
    (value,) = memory.history(memory_id=first).values
    assert value.recommendations is not None
    assert value.recommendations.similar_memories == []
    memory.delete_memory(memory_id=first)
    (closed,) = memory.history(memory_id=first).values
    assert closed.recommendations is None


def test_many_are_compared_in_the_order_in_which_they_were_given(memory: Commonplace) -> None:
    done = memory.store_memories([{"content": text} for text in (BERLIN, "Mia is allergic to peanuts.", MUNICH)], wait=False)
    berlin, _, munich = [one.memory_id for one in done.answers if not isinstance(one, NotStored)]
    (value,) = memory.history(memory_id=munich).values
    assert value.recommendations is not None
    assert [one.memory_id for one in value.recommendations.updates] == [berlin]
    (value,) = memory.history(memory_id=berlin).values
    assert value.recommendations is not None
    assert value.recommendations.updates == []
