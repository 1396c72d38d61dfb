"""What was edited on pages, held against a record that may have gone on since."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from commonplace.domain.memory import Memory
from commonplace.memories import transitions
from commonplace.pages.difference import Difference, MemoriesById, differences
from commonplace.pages.page import MAIN, Page
from commonplace.pages.publishing import render_pages
from commonplace.pages.reading import CLOSING, parse
from commonplace.ports.values import Audit, Visibility
from tests.unit.nightly.scripted import NOW, memory

ANN = "local|ann"
TEA = memory("mem_1", "The user likes tea.", key="tea", section="preference")
ROLE = memory("mem_2", "The user is a nurse.", section="work_context")
HERON = memory("mem_3", "The user saw a heron.", durability="daily", event_time=datetime(2026, 2, 1, 12, tzinfo=UTC))
DAY = "memory/2026-02-01.md"


class Audits:
    """What was done to each memory."""

    def __init__(self, done: Mapping[str, Sequence[str]]) -> None:
        self._done = done

    def audits(self, _user_id: str, memory_id: str) -> list[Audit]:
        return [Audit(name, NOW, {}) for name in self._done[memory_id]]


def record(*memories: Memory, done: Mapping[str, Sequence[str]] | None = None) -> MemoriesById:
    records: Any = Audits(done or {})
    seen = Visibility(ANN, ("global",), NOW)
    return MemoriesById({one.memory_id: one for one in memories}, seen, records, UTC)


def written(*memories: Memory) -> dict[str, str]:
    return render_pages(ANN, memories, UTC)


def found(pages: Mapping[str, str], against: MemoriesById) -> list[tuple[str, str | None, str | None]]:
    return [
        (one.kind, one.memory.memory_id if one.memory else None, one.line.text if one.line else None)
        for one in compared(pages, against)
    ]


def compared(pages: Mapping[str, str], against: MemoriesById) -> list[Difference]:
    parsed = [parse(name, text) for name, text in pages.items()]
    assert all(isinstance(page, Page) for page in parsed)
    return differences([page for page in parsed if page is not None], against)


def edited(name: str, *edits: tuple[str, str], memories: Sequence[Memory] = (TEA, ROLE, HERON)) -> dict[str, str]:
    pages = written(*memories)
    for old, new in edits:
        assert old in pages[name]
        pages[name] = pages[name].replace(old, new)
    return pages


def entry(one: Memory) -> str:
    return next(line for line in "\n".join(written(one).values()).split("\n") if f"<!-- {one.memory_id} " in line) + "\n"


STORE = record(TEA, ROLE, HERON)


def test_pages_that_nobody_edited_differ_in_nothing() -> None:
    assert found(written(TEA, ROLE, HERON), STORE) == []


def test_other_words_are_an_edit() -> None:
    assert found(edited(MAIN, ("nurse", "doctor")), STORE) == [("edit", "mem_2", "The user is a doctor.")]


@pytest.mark.parametrize(
    ("old", "new"), [("**tea**", "**drink**"), ("**tea**: ", ""), ("- The user is a nurse", "- **job**: The user is a nurse")]
)
def test_another_key_or_none_is_a_move(old: str, new: str) -> None:
    assert [kind for kind, _, _ in found(edited(MAIN, (old, new)), STORE)] == ["move"]


def test_a_key_in_capitals_is_the_same_key() -> None:
    assert found(edited(MAIN, ("**tea**", "**Tea**")), STORE) == []


def test_a_line_under_another_heading_is_a_move() -> None:
    pages = edited(MAIN, (entry(ROLE), ""), ("## Personal context\n", f"## Personal context\n\n{entry(ROLE)}"))
    assert found(pages, STORE) == [("move", "mem_2", "The user is a nurse.")]


def test_a_note_on_the_main_page_is_a_move_and_so_is_the_other_way() -> None:
    pages = written(TEA, ROLE, HERON)
    pages[MAIN] = (
        pages[MAIN].replace("## Personal context\n", f"## Personal context\n\n{entry(HERON)}").replace(entry(TEA), "")
    )
    pages[DAY] = pages[DAY].replace(entry(HERON), entry(TEA))
    assert found(pages, STORE) == [("move", "mem_3", HERON.content), ("move", "mem_1", TEA.content)]


def test_a_note_on_another_day_is_a_move_and_another_zone_is_not() -> None:
    other = memory("mem_4", "The user swam.", durability="daily", event_time=datetime(2026, 2, 2, 12, tzinfo=UTC))
    pages = written(HERON, other)
    pages["memory/2026-02-02.md"] = pages["memory/2026-02-02.md"].replace(entry(other), entry(other) + entry(HERON))
    pages[DAY] = pages[DAY].replace(entry(HERON), "")
    assert found(pages, record(HERON, other)) == [("move", "mem_3", HERON.content)]
    late = HERON.model_copy(update={"event_time": datetime(2026, 2, 1, 23, 30, tzinfo=UTC)})
    far = record(late)
    there = MemoriesById(far.memories, far.visibility, far.records, datetime.now().astimezone().tzinfo or UTC)
    assert found(written(late), there) == []


def test_a_new_line_is_an_addition_and_one_that_is_there_already_too() -> None:
    pages = edited(MAIN, ("## Preference\n", "## Preference\n\n- The user rows.\n- \n"))
    assert found(pages, STORE) == [("add", None, "The user rows.")]


def test_only_what_is_listed_can_be_taken_out() -> None:
    assert found(edited(MAIN, (entry(ROLE), "")), STORE) == [("remove", "mem_2", None)]
    assert found(edited(MAIN, (entry(ROLE), ""), ("mem_2 v1\n", "")), STORE) == []


def test_a_page_without_its_end_takes_nothing_out() -> None:
    assert found(edited(MAIN, (entry(ROLE), ""), (CLOSING, "")), STORE) == []
    for end in range(len(written(TEA, ROLE)[MAIN])):
        page = parse(MAIN, written(TEA, ROLE)[MAIN][:end])
        assert not page or differences([page], STORE) == []


def test_a_page_that_is_gone_takes_nothing_out() -> None:
    assert found({MAIN: written(TEA, ROLE, HERON)[MAIN]}, STORE) == []


def test_a_line_copied_with_its_id_is_a_new_one_when_it_says_something_else() -> None:
    copied = entry(ROLE).replace("nurse", "runner")
    for both in (entry(ROLE) + copied, copied + entry(ROLE)):
        assert found(edited(MAIN, (entry(ROLE), both)), STORE) == [("add", None, "The user is a runner.")]
    assert found(edited(MAIN, (entry(ROLE), 2 * entry(ROLE))), STORE) == []


# The record has gone on since the pages were written.
NEWER = ROLE.model_copy(update={"version": 2, "section": "personal_context"})
CLOSED = transitions.superseded(ROLE, "mem_5", NOW)
LATER = memory("mem_5", "The user is a doctor.", section="work_context", supersedes="mem_2")


def test_an_old_page_changes_nothing() -> None:
    assert found(written(TEA, ROLE), record(TEA, CLOSED, LATER)) == []
    assert found(written(TEA, ROLE), record(TEA, transitions.erased(ROLE, NOW))) == []
    assert found(written(TEA, ROLE), record(TEA, transitions.deleted(ROLE, NOW))) == []


@pytest.mark.parametrize("edit", [("nurse", "pilot"), (entry(ROLE), "")])
def test_what_was_changed_since_is_a_conflict_and_to_count_its_use_is_no_change(edit: tuple[str, str]) -> None:
    pages = edited(MAIN, edit, memories=(TEA, ROLE))
    (conflict,) = compared(pages, record(TEA, NEWER, done={"mem_2": ["store", "update"]}))
    assert (conflict.kind, conflict.memory, conflict.why) == ("conflict", NEWER, "it was changed since the page was written")
    for counted in ("usage", "embed"):
        (change,) = compared(pages, record(TEA, NEWER, done={"mem_2": ["store", counted]}))
        assert change.kind in ("edit", "remove")


def test_an_edit_of_what_was_closed_since_is_a_conflict() -> None:
    pages = edited(MAIN, ("nurse", "pilot"), memories=(TEA, ROLE))
    assert found(pages, record(TEA, CLOSED, LATER)) == [("conflict", "mem_2", "The user is a pilot.")]
    assert found(pages, record(TEA)) == [("conflict", None, "The user is a pilot.")]


def test_an_edit_that_was_taken_over_already_is_none() -> None:
    assert found(edited(MAIN, ("nurse", "doctor"), memories=(TEA, ROLE)), record(TEA, CLOSED, LATER)) == []


def test_taking_out_what_is_gone_already_is_nothing() -> None:
    pages = edited(MAIN, (entry(ROLE), ""), memories=(TEA, ROLE))
    assert found(pages, record(TEA, transitions.deleted(ROLE, NOW))) == []
    assert found(pages, record(TEA)) == []


def test_a_closed_entry_brought_back_by_hand_is_a_new_one() -> None:
    pages = edited(MAIN, ("## Work context\n", f"## Work context\n\n{entry(ROLE)}"), memories=(TEA,))
    assert found(pages, record(TEA, transitions.deleted(ROLE, NOW))) == [("add", None, "The user is a nurse.")]


def test_an_entry_whose_words_are_gone_is_left() -> None:
    (conflict,) = compared(edited(MAIN, ("The user is a nurse.", "")), STORE)
    assert (conflict.kind, conflict.memory) == ("conflict", ROLE)


def test_a_version_of_the_future_is_a_conflict() -> None:
    (conflict,) = compared(
        edited(MAIN, ("nurse. <!-- mem_2 v1", "pilot. <!-- mem_2 v9")), record(TEA, ROLE, HERON, done={"mem_2": ["store"]})
    )
    assert conflict.kind == "conflict"


def test_what_has_expired_since_is_not_taken_out_twice() -> None:
    expired = HERON.model_copy(update={"expires_at": NOW - timedelta(days=1)})
    pages = written(TEA, HERON)
    pages[DAY] = pages[DAY].replace(entry(HERON), "")
    assert found(pages, record(TEA, expired)) == []
