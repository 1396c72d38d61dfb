"""Writes a memory's record, tokens, tags and audit row in the caller's transaction."""

import json
import sqlite3
from dataclasses import dataclass
from datetime import datetime
from typing import Self

from commonplace.adapters.sqlite import rows
from commonplace.adapters.sqlite.rows import RECORD, columns, memory_of
from commonplace.domain.errors import CommonplaceError, ErrorCode
from commonplace.domain.memory import Memory
from commonplace.memories.vectors import to_bytes
from commonplace.ports.values import Audit, Entry, Vector
from commonplace.retrieval.documents import Document, document, fingerprint

STORED = f"SELECT memories.row, owner, user_id, memory_id, {RECORD}, embedding FROM memories JOIN users ON number = owner"
"""The SQL that selects the columns of a `StoredRow`."""


@dataclass(frozen=True)
class StoredRow:
    """A memory with its row number, owner and vector, as stored in the file."""

    row: int
    owner: int
    memory: Memory
    embedding: bytes | None

    @classmethod
    def of(cls, row: int, owner: int, user_id: str, memory_id: str, record: bytes, embedding: bytes | None) -> Self | None:
        """Return the row with the parsed record, or None if the record is unreadable."""
        memory = memory_of(user_id, memory_id, record)
        return None if memory is None else cls(row, owner, memory, embedding)


def load_row(connection: sqlite3.Connection, user_id: str, memory_id: str) -> StoredRow | None:
    """Return the row of a user's memory, or None if the memory is missing or unreadable."""
    row = connection.execute(f"{STORED} WHERE memory_id = ? AND user_id = ?", (memory_id, user_id)).fetchone()
    return None if row is None else StoredRow.of(*row)


def insert(connection: sqlite3.Connection, owner: int, entry: Entry, doc: Document | None = None) -> None:
    """Add a memory. Raises `CONFLICT` if its id already exists. If `doc` is None, the memory's document is built."""
    memory = entry.memory
    if connection.execute("SELECT 1 FROM memories WHERE memory_id = ?", (memory.memory_id,)).fetchone():
        raise CommonplaceError(
            ErrorCode.CONFLICT, f"{memory.memory_id} is there already, with another content or of another user"
        )
    doc = doc or document(memory)
    values = columns(memory, doc, owner, next_change(connection), to_bytes(entry.vector))
    marks = ",".join("?" * len(values))
    cursor = connection.execute(f"INSERT INTO memories ({','.join(values)}) VALUES ({marks})", tuple(values.values()))
    assert cursor.lastrowid is not None
    rows.insert(connection, cursor.lastrowid, owner, doc)
    count_tags(connection, owner, memory, 1)
    if memory.access_count:  # an imported memory keeps its count
        last = memory.last_accessed or memory.created_at
        used = (memory.memory_id, memory.access_count, last.isoformat())
        connection.execute("INSERT INTO usage VALUES (?, ?, ?) ON CONFLICT DO NOTHING", used)
    _write_audit(connection, memory.memory_id, entry.audit)


def replace(connection: sqlite3.Connection, older: StoredRow, memory: Memory, audit: Audit, vector: Vector | None) -> None:
    """Replace the stored version of a memory. If content and embedding model are unchanged, the stored vector is kept."""
    same = (memory.content, memory.embedding_model) == (older.memory.content, older.memory.embedding_model)
    doc = document(memory)
    embedding = older.embedding if same else to_bytes(vector)
    values = columns(memory, doc, older.owner, next_change(connection), embedding)
    rows.delete(connection, older.row)
    settings = ",".join(f"{name} = ?" for name in values)
    connection.execute(f"UPDATE memories SET {settings} WHERE row = ?", (*values.values(), older.row))
    rows.insert(connection, older.row, older.owner, doc)
    count_tags(connection, older.owner, older.memory, -1)
    count_tags(connection, older.owner, memory, 1)
    _write_audit(connection, memory.memory_id, audit)


def same_content(connection: sqlite3.Connection, owner: int, memory: Memory, now: datetime) -> Memory | None:
    """Return another active memory with the same content. If it is expired or unreadable, archive it and return None."""
    return _find_active_holder(connection, owner, memory, now, "fingerprint = ?", fingerprint(memory))


def same_key(connection: sqlite3.Connection, owner: int, memory: Memory, now: datetime) -> Memory | None:
    """Return another active memory with the same key. If it is expired or unreadable, archive it and return None."""
    if memory.key is None:
        return None
    return _find_active_holder(connection, owner, memory, now, "collection = ? AND key = ?", memory.collection, memory.key)


def refuse_duplicate(connection: sqlite3.Connection, owner: int, memory: Memory, now: datetime) -> None:
    """Raise `CONFLICT` if another active memory has the same content or the same key."""
    same = same_content(connection, owner, memory, now) or same_key(connection, owner, memory, now)
    if same is not None:
        raise CommonplaceError(ErrorCode.CONFLICT, f"the same memory or key is there already: {same.memory_id}")


def _find_active_holder(
    connection: sqlite3.Connection, owner: int, memory: Memory, now: datetime, condition: str, *values: object
) -> Memory | None:
    """Return another active memory that meets the condition. If it is expired or unreadable, archive it and return None."""
    if memory.status != "active":
        return None
    row = connection.execute(
        f"{STORED} WHERE owner = ? AND {condition} AND status = 'active' AND memory_id != ?",
        (owner, *values, memory.memory_id),
    ).fetchone()
    if row is None:
        return None
    other = StoredRow.of(*row)
    if other is None:  # an unreadable memory can't be shown, so it must not block others
        change = "UPDATE memories SET status = 'archived', change = ? WHERE row = ?"
        connection.execute(change, (next_change(connection), row[0]))
        return None
    if not other.memory.has_expired(now):
        return other.memory
    audit = Audit("archive", now, {"why": "expired, and said again"})
    replace(connection, other, other.memory.next_version(now, status="archived"), audit, None)
    return None


def next_change(connection: sqlite3.Connection) -> int:
    """Increment the number of writes and return it. Readers detect changes by these numbers."""
    connection.execute("UPDATE changes SET last = last + 1")
    return int(connection.execute("SELECT last FROM changes").fetchone()[0])


def count_tags(connection: sqlite3.Connection, owner: int, memory: Memory, step: int) -> None:
    """Add `step` to the counts of an active memory's tags."""
    if memory.status != "active":
        return
    connection.executemany(
        "INSERT INTO tags VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET memories = memories + excluded.memories",
        [(owner, tag, step) for tag in set(memory.tags)],
    )
    if step < 0:
        connection.execute("DELETE FROM tags WHERE owner = ? AND memories <= 0", (owner,))


def _write_audit(connection: sqlite3.Connection, memory_id: str, audit: Audit) -> None:
    connection.execute(
        "INSERT INTO audits (memory_id, operation, at, detail) VALUES (?, ?, ?, ?)",
        (memory_id, audit.operation, audit.at.isoformat(), json.dumps(audit.detail, ensure_ascii=False)),
    )
