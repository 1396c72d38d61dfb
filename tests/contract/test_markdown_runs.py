"""Edited pages over every store: the same changes in place, the same conflicts, the same way back."""

from pathlib import Path
from typing import Any

import pytest

from commonplace.adapters.folder import FolderPages
from commonplace.bootstrap.local import OpenStore
from commonplace.domain.storage import WriteRequest
from commonplace.pages.applying import apply_pages
from commonplace.pages.publishing import write_pages
from commonplace.ports.values import Caller
from commonplace.runs.apply import RunContext, leased
from commonplace.runs.undo import undo_run
from commonplace.use_cases.keyed_write import write_memory
from tests.conftest import NOON

pytestmark = pytest.mark.integration
VALUES = {"role": "The user works as a nurse.", "tea": "The user likes Assam.", "car": "The user drives a van."}


@pytest.fixture
def context(opened: OpenStore) -> RunContext:
    caller = Caller("local|ann", NOON)
    for key, value in VALUES.items():
        request = WriteRequest(key=key, value=value, category="preference", durability="durable")
        assert write_memory(request, caller, opened.ports).written
    return RunContext(caller, opened.ports, opened.night(), lambda: NOON)


@pytest.fixture
def pages(tmp_path: Path, context: RunContext) -> FolderPages:
    folder = FolderPages(tmp_path / "pages")
    write_pages(folder, context.caller, context.ports)
    return folder


def edit(pages: FolderPages, *edits: tuple[str, str]) -> None:
    text = pages.read("MEMORY.md") or ""
    for old, new in edits:
        assert old in text
        text = text.replace(old, new)
    pages.write("MEMORY.md", text)


def current(context: RunContext) -> dict[str | None, tuple[str, str]]:
    found = [memory for memory in context.ports.records.all(context.user_id) if memory.status == "active"]
    return {memory.key: (memory.content, memory.section) for memory in found}


def holder(context: RunContext, key: str) -> Any:
    return context.ports.operations.holder(context.user_id, "default", key, NOON)


def test_words_keys_and_headings_change_and_come_back(context: RunContext, pages: FolderPages) -> None:
    before = current(context)
    car = next(line for line in (pages.read("MEMORY.md") or "").split("\n") if "van" in line) + "\n"
    edit(pages, ("nurse", "doctor"), ("**tea**", "**drink**"), (car, ""), ("## Work context\n", f"## Work context\n\n{car}"))
    run = apply_pages(pages, context).run
    assert [(one.kind, one.outcome) for one in run.operations] == [("UPDATE", "applied")] * 3
    assert current(context) == {
        "role": ("The user works as a doctor.", "preference"),
        "drink": ("The user likes Assam.", "preference"),
        "car": ("The user drives a van.", "work_context"),
    }
    assert (holder(context, "tea"), holder(context, "drink").content) == (None, "The user likes Assam.")
    with leased(context) as lease:
        undo_run(run, context, lease)
    assert current(context) == before
    assert (holder(context, "tea").content, holder(context, "drink")) == ("The user likes Assam.", None)


def test_what_takes_the_place_of_what_is_taken_out_may_say_the_same(context: RunContext, pages: FolderPages) -> None:
    tea = next(line for line in (pages.read("MEMORY.md") or "").split("\n") if "Assam" in line) + "\n"
    edit(pages, (tea, "- **tea**: The user likes  ASSAM.\n"))
    run = apply_pages(pages, context).run
    assert [(one.kind, one.outcome) for one in run.operations] == [("DELETE", "applied"), ("ADD", "applied")]
    assert current(context)["tea"] == ("The user likes  ASSAM.", "preference")


def test_a_key_that_is_taken_is_not_given_twice(context: RunContext, pages: FolderPages) -> None:
    before = current(context)
    edit(pages, ("**tea**", "**car**"))
    run = apply_pages(pages, context).run
    assert [(one.kind, one.outcome) for one in run.operations] == [("UPDATE", "lost")]
    assert current(context) == before
    assert "**car**: The user likes" in (pages.read("MEMORY.md") or "")


def test_what_was_only_found_since_is_not_changed_since(context: RunContext, pages: FolderPages) -> None:
    found = [memory.memory_id for memory in context.ports.records.all(context.user_id)]
    context.ports.usage.count(context.user_id, found, NOON)
    context.ports.usage.fold(context.user_id)
    edit(pages, ("nurse", "doctor"))
    assert [one.outcome for one in apply_pages(pages, context).run.operations] == ["applied"]
