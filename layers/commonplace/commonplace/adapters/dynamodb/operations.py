"""Applies operations. One transaction changes all records, writes a row for the operation and checks the lease."""

import itertools
import json
import logging
from collections.abc import Callable, Sequence
from dataclasses import asdict
from datetime import UTC, datetime

from commonplace.adapters.dynamodb.calls import MOST_ACTIONS, Calls, Table, key_of, partition_condition
from commonplace.adapters.dynamodb.rows import (
    HOLDER,
    RECORD,
    is_closed_or_expired,
    key_name,
    memory_name,
    memory_of,
    readable,
    readable_records,
    used_name,
)
from commonplace.adapters.dynamodb.table import ABSENT, ITEM, KEY, LEASE, OPERATION, USER, Action, Item
from commonplace.adapters.dynamodb.writes import (
    RefusedWrite,
    RowChange,
    TransactionWrite,
    change_of,
    erasing,
    forget,
    marker_holders,
    older_rows,
    refused_writes,
    version_conflict,
)
from commonplace.domain.errors import CommonplaceError, ErrorCode
from commonplace.domain.ids import first_operation_id
from commonplace.domain.memory import Memory
from commonplace.memories.transitions import applied_change
from commonplace.memories.vectors import to_bytes
from commonplace.ports.values import Applied, AppliedChange, Change, Fence, Operation, Visibility
from commonplace.retrieval.record_scan import is_visible

_MOST_KEYS = 10_000
_PAGE_SIZE = 10  # operations read per call when looking for the newest one that is not an undo
_log = logging.getLogger("commonplace")


class DynamoOperations:
    """Stores operations in the table. `indexed` has the same meaning as in `DynamoRecords`."""

    def __init__(self, table: Table, indexed: bool = True, clock: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self._table, self._indexed, self._clock = table, indexed, clock

    def apply(self, operation: Operation, fence: Fence | None = None) -> bool:
        """Apply all changes in one transaction. Returns False if the operation has already been applied."""
        try:
            done = self._write_operation(operation, fence)
        except CommonplaceError as error:
            # An operation that was already applied conflicts with its own changes.
            applied = error.code is ErrorCode.CONFLICT and self.applied(operation.user_id, operation.operation_id)
            if not applied:
                raise
            done = False
        _forget_erased(self._table.calls(), operation, repeated=not done)  # an earlier attempt may have crashed here
        return done

    def _write_operation(self, operation: Operation, fence: Fence | None) -> bool:
        """Apply an operation and return True, or return False if it has already been applied."""
        calls = self._table.calls()
        changes = [_build_row_change(calls, change) for change in operation.changes]
        write = TransactionWrite(changes[-1], closes=tuple(changes[:-1])) if changes else None
        extra = [_build_operation_row(operation), *([fenced(fence)] if fence else []), *erasing(operation)]
        rows = [row for change in operation.changes for row in older_rows(calls, change)]
        for attempt in itertools.count():
            actions = write.actions(self._clock() if self._indexed else None) if write else []
            within = MOST_ACTIONS - len(actions) - len(extra)
            refusals = calls.transact([*actions, *extra, *rows[:within]])
            if not refusals:
                calls.transact_all(rows[within:])
                break
            if any(refusal.place == len(actions) for refusal in refusals):
                return False
            if any(refusal.place > len(actions) for refusal in refusals):
                raise lease_lost()
            if write:
                _refuse_or_settle(calls, operation, refused_writes([(write, actions)], refusals))
            calls.wait(attempt)
        return True

    def applied(self, user_id: str, operation_id: str) -> Applied | None:
        item = self._table.calls().get_item(user_id, f"{OPERATION}{operation_id}")
        return None if item is None else _parse_item(item)

    def since(self, user_id: str, at: datetime) -> list[Applied]:
        ends = {":first": {"S": f"{OPERATION}{first_operation_id(at)}"}, ":last": {"S": f"{OPERATION}~"}}
        where, values = f"#{USER} = :user AND #{ITEM} BETWEEN :first AND :last", {":user": {"S": user_id}, **ends}
        return list(filter(None, map(_parse_item, self._table.calls().rows(where, values, ConsistentRead=True))))

    def newest(self, user_id: str) -> Applied | None:
        """Return the newest operation that is not an undo, or None."""
        condition, values = partition_condition(user_id, OPERATION)
        rows = self._table.calls().rows(condition, values, ScanIndexForward=False, ConsistentRead=True, Limit=_PAGE_SIZE)
        applied = filter(None, map(_parse_item, rows))
        return next((operation for operation in applied if operation.kind != "UNDO"), None)

    def holder(self, user_id: str, collection: str, key: str, now: datetime) -> Memory | None:
        calls = self._table.calls()
        row = calls.get_item(user_id, key_name(collection, key))
        if row is None:
            return None
        record, used = (user_id, memory_name(row[HOLDER]["S"])), (user_id, used_name(row[HOLDER]["S"]))
        items = calls.get([record, used])
        memory = readable(items[record], lambda item: memory_of(item, items.get(used))) if record in items else None
        return memory if memory is not None and memory.key == key and not is_closed_or_expired(memory, now) else None

    def keys(self, visibility: Visibility, collection: str) -> list[str]:
        calls = self._table.calls()
        condition, values = partition_condition(visibility.user_id, KEY)
        rows = calls.rows(
            condition, {**values, ":collection": {"S": collection}}, FilterExpression="#collection = :collection",
            ConsistentRead=True,
        )  # fmt: skip
        names = (memory_name(row[HOLDER]["S"]) for row in itertools.islice(rows, _MOST_KEYS))
        items_by_key = calls.get(((visibility.user_id, name) for name in names), (RECORD,))
        visible = [memory for memory in readable_records(items_by_key.values(), memory_of) if is_visible(visibility, memory)]
        return sorted(memory.key for memory in visible if memory.key is not None)


def lease_lost() -> CommonplaceError:
    """Return the error for a run that writes after it has lost its lease to another run."""
    return CommonplaceError(ErrorCode.LEASE_LOST, "another run has begun")


def fenced(fence: Fence) -> Action:
    """Return the condition that no newer lease exists, which every write of a run must include."""
    lease = key_of(fence.user_id, LEASE)
    return Action("ConditionCheck", lease, "#fence = :fence", {":fence": {"N": str(fence.number)}})


def _refuse_or_settle(calls: Calls, operation: Operation, all_refused: Sequence[RefusedWrite]) -> None:
    """Raise `CONFLICT` unless the operation was blocked only by stale markers, which the next attempt takes over."""
    own = {memory_name(change.memory.memory_id): change.memory for change in operation.changes}
    for refused in all_refused:
        for action, _ in refused.actions:
            if action.name in own:
                raise version_conflict(own[action.name])
        (holders_by_marker,) = marker_holders(calls, [refused], {refused.write.change.memory.memory_id: operation.at})
        for other in holders_by_marker.values():
            raise CommonplaceError(ErrorCode.CONFLICT, f"the same memory or key is there already: {other.memory_id}")


def _build_row_change(calls: Calls, change: Change) -> RowChange:
    """Return the change of one record. Raises `CONFLICT` if the stored record is missing or has another version."""
    memory = change.memory
    if change.before is None:
        return RowChange(memory, to_bytes(change.vector), change.audit)
    if memory.version != change.before.version + 1:
        raise version_conflict(memory)
    try:
        return change_of(calls, memory, change.audit, change.vector)
    except CommonplaceError as error:
        raise version_conflict(memory) if error.code is ErrorCode.NOT_FOUND else error from error


def _parse_item(item: Item) -> Applied | None:
    """Parse an operation. If the operation is unreadable, log its id and return None, because it can't be undone."""
    operation_id = item[ITEM]["S"].removeprefix(OPERATION)
    try:
        stored = json.loads(item["told"]["S"])
        made = tuple(AppliedChange(**change) for change in stored["made"])
        return Applied(operation_id, stored["kind"], datetime.fromisoformat(stored["at"]), stored["run_id"], made)
    except (ValueError, KeyError, TypeError) as error:
        _log.error("an unreadable operation is left out: %s: %s", operation_id, type(error).__name__)
        return None


def _build_operation_row(operation: Operation) -> Action:
    body = {
        "kind": operation.kind,
        "at": operation.at.isoformat(),
        "run_id": operation.run_id,
        "made": [asdict(applied_change(change)) for change in operation.changes],
    }
    name = f"{OPERATION}{operation.operation_id}"
    return Action("Put", {**key_of(operation.user_id, name), "told": {"S": json.dumps(body)}}, ABSENT)


def _forget_erased(calls: Calls, operation: Operation, repeated: bool) -> None:
    """Delete the rows that are related to erased memories. For a repeated operation, also blank the memories' older rows."""
    erased = [change for change in operation.changes if change.erases]
    if repeated:
        calls.transact_all([row for change in erased for row in older_rows(calls, change)])
    if erased:
        forget(calls, operation.user_id, {change.memory.memory_id for change in erased})
