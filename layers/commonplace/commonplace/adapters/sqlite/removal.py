"""Deletes memories, or only their words, from a file. This also works if the records are unreadable."""

import json
import sqlite3
from collections.abc import Collection
from dataclasses import asdict

from commonplace.adapters.sqlite import rows
from commonplace.adapters.sqlite.writes import STORED, StoredRow, count_tags
from commonplace.memories.transitions import without_words
from commonplace.ports.values import AppliedChange

DEPENDENT_TABLES = ("audits", "usage")
"""The tables whose rows belong to a memory but have no owner column."""
BY_OWNER_AND_MEMORY = ("aliases", "feedback")
"""The tables whose rows belong to a memory and have an owner column."""
_ERASED = json.dumps({"erased": True})


def remove(connection: sqlite3.Connection, row: StoredRow) -> None:
    """Delete a memory with all related rows, and subtract its tags from the tag counts."""
    count_tags(connection, row.owner, row.memory, -1)
    remove_row(connection, row.row, row.memory.memory_id)


def remove_row(connection: sqlite3.Connection, row: int, memory_id: str) -> None:
    """Delete a memory and all rows that depend on it, even if its record is unreadable. The tag counts stay unchanged."""
    rows.delete(connection, row)
    for table in (*DEPENDENT_TABLES, *BY_OWNER_AND_MEMORY):
        connection.execute(f"DELETE FROM {table} WHERE memory_id = ?", (memory_id,))
    delete_rows(connection, "row = ?", row)


def delete_rows(connection: sqlite3.Connection, condition: str, *values: object) -> None:
    """Delete the rows of memories, even if a record is invalid JSON or the index on `purge_at` is wrong."""
    damaged = f"SELECT 1 FROM memories WHERE {condition} AND NOT json_valid(record) LIMIT 1"
    if connection.execute(damaged, values).fetchone() is None:
        connection.execute("SAVEPOINT before_deleting")
        try:
            connection.execute(f"DELETE FROM memories WHERE {condition}", values)
            return
        except sqlite3.DatabaseError:
            connection.execute("ROLLBACK TO before_deleting")
        finally:
            connection.execute("RELEASE before_deleting")
    connection.execute("DROP INDEX IF EXISTS memories_by_owner_purge")  # the index reads the records; `purge` restores it
    connection.execute(f"DELETE FROM memories WHERE {condition}", values)


def recount_tags(connection: sqlite3.Connection, owner: int) -> None:
    """Recount a user's tags from the readable records."""
    connection.execute("DELETE FROM tags WHERE owner = ?", (owner,))
    for values in connection.execute(f"{STORED} WHERE owner = ? AND status = 'active'", (owner,)).fetchall():
        if (row := StoredRow.of(*values)) is not None:
            count_tags(connection, owner, row.memory, 1)


def forget(connection: sqlite3.Connection, owner: int, erased: Collection[str]) -> None:
    """Delete the usage, aliases and feedback of erased memories, and their words in stored operations."""
    for memory_id in erased:
        for table in ("usage", *BY_OWNER_AND_MEMORY):
            connection.execute(f"DELETE FROM {table} WHERE memory_id = ?", (memory_id,))
        _forget_replaced(connection, owner, memory_id)


def forget_purged(connection: sqlite3.Connection, owner: int, memory_ids: Collection[str]) -> None:
    """Delete the aliases, feedback and words of memories that no longer have a record."""
    for memory_id in memory_ids:
        for table in BY_OWNER_AND_MEMORY:
            connection.execute(f"DELETE FROM {table} WHERE owner = ? AND memory_id = ?", (owner, memory_id))
        _forget_replaced(connection, owner, memory_id)


def _forget_replaced(connection: sqlite3.Connection, owner: int, memory_id: str) -> None:
    """Remove a memory's older texts from the stored operations."""
    saved = connection.execute(
        "SELECT operation_id, made FROM operations WHERE owner = ? AND instr(made, ?)", (owner, memory_id)
    ).fetchall()
    for operation_id, made in saved:
        connection.execute(
            "UPDATE operations SET made = ? WHERE owner = ? AND operation_id = ?",
            (_remove_words(made, memory_id), owner, operation_id),
        )


def _remove_words(made: str, memory_id: str) -> str:
    """Return an operation's changes as JSON without the memory's words, or "[]" if they are unreadable."""
    try:
        changes = [AppliedChange(**change) for change in json.loads(made)]
    except (ValueError, TypeError):
        return "[]"
    left = [asdict(without_words(change) if change.memory_id == memory_id else change) for change in changes]
    return json.dumps(left, ensure_ascii=False)


def erase_audits(connection: sqlite3.Connection, memory_id: str) -> None:
    """Blank the details in a memory's audit rows, because they contain text from the memory."""
    connection.execute("UPDATE audits SET detail = ? WHERE memory_id = ?", (_ERASED, memory_id))
