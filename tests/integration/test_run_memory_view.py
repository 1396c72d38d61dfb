"""The memories as a reader sees them while a run is at work."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from commonplace import Commonplace
from commonplace.domain.errors import CommonplaceError, ErrorCode
from commonplace.nightly.memory_view import RunMemoryView
from commonplace.ports.values import IndexUnavailable
from tests.conftest import NOON

pytestmark = pytest.mark.integration


def view_of(memory: Commonplace, **ports: Any) -> RunMemoryView:
    context = memory.nights().context
    return RunMemoryView(replace(context, ports=replace(context.ports, **ports)))


def contents(view: RunMemoryView, about: str) -> list[str]:
    return [one.content for one in view.similar(about)]


def test_what_shares_words_and_what_means_the_same_is_similar(memory: Commonplace) -> None:
    for text in (
        "I live in Berlin.",
        "My dog is called Bo.",
        "I work as a nurse in a hospital.",
        "The boiler is in the cellar.",
    ):
        memory.store_memory(text)
    found = contents(view_of(memory), "I am employed by a clinic.")
    assert found[:1] == ["I work as a nurse in a hospital."]
    assert contents(view_of(memory), "Bo is a good dog.")[:1] == ["My dog is called Bo."]


def test_only_current_memories_of_the_user_are_on_it(memory: Commonplace, open_memory: Callable[..., Commonplace]) -> None:
    memory.write_memory("home", "I live in Berlin.", "personal_context", "durable")
    memory.update_memory("home", "I live in Munich.")
    memory.store_memory("I live in a tent.", context={"expires_at": (NOON + timedelta(days=1)).isoformat()})
    open_memory("ben").store_memory("I live in Oslo.")
    assert sorted(contents(view_of(memory), "I live in Rome.")) == ["I live in Munich.", "I live in a tent."]
    later = open_memory(now=lambda: NOON + timedelta(days=2))
    assert contents(view_of(later), "I live in Rome.") == ["I live in Munich."]
    view = view_of(memory)
    ids = [one["memory_id"] for one in memory.export()]
    assert sorted(one.content for one in view.get(ids)) == ["I live in Munich.", "I live in a tent."]


def test_a_key_and_a_section_are_looked_up(memory: Commonplace) -> None:
    memory.write_memory("home", "I live in Berlin.", "personal_context", "durable")
    memory.write_memory("role", "I am a nurse.", "work_context", "durable")
    view = view_of(memory)
    found = view.holder("home")
    assert found is not None
    assert found.content == "I live in Berlin."
    assert view.holder("pet") is None
    assert [one.content for one in view.in_section("work_context")] == ["I am a nurse."]


class Down:
    """An index that can't be asked."""

    def __getattr__(self, name: str) -> Any:
        def fail(*_: object) -> None:
            raise IndexUnavailable("scripted")

        return fail


def test_without_its_index_it_is_read_from_the_records_or_tried_again_later(memory: Commonplace) -> None:
    memory.store_memory("I live in Berlin.")
    index = memory.nights().context.ports.index
    assert contents(view_of(memory, index=Down(), fallback=index), "I live in Rome.") == ["I live in Berlin."]
    with pytest.raises(CommonplaceError) as failed:
        view_of(memory, index=Down()).similar("I live in Rome.")
    assert failed.value.code is ErrorCode.STORAGE_UNAVAILABLE


def test_a_memory_that_says_the_same_in_other_words_is_told(memory: Commonplace) -> None:
    utrecht = memory.store_memory("I live in Utrecht.").memory_id
    memory.store_memory("My sister lives in Utrecht.")
    assert view_of(memory).restated("My home is in Utrecht.") == [utrecht]
    assert view_of(memory).restated("I moved to Ghent.") == []
    memory.delete_memory(memory_id=utrecht)
    assert view_of(memory).restated("My home is in Utrecht.") == []
