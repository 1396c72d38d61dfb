"""A change of many memories: kept for review, applied by its id, discarded, undone; and what is older than a week."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import pytest

from commonplace.client.memory import Commonplace
from commonplace.domain.errors import CommonplaceError, ErrorCode
from commonplace.domain.ids import new_operation_id
from commonplace.domain.runs import RunOperation
from commonplace.memories.transitions import PLAN_TTL, corrected
from commonplace.runs.apply import Plan, PlannedChange, PlannedOperation, RunContext
from commonplace.runs.staging import change_many, run_context
from tests.conftest import refusal

NOW = datetime(2026, 3, 11, 9, 0, tzinfo=UTC)
FACTS = ("I play the cello.", "I have a cat called Momo.")


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Commonplace]:
    with Commonplace(tmp_path / "memory.db", user_id="ana", now=lambda: NOW) as opened:
        for fact in FACTS:
            opened.store_memory(fact)
        yield opened


def context_of(memory: Commonplace, now: datetime = NOW) -> RunContext:
    context = memory._build_context()
    return run_context(replace(context.caller, now=now), context.ports)


def labelled(context: RunContext) -> Plan:
    """Gives every memory one more tag."""
    operations = []
    for one in context.ports.records.all(context.user_id):
        now, name = context.caller.now, new_operation_id(context.caller.now)
        change = corrected(one, now, {"tool": "test"}, tags=(*one.tags, "seen"))
        told = RunOperation(operation_id=name, kind="UPDATE", outcome="planned", memory_id=one.memory_id, why="a label")
        operations.append(PlannedOperation(told=told, at=now, opens=PlannedChange.of(change)))
    return Plan(operations=tuple(operations))


def tags(memory: Commonplace) -> list[bool]:
    return ["seen" in one["tags"] for one in memory.export()]


def test_a_dry_run_changes_nothing_and_its_id_applies_it(memory: Commonplace) -> None:
    told = change_many("tags", labelled, context_of(memory), dry_run=True)
    assert told.run.status == "needs_review"
    assert tags(memory) == [False, False]
    done = change_many("tags", labelled, context_of(memory), dry_run=False, run_id=told.run.run_id)
    assert done.run.status == "done"
    assert tags(memory) == [True, True]
    assert [one.outcome for one in done.run.operations] == ["applied", "applied"]
    memory.undo_run(told.run.run_id)
    assert tags(memory) == [False, False]


def test_without_a_dry_run_it_is_planned_and_applied_at_once(memory: Commonplace) -> None:
    done = change_many("tags", labelled, context_of(memory), dry_run=False)
    assert done.run.status == "done"
    assert tags(memory) == [True, True]


def test_who_watches_is_told_how_far_it_is(memory: Commonplace) -> None:
    for number, tag in enumerate(("cook-book", "cookbook", "cook-book")):
        stored = memory.store_memory(f"I cooked dish number {number}.")
        memory.update_memory(memory_id=stored.memory_id, tags=[tag])
    told: list[tuple[int, int | None]] = []
    memory.call("optimize_tags", {"dry_run": False}, lambda done, of: told.append((done, of)))
    assert told in ([(1, 1)], [(1, 2), (2, 2)])
    told.clear()
    memory.call("repair_index", {}, lambda done, of: told.append((done, of)))
    assert told == [(5, None)]


def test_what_changed_since_the_plan_is_left_as_it_is_and_listed(memory: Commonplace) -> None:
    told = change_many("tags", labelled, context_of(memory), dry_run=True)
    first = next(iter(memory.export()))
    memory.update_memory(memory_id=first["memory_id"], importance=5)
    done = change_many("tags", labelled, context_of(memory), dry_run=False, run_id=told.run.run_id)
    assert sorted(one.outcome for one in done.run.operations) == ["applied", "lost"]
    assert sorted(tags(memory)) == [False, True]


def test_a_discarded_plan_can_not_be_applied(memory: Commonplace) -> None:
    told = change_many("tags", labelled, context_of(memory), dry_run=True)
    memory.discard_run(told.run.run_id)
    with pytest.raises(CommonplaceError) as refused:
        change_many("tags", labelled, context_of(memory), dry_run=False, run_id=told.run.run_id)
    assert refused.value.code is ErrorCode.INVALID_ARGUMENT
    assert refused.value.field == "run_id"
    assert tags(memory) == [False] * 2


def test_after_seven_days_a_plan_can_not_be_applied_and_goes_once_another_record_confirms_the_clock(
    memory: Commonplace,
) -> None:
    told = change_many("tags", labelled, context_of(memory), dry_run=True)

    def outcomes() -> set[str]:
        return {one.outcome for one in memory.run(told.run.run_id).operations}

    for later in (PLAN_TTL + timedelta(minutes=1), timedelta(days=5 * 365)):
        refused = refusal(
            partial(change_many, "tags", labelled, context_of(memory, NOW + later), dry_run=False, run_id=told.run.run_id)
        )
        assert (refused.code, refused.field, outcomes()) == (ErrorCode.INVALID_ARGUMENT, "run_id", {"needs_review"})
    for days in (8, 9):
        change_many("tags", labelled, context_of(memory, NOW + timedelta(days=days)), dry_run=True)
    assert outcomes() == {"discarded"}


def test_a_run_of_another_kind_is_not_found(memory: Commonplace) -> None:
    told = change_many("tags", labelled, context_of(memory), dry_run=True)
    for run_id in (told.run.run_id, "run_01M7Y9WZRKKCZMXKBZPYYE31X7", "../secret"):
        with pytest.raises(CommonplaceError) as refused:
            change_many("merge", labelled, context_of(memory), dry_run=True, run_id=run_id)
        assert refused.value.code is ErrorCode.NOT_FOUND


def test_an_empty_plan_is_no_run(memory: Commonplace) -> None:
    told = change_many("tags", lambda _: Plan(), context_of(memory), dry_run=True)
    assert told.run.status == "done"
    assert memory.runs() == []
