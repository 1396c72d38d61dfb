"""Applies operations, each of which may change several memories, and stores each one under its id."""

import json
import logging
import sqlite3
from dataclasses import asdict
from datetime import datetime
from typing import TYPE_CHECKING

from commonplace.adapters.sqlite import removal, rows, runs, writes
from commonplace.adapters.sqlite.database import DatabaseAdapter
from commonplace.adapters.sqlite.ids import keep_erased
from commonplace.adapters.sqlite.purging import purge
from commonplace.adapters.sqlite.rows import RECORD, known_owner, memory_of, owner_number, shown_id
from commonplace.domain.errors import CommonplaceError, ErrorCode
from commonplace.domain.ids import first_operation_id
from commonplace.domain.memory import Memory
from commonplace.memories.transitions import applied_change
from commonplace.ports.values import Applied, AppliedChange, Change, Entry, Fence, Operation, Visibility

if TYPE_CHECKING:
    from commonplace.domain.runs import OperationKind

_MOST_KEYS = 10_000
_log = logging.getLogger("commonplace")


class SqliteOperations(DatabaseAdapter):
    def apply(self, operation: Operation, fence: Fence | None = None) -> bool:
        """Apply all changes in one transaction. Returns False if the operation has already been applied."""
        erased = {change.memory.memory_id for change in operation.changes if change.erases}
        with self._database.writing(erases=bool(erased)) as connection:
            owner = owner_number(connection, operation.user_id)
            if _load_operation_row(connection, owner, operation.operation_id) is not None:
                return False
            if fence is not None:
                runs.check_fence(connection, fence)
            for change in operation.changes:
                _make_change(connection, owner, change, operation.at)
            if erased:
                keep_erased(connection, operation.user_id, owner, erased)
            removal.forget(connection, owner, erased)
            purge(connection, owner, operation.at)
            if erased:
                rows.purge_deleted_tokens(connection)
            _save_operation(connection, owner, operation)
        return True

    def applied(self, user_id: str, operation_id: str) -> Applied | None:
        with self._database.reading() as connection:
            row = _load_operation_row(connection, known_owner(connection, user_id), operation_id)
        return None if row is None else _parse_row(operation_id, *row)

    def since(self, user_id: str, at: datetime) -> list[Applied]:
        with self._database.reading() as connection:
            operation = connection.execute(
                "SELECT operation_id, kind, at, run_id, made FROM operations WHERE owner = ? AND operation_id >= ?"
                " ORDER BY operation_id",
                (known_owner(connection, user_id), first_operation_id(at)),
            ).fetchall()
        return [applied for row in operation if (applied := _parse_row(*row)) is not None]

    def newest(self, user_id: str) -> Applied | None:
        """Return the newest operation that is not an undo, or None."""
        with self._database.reading() as connection:
            cursor = connection.execute(
                "SELECT operation_id, kind, at, run_id, made FROM operations WHERE owner = ? AND kind != 'UNDO'"
                " ORDER BY operation_id DESC",
                (known_owner(connection, user_id),),
            )
            return next((applied for row in cursor if (applied := _parse_row(*row)) is not None), None)

    def holder(self, user_id: str, collection: str, key: str, now: datetime) -> Memory | None:
        with self._database.reading() as connection:
            row = connection.execute(
                f"SELECT memory_id, {RECORD}, found, last_found FROM memories LEFT JOIN usage USING (memory_id)"
                " WHERE owner = ? AND collection = ? AND key = ? AND status = 'active'"
                " AND (expires_at IS NULL OR expires_at > ?)",
                (known_owner(connection, user_id), collection, key, now.timestamp()),
            ).fetchone()
        return None if row is None else memory_of(user_id, *row)

    def keys(self, visibility: Visibility, collection: str) -> list[str]:
        from commonplace.adapters.sqlite import scan

        visible, values = scan.visible(visibility)
        with self._database.reading() as connection:
            rows = connection.execute(
                f"SELECT key FROM memories WHERE owner = ? AND collection = ? AND key IS NOT NULL AND {visible}"
                " ORDER BY key LIMIT ?",
                (known_owner(connection, visibility.user_id), collection, *values, _MOST_KEYS),
            ).fetchall()
        return [key for (key,) in rows]


def _make_change(connection: sqlite3.Connection, owner: int, change: Change, at: datetime) -> None:
    """Insert or replace a record. Raises `CONFLICT` if there is a duplicate or another write has changed the record."""
    memory, before = change.memory, change.before
    if before is None:
        writes.refuse_duplicate(connection, owner, memory, at)
        writes.insert(connection, owner, Entry(memory, change.vector, change.audit))
        return
    older = writes.load_row(connection, memory.user_id, memory.memory_id)
    if older is None or older.memory.version != before.version:
        raise CommonplaceError(ErrorCode.CONFLICT, f"{memory.memory_id} was changed meanwhile; read it again")
    writes.refuse_duplicate(connection, owner, memory, at)
    if change.erases:
        removal.erase_audits(connection, memory.memory_id)
    writes.replace(connection, older, memory, change.audit, change.vector)


def _parse_row(operation_id: str, kind: "OperationKind", at: str, run_id: str | None, made: str) -> Applied | None:
    """Parse an operation. If the operation is unreadable, log its id and return None, because it can't be undone."""
    try:
        changes = tuple(AppliedChange(**change) for change in json.loads(made))
        return Applied(operation_id, kind, datetime.fromisoformat(at), run_id, changes)
    except (ValueError, TypeError) as error:
        _log.error("an unreadable operation is left out: %s: %s", shown_id(operation_id), type(error).__name__)
        return None


def _save_operation(connection: sqlite3.Connection, owner: int, operation: Operation) -> None:
    made = json.dumps([asdict(applied_change(change)) for change in operation.changes], ensure_ascii=False)
    connection.execute(
        "INSERT INTO operations (owner, operation_id, kind, at, run_id, made) VALUES (?, ?, ?, ?, ?, ?)",
        (owner, operation.operation_id, operation.kind, operation.at.isoformat(), operation.run_id, made),
    )


def _load_operation_row(
    connection: sqlite3.Connection, owner: int | None, operation_id: str
) -> "tuple[OperationKind, str, str | None, str] | None":
    row: tuple[OperationKind, str, str | None, str] | None = connection.execute(
        "SELECT kind, at, run_id, made FROM operations WHERE owner = ? AND operation_id = ?", (owner, operation_id)
    ).fetchone()
    return row
