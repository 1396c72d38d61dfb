"""The tags on the page: how often and when each was used, which mean the same, and what became of them."""

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

from commonplace import Commonplace
from commonplace.domain.storage import TagUse
from tests.conftest import NOON
from tests.integration.opened_page import opened
from tests.integration.test_page_runs import text_of, with_plan_of_tags

pytestmark = pytest.mark.integration


def test_a_tag_is_told_with_its_first_and_last_use(open_memory: Callable[..., Commonplace]) -> None:
    for day in (0, 3):
        memory = open_memory(now=lambda day=day: NOON + timedelta(days=day))
        memory.store_memory(f"I saw {day} herons.", context={"additional_tags": ["birdwatching", f"day{day}"]})
    uses = {one.tag: one for one in memory.tag_uses()}
    later = NOON + timedelta(days=3)
    assert uses["birdwatching"] == TagUse(tag="birdwatching", count=2, first_used=NOON, last_used=later)
    assert (uses["day3"].count, uses["day3"].first_used) == (1, later)
    shown = text_of(opened(memory).get("/ui/tags"))
    assert "birdwatching 2 20 May 2026 23 May 2026" in shown


def test_what_is_deleted_counts_no_more(memory: Commonplace) -> None:
    stored = memory.store_memory("I saw herons.", context={"additional_tags": ["birdwatching"]})
    memory.delete_memory(memory_id=stored.memory_id)
    assert "birdwatching" not in {one.tag for one in memory.tag_uses()}


def test_tags_of_one_meaning_are_planned_and_what_became_of_them_is_told(memory: Commonplace, tmp_path: Path) -> None:
    memory.discard_run(with_plan_of_tags(memory, tmp_path))
    page = opened(memory)
    planned = page.send("/ui/tags", "/ui/tags/plan").headers["Location"]
    assert "nothing changes before you approve it" in page.get(planned)
    assert "kubernets" in {one.tag for one in memory.tags().tags}
    page.send(planned, f"{planned}/approve")
    assert "kubernets merged into kubernetes 1" in text_of(page.get("/ui/tags"))


def test_where_no_two_mean_the_same_there_is_no_plan(memory: Commonplace) -> None:
    memory.store_memory("I saw herons.", context={"additional_tags": ["birdwatching"]})
    page = opened(memory)
    assert page.send("/ui/tags", "/ui/tags/plan").headers["Location"] == "/ui/tags"
    assert "there is nothing to merge" in page.get("/ui/tags")
    assert memory.runs() == []


@pytest.mark.parametrize(("order", "first"), [("name", "aaa"), ("count", "zzz"), ("last", "aaa"), ("nonsense", "aaa")])
def test_they_stand_in_the_order_that_was_asked_for(open_memory: Callable[..., Commonplace], order: str, first: str) -> None:
    given = [("I saw herons.", ["mmm", "zzz"]), ("I like tea.", ["zzz"]), ("It rained.", ["aaa"])]
    for number, (text, tags) in enumerate(given):
        memory = open_memory(now=lambda number=number: NOON + timedelta(minutes=number))
        memory.store_memory(text, context={"additional_tags": tags})
    shown = text_of(opened(memory).get(f"/ui/tags?order={order}"))
    assert min(("aaa", "mmm", "zzz"), key=shown.index) == first
