"""The blast radius of a day, over plans made by hand."""

from datetime import UTC, date, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonplace.domain.memory import Memory
from commonplace.domain.runs import OperationKind, Run, RunKind, RunOperation
from commonplace.memories import transitions
from commonplace.runs.apply import PlannedChange, PlannedOperation
from commonplace.runs.limits import MOST_ADDS, DayUsage, apply_limits, most_deletions, most_replacements, usage_of_day

NOW = datetime(2026, 5, 20, 23, 0, tzinfo=UTC)


def memory(name: str, **more: Any) -> Memory:
    return Memory(
        memory_id=f"mem_{name}", user_id="ana", raw_text=name, normalized_text=name, memory_type="fact",
        category="contexts", section="personal_context", created_at=NOW, updated_at=NOW, **more,
    )  # fmt: skip


def operation(kind: OperationKind, number: int, closes: int = 0, adds: bool = False, sure: float = 0.9) -> PlannedOperation:
    new = memory(f"new_{kind}_{number}", confidence=sure) if adds else None
    old = [memory(f"old_{kind}_{number}_{one}") for one in range(closes)]
    after = transitions.erased if kind == "FORGET" else transitions.deleted
    told = RunOperation(
        operation_id=f"op_{kind}_{number}", kind=kind, outcome="planned", why="said so",
        memory_id=new and new.memory_id, closed=tuple(one.memory_id for one in old),
    )  # fmt: skip
    return PlannedOperation(
        told=told,
        at=NOW,
        opens=PlannedChange(memory=new, audit="store", detail={}) if new else None,
        closes=tuple(
            PlannedChange(memory=after(one, NOW), audit="x", detail={}, before=one, erases=kind == "FORGET") for one in old
        ),
    )


def adds(count: int) -> list[PlannedOperation]:
    return [operation("ADD", number, adds=True, sure=round(1 - number / 1_000, 3)) for number in range(count)]


def deletes(count: int) -> list[PlannedOperation]:
    return [operation("DELETE", number, closes=1) for number in range(count)]


def updates(count: int) -> list[PlannedOperation]:
    return [operation("UPDATE", number, closes=1, adds=True) for number in range(count)]


def outcomes(operations: list[PlannedOperation], memories: int) -> list[str]:
    return [one.told.outcome for one in apply_limits(operations, memories)]


@pytest.mark.parametrize(("memories", "deletions", "replacements"), [(0, 3, 10), (60, 3, 10), (100, 5, 10), (1_000, 50, 100)])
def test_the_allowance_grows_with_the_store(memories: int, deletions: int, replacements: int) -> None:
    assert (most_deletions(memories), most_replacements(memories)) == (deletions, replacements)


def test_within_the_limits_everything_is_done() -> None:
    assert set(outcomes([*adds(40), *deletes(3), *updates(10)], 20)) == {"planned"}


@pytest.mark.parametrize("too_many", [deletes(4), updates(11)], ids=["deletions", "replacements"])
def test_over_a_closing_limit_closings_wait_and_adds_go_on(too_many: list[PlannedOperation]) -> None:
    found = apply_limits([*adds(2), *too_many, *deletes(1), *updates(1)], 20)
    assert [one.told.outcome for one in found[:2]] == ["planned"] * 2
    assert {one.told.outcome for one in found[2:]} == {"needs_review"}
    assert all(one.opens for one in found if one.told.kind == "UPDATE")


def test_only_the_best_are_added_and_the_rest_leave_no_words() -> None:
    worst_first = adds(MOST_ADDS + 3)[::-1]
    found = apply_limits(worst_first, 20)
    assert [one.told.outcome for one in found] == ["over_cap"] * 3 + ["planned"] * MOST_ADDS
    assert all(one.opens is None and one.told.memory_id is None for one in found[:3])
    assert "new_ADD" not in "".join(one.model_dump_json() for one in found[:3])


def test_an_add_that_a_later_one_builds_on_is_not_left_out() -> None:
    many = adds(MOST_ADDS + 1)
    last = many[-1].opens
    assert last is not None
    change = PlannedChange(memory=transitions.superseded(last.memory, "x", NOW), audit="x", detail={}, before=last.memory)
    built = operation("UPDATE", 0, adds=True).model_copy(update={"closes": (change,)})
    found = apply_limits([*many, built], 20)
    assert found[MOST_ADDS].told.outcome == "planned"
    assert sum(one.told.outcome == "over_cap" for one in found) == 1


def test_a_wish_to_forget_goes_before_other_deletions() -> None:
    found = apply_limits([*deletes(2), operation("FORGET", 0, closes=2)], 20)
    assert [one.told.outcome for one in found] == ["needs_review", "needs_review", "planned"]


def test_a_large_wish_closes_at_once_and_erases_when_approved() -> None:
    now, later = apply_limits([operation("FORGET", 0, closes=4)], 20)
    assert (now.told.outcome, now.told.kind) == ("planned", "DELETE")
    assert all(change.memory.status == "deleted" and change.memory.raw_text and not change.erases for change in now.closes)
    assert (later.told.outcome, later.told.kind) == ("needs_review", "FORGET")
    assert later.told.operation_id != now.told.operation_id
    assert all(change.erases and not change.memory.raw_text for change in later.closes)
    assert [change.before for change in later.closes] == [change.memory for change in now.closes]


def test_memories_that_were_closed_before_count_for_nothing() -> None:
    one = operation("FORGET", 0, closes=5)
    closed = tuple(
        change.model_copy(update={"before": transitions.superseded(change.before, "x", NOW)})
        for change in one.closes
        if change.before
    )
    assert outcomes([one.model_copy(update={"closes": closed})], 20) == ["planned"]


def ran(name: str, *operations: PlannedOperation, undoes: str | None = None) -> Run:
    done = tuple(one.told.model_copy(update={"outcome": "applied", "day": NOW.date()}) for one in operations)
    kind: RunKind = "undo" if undoes else "nightly"
    return Run(run_id=name, user_id="ana", kind=kind, date=NOW.date(), undoes=undoes, operations=done, started_at=NOW)


def test_a_day_that_several_runs_read_has_one_allowance() -> None:
    runs = [ran("a", *adds(39), *deletes(2)), ran("b", operation("FORGET", 0, closes=1)), ran("c", *updates(9))]
    spent = usage_of_day(NOW.date(), runs)
    assert spent == DayUsage(adds=39, forgotten=1, deleted=2, replaced=9)
    found = apply_limits([*adds(2), *updates(1)], 20, spent)
    assert [one.told.outcome for one in found] == ["planned", "over_cap", "planned"]
    assert outcomes(deletes(1), 20) == ["planned"]
    assert [one.told.outcome for one in apply_limits(deletes(1), 20, spent)] == ["needs_review"]


def test_another_day_and_what_was_taken_back_use_nothing_of_it() -> None:
    runs = [ran("a", *deletes(2)), ran("b", *updates(2)), ran("u", undoes="a"), ran("v", undoes="op_UPDATE_0")]
    assert usage_of_day(NOW.date(), runs) == DayUsage(replaced=1)
    assert usage_of_day(date(2026, 5, 19), runs) == DayUsage()


@given(st.integers(0, 60), st.integers(0, 12), st.integers(0, 25), st.integers(0, 300))
def test_no_day_does_more_than_its_allowance(new: int, gone: int, changed: int, memories: int) -> None:
    done = [
        one
        for one in apply_limits([*adds(new), *deletes(gone), *updates(changed)], memories)
        if one.told.outcome == "planned"
    ]
    assert sum(not one.closes for one in done) <= MOST_ADDS
    assert sum(one.told.kind == "DELETE" for one in done) <= most_deletions(memories)
    assert sum(one.told.kind == "UPDATE" for one in done) <= most_replacements(memories)


def test_what_the_user_asked_to_be_remembered_is_added_beyond_the_limit() -> None:
    wishes = [operation("ADD", number, adds=True).model_copy(update={"asked_for": True}) for number in range(MOST_ADDS + 20)]
    others = [operation("ADD", number, adds=True) for number in range(1_000, 1_005)]
    found = apply_limits([*wishes, *others], 0)
    assert [one.told.outcome for one in found] == ["planned"] * (MOST_ADDS + 20) + ["over_cap"] * 5
