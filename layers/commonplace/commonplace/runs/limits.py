"""Limit the changes per day that a person need not approve.

Memories that the user asked to store are always added. The limit on deletions applies to forget requests first. Beyond the
limit, their memories are still closed at once, and only the erasure, which can't be undone, waits for approval.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime

from commonplace.domain.runs import Run
from commonplace.memories import transitions
from commonplace.runs.apply import PlannedChange, PlannedOperation, with_outcome

MOST_ADDS = 40
_BEYOND_CAP = f"a day adds {MOST_ADDS} memories at the most, and others were better"
_TOO_MANY = "this day would close more memories than one day may; approve or discard it"
_ERASE_LATER = "closed at once; so large an erasure needs approval, because it can't be undone"


def most_deletions(memories: int) -> int:
    """Return how many memories may be closed per day without a replacement. `memories` is how many the user has."""
    return max(3, memories * 5 // 100)


def most_replacements(memories: int) -> int:
    """Return how many memories may be replaced or updated per day. `memories` is how many the user has."""
    return max(10, memories * 10 // 100)


@dataclass(frozen=True)
class DayUsage:
    """The changes made by earlier runs that count toward a day's limits."""

    adds: int = 0
    forgotten: int = 0
    deleted: int = 0
    replaced: int = 0


def usage_of_day(day: date, runs: Sequence[Run]) -> DayUsage:
    """Count the changes made by earlier runs that processed the same day. Undone changes don't count."""
    undone = {run.undoes for run in runs if run.kind == "undo"}
    done = [
        operation
        for run in runs
        if run.kind == "nightly" and run.run_id not in undone
        for operation in run.operations
        if operation.day == day and operation.outcome == "applied" and operation.operation_id not in undone
    ]
    return DayUsage(
        adds=sum(operation.memory_id is not None and not operation.closed for operation in done),
        forgotten=sum(len(operation.closed) for operation in done if operation.kind == "FORGET"),
        deleted=sum(len(step.closed) for step in done if step.kind != "FORGET" and step.memory_id is None),
        replaced=sum(len(step.closed) for step in done if step.kind != "FORGET" and step.memory_id is not None),
    )


def apply_limits(
    operations: Sequence[PlannedOperation], memories: int, spent: DayUsage = DayUsage()
) -> tuple[PlannedOperation, ...]:
    """Mark changes for review if they exceed the day's limits, and drop surplus adds. `memories` counts active memories."""
    forgotten = spent.forgotten + _sum_closed(operations, "forget")
    deleted, replaced = spent.deleted + _sum_closed(operations, "delete"), spent.replaced + _sum_closed(operations, "replace")
    waiting = forgotten + deleted > most_deletions(memories) or replaced > most_replacements(memories)
    erasing_waits = forgotten > most_deletions(memories)
    left_out = _find_surplus_adds(operations, max(0, MOST_ADDS - spent.adds))
    limited: list[PlannedOperation] = []
    for number, operation in enumerate(operations):
        kind = _classify_operation(operation)
        if number in left_out:
            dropped = with_outcome(operation.told, "over_cap", _BEYOND_CAP).model_copy(update={"memory_id": None})
            limited.append(PlannedOperation(told=dropped, at=operation.at))
        elif kind == "forget" and erasing_waits:
            limited += _split_close_from_erase(operation)
        elif kind in ("delete", "replace") and waiting:
            limited.append(operation.with_outcome("needs_review", f"{operation.told.why}; {_TOO_MANY}"))
        else:
            limited.append(operation)
    return tuple(limited)


def _classify_operation(operation: PlannedOperation) -> str:
    """Return "forget", "add", "replace" (opens and closes), "delete" (only closes) or "nothing"."""
    if operation.told.kind == "FORGET":
        return "forget"
    if not operation.closes:
        return "add" if operation.opens else "nothing"
    return "replace" if operation.opens else "delete"


def _sum_closed(operations: Sequence[PlannedOperation], kind: str) -> int:
    """Count the active memories that operations of one kind (see `_classify_operation`) close."""
    changes = [change for operation in operations if _classify_operation(operation) == kind for change in operation.closes]
    return sum(change.before is not None and change.before.status == "active" for change in changes)


def _find_surplus_adds(operations: Sequence[PlannedOperation], most: int) -> set[int]:
    """Return the indexes of adds to drop. Requested adds are never dropped, and adds to be closed again are dropped last."""
    wished = sum(planned.asked_for and _classify_operation(planned) == "add" for planned in operations)
    closed = {change.memory.memory_id for operation in operations for change in operation.closes}
    ranked = []
    for number, operation in enumerate(operations):
        if operation.opens is not None and _classify_operation(operation) == "add" and not operation.asked_for:
            new = operation.opens.memory
            ranked.append((new.memory_id not in closed, -new.confidence, -new.importance, number))
    return {number for *_, number in sorted(ranked)[max(0, most - wished) :]}


def _split_close_from_erase(operation: PlannedOperation) -> list[PlannedOperation]:
    """Split a forget operation in two. The first operation closes the memories now. The second erases them after review."""
    at, reported, why = operation.at, operation.told, f"{operation.told.why}; {_ERASE_LATER}"
    closes = [_close_without_erasing(change, at) for change in operation.closes]
    erases = [
        change.model_copy(update={"before": done.memory, "memory": transitions.erased(done.memory, at)})
        for change, done in zip(operation.closes, closes, strict=True)
    ]
    waits = {"operation_id": f"{reported.operation_id}-erase", "outcome": "needs_review", "why": why, "memory_id": None}
    closed = reported.model_copy(update={"kind": "DELETE", "why": why})
    return [
        PlannedOperation(told=closed, at=at, opens=operation.opens, closes=tuple(closes)),
        PlannedOperation(told=reported.model_copy(update=waits), at=at, closes=tuple(erases)),
    ]


def _close_without_erasing(change: PlannedChange, at: datetime) -> PlannedChange:
    assert change.before is not None
    return change.model_copy(update={"memory": transitions.deleted(change.before, at), "audit": "delete", "erases": False})
