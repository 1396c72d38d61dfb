"""Edited pages over every store: the same changes in place, the same conflicts, the same way back."""

from pathlib import Path
from typing import Any

import pytest

from commonplace.adapters.folder import FolderPages
from commonplace.bootstrap.local import Opened
from commonplace.domain.storage import WriteRequest
from commonplace.pages.applying import apply_pages
from commonplace.pages.publishing import write_pages
from commonplace.ports.values import Caller
from commonplace.runs.apply import Desk, leased
from commonplace.runs.undo import undo_run
from commonplace.use_cases.keyed_write import write_memory
from tests.conftest import NOON

pytestmark = pytest.mark.integration
VALUES = {"role": "The user works as a nurse.", "tea": "The user likes Assam.", "car": "The user drives a van."}


@pytest.fixture
def desk(opened: Opened) -> Desk:
    caller = Caller("local|ann", NOON)
    for key, value in VALUES.items():
        request = WriteRequest(key=key, value=value, category="preference", durability="durable")
        assert write_memory(request, caller, opened.ports).written
    return Desk(caller, opened.ports, opened.night(), lambda: NOON)


@pytest.fixture
def pages(tmp_path: Path, desk: Desk) -> FolderPages:
    folder = FolderPages(tmp_path / "pages")
    write_pages(folder, desk.caller, desk.ports)
    return folder


def edit(pages: FolderPages, *edits: tuple[str, str]) -> None:
    text = pages.read("MEMORY.md") or ""
    for old, new in edits:
        assert old in text
        text = text.replace(old, new)
    pages.write("MEMORY.md", text)


def current(desk: Desk) -> dict[str | None, tuple[str, str]]:
    found = [memory for memory in desk.ports.records.all(desk.user_id) if memory.status == "active"]
    return {memory.key: (memory.content, memory.section) for memory in found}


def holder(desk: Desk, key: str) -> Any:
    return desk.ports.operations.holder(desk.user_id, "default", key, NOON)


def test_words_keys_and_headings_change_and_come_back(desk: Desk, pages: FolderPages) -> None:
    before = current(desk)
    car = next(line for line in (pages.read("MEMORY.md") or "").split("\n") if "van" in line) + "\n"
    edit(pages, ("nurse", "doctor"), ("**tea**", "**drink**"), (car, ""), ("## Work context\n", f"## Work context\n\n{car}"))
    run = apply_pages(pages, desk).run
    assert [(one.kind, one.outcome) for one in run.operations] == [("UPDATE", "applied")] * 3
    assert current(desk) == {
        "role": ("The user works as a doctor.", "preference"),
        "drink": ("The user likes Assam.", "preference"),
        "car": ("The user drives a van.", "work_context"),
    }
    assert (holder(desk, "tea"), holder(desk, "drink").content) == (None, "The user likes Assam.")
    with leased(desk) as lease:
        undo_run(run, desk, lease)
    assert current(desk) == before
    assert (holder(desk, "tea").content, holder(desk, "drink")) == ("The user likes Assam.", None)


def test_what_takes_the_place_of_what_is_taken_out_may_say_the_same(desk: Desk, pages: FolderPages) -> None:
    tea = next(line for line in (pages.read("MEMORY.md") or "").split("\n") if "Assam" in line) + "\n"
    edit(pages, (tea, "- **tea**: The user likes  ASSAM.\n"))
    run = apply_pages(pages, desk).run
    assert [(one.kind, one.outcome) for one in run.operations] == [("DELETE", "applied"), ("ADD", "applied")]
    assert current(desk)["tea"] == ("The user likes  ASSAM.", "preference")


def test_a_key_that_is_taken_is_not_given_twice(desk: Desk, pages: FolderPages) -> None:
    before = current(desk)
    edit(pages, ("**tea**", "**car**"))
    run = apply_pages(pages, desk).run
    assert [(one.kind, one.outcome) for one in run.operations] == [("UPDATE", "lost")]
    assert current(desk) == before
    assert "**car**: The user likes" in (pages.read("MEMORY.md") or "")


def test_what_was_only_found_since_is_not_changed_since(desk: Desk, pages: FolderPages) -> None:
    found = [memory.memory_id for memory in desk.ports.records.all(desk.user_id)]
    desk.ports.usage.found(desk.user_id, found, NOON)
    desk.ports.usage.fold(desk.user_id)
    edit(pages, ("nurse", "doctor"))
    assert [one.outcome for one in apply_pages(pages, desk).run.operations] == ["applied"]
