"""The runs on the page: what each did and why, and a person who approves, discards and takes back."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from commonplace import Commonplace
from tests.integration.opened_page import Opened, opened
from tests.scripted_nights import current, told

pytestmark = pytest.mark.integration

PEANUTS = "My daughter Mia is allergic to peanuts."


def with_night(memory: Commonplace) -> str:
    memory.record_interactions([told("talk-1", PEANUTS)])
    return memory.nightly("rules").run_id


def bring(memory: Commonplace, folder: Path, given: Mapping[str, Sequence[str]]) -> str:
    """Imports memories with just these tags; gives the run."""
    with Commonplace(folder / "other.db", user_id="ben") as other:
        other.import_turns([{"role": "user", "content": text} for text in given])
        records = [{**one, "tags": given[one["raw_text"]]} for one in other.export()]
    run_id = memory.import_records(records, apply=True).run_id
    assert run_id is not None
    return run_id


def with_plan_of_tags(memory: Commonplace, folder: Path) -> str:
    bring(memory, folder, {"I run a cluster.": ["kubernets"], "I run three clusters.": ["kubernetes"]})
    run_id = memory.optimize_tags().run_id
    assert run_id is not None
    return run_id


def text_of(page: str) -> str:
    """What is to be read, without the marks."""
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page))


def test_where_no_night_was_it_says_how_to_have_one(memory: Commonplace) -> None:
    assert "commonplace nightly" in opened(memory).get("/ui/runs")


def test_a_night_is_told_with_what_it_did_and_why(memory: Commonplace) -> None:
    run_id = with_night(memory)
    page = opened(memory)
    listed = page.get("/ui/runs")
    assert f'href="/ui/runs/{run_id}"' in listed
    assert "1 done" in text_of(listed)
    (operation,) = memory.run_report(run_id).operations
    shown = text_of(page.get(f"/ui/runs/{run_id}"))
    assert str(operation.says) in shown
    assert operation.operation.why in shown
    assert "Read by rules" in shown


def test_a_run_is_taken_back_and_that_as_well(memory: Commonplace) -> None:
    run_id = with_night(memory)
    before, page = current(memory), opened(memory)
    answer = page.send(f"/ui/runs/{run_id}", f"/ui/runs/{run_id}/undo")
    assert answer.headers["Location"] == f"/ui/runs/{run_id}"
    assert current(memory) == []
    undone, (undo, _) = page.get(f"/ui/runs/{run_id}"), memory.runs()
    assert "Undone: 1 of 1 changes." in undone
    assert f'This run was <a href="/ui/runs/{undo.run_id}">' in undone
    assert f"/ui/runs/{run_id}/undo" not in undone
    assert f'href="/ui/runs/{run_id}"' in page.get(f"/ui/runs/{undo.run_id}")
    page.send(f"/ui/runs/{undo.run_id}", f"/ui/runs/{undo.run_id}/undo")
    assert current(memory) == before
    assert f"/ui/runs/{run_id}/undo" in page.get(f"/ui/runs/{run_id}")


def test_one_operation_is_taken_back(memory: Commonplace, tmp_path: Path) -> None:
    run_id = bring(memory, tmp_path, {"I run a cluster.": ["servers"], "I like tea.": ["tea"]})
    page = opened(memory)
    (first, second) = memory.run(run_id).operations
    page.send(f"/ui/runs/{run_id}", "/ui/undo", undo=first.operation_id)
    assert [one["memory_id"] for one in memory.export() if one["status"] == "active"] == [second.memory_id]


def test_a_plan_waits_and_is_approved(memory: Commonplace, tmp_path: Path) -> None:
    run_id = with_plan_of_tags(memory, tmp_path)
    page = opened(memory)
    assert "waiting for approval" in page.get("/ui/runs")
    shown = text_of(page.get(f"/ui/runs/{run_id}"))
    assert "Waiting for approval" in shown
    assert "Tags to merge" in shown
    page.send(f"/ui/runs/{run_id}", f"/ui/runs/{run_id}/approve")
    assert "kubernets" not in {one.tag for one in memory.tags().tags}
    assert "/approve" not in page.get(f"/ui/runs/{run_id}")


def test_a_plan_waits_and_is_discarded(memory: Commonplace, tmp_path: Path) -> None:
    run_id = with_plan_of_tags(memory, tmp_path)
    page, before = opened(memory), memory.tags()
    page.send(f"/ui/runs/{run_id}", f"/ui/runs/{run_id}/discard")
    assert memory.tags() == before
    shown = page.get(f"/ui/runs/{run_id}")
    assert "the waiting changes are not applied" in shown
    assert "/discard" not in shown


@pytest.mark.usefixtures("word_vectors")
def test_a_long_run_is_told_page_by_page(memory: Commonplace, tmp_path: Path) -> None:
    run_id = bring(memory, tmp_path, {f"I keep {number} bees in the garden.": ["bees"] for number in range(130)})
    page = opened(memory)
    for start, first, last in (("", 1, 100), ("?from=100", 101, 130), ("?from=x", 1, 100), ("?from=9999", 131, 130)):
        shown = page.get(f"/ui/runs/{run_id}{start}")
        assert f"{first} to {last} of 130" in shown
        assert shown.count('<p class="verb">') == last - first + 1


@pytest.mark.parametrize("name", ["run_01ARZ3NDEKTSV4RRFFQ69G5FAV", "nothing", "%00"])
def test_what_is_no_run_is_told_so(memory: Commonplace, name: str) -> None:
    assert "This did not work" in opened(memory).get(f"/ui/runs/{name}", 404)


def test_a_run_is_changed_by_forms_of_the_page_alone(memory: Commonplace) -> None:
    run_id = with_night(memory)
    page: Opened = opened(memory)
    for verb in ("approve", "discard", "undo"):
        page.get(f"/ui/runs/{run_id}/{verb}", 405)
        page.send(f"/ui/runs/{run_id}", f"/ui/runs/{run_id}/undo", 403, form_token="guessed")
    assert len(current(memory)) == 1
