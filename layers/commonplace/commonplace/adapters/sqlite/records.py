"""Memories as rows: the record, its audit rows, tags and index entries in one transaction."""

import json
import sqlite3
from collections.abc import Iterator, Sequence
from datetime import datetime

import numpy as np

from commonplace.adapters.sqlite import words
from commonplace.adapters.sqlite.database import Database
from commonplace.adapters.sqlite.rows import columns, known_owner, owner_number
from commonplace.documents import Document, document
from commonplace.errors import CommonplaceError, ErrorCode
from commonplace.models.memory import Memory
from commonplace.ports import Audit, Entry, Stored, Vector


class SqliteRecords:
    """The record store of one file."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, entries: Sequence[Entry]) -> list[tuple[Memory, bool]]:
        prepared = [(entry, document(entry.memory)) for entry in entries]
        with self._database.writing() as connection:
            return [_add(connection, entry, doc) for entry, doc in prepared]

    def update(self, memory: Memory, audit: Audit, vector: Vector | None = None) -> Memory:
        with self._database.writing() as connection:
            found = connection.execute(
                "SELECT memories.row, owner, version, embedding, record FROM memories JOIN users ON number = owner"
                " WHERE memory_id = ? AND user_id = ?",
                (memory.memory_id, memory.user_id),
            ).fetchone()
            if found is None:
                raise CommonplaceError(ErrorCode.NOT_FOUND, f"no memory {memory.memory_id}")
            row, owner, version, embedding, record = found
            if version != memory.version - 1:
                raise CommonplaceError(ErrorCode.CONFLICT, f"{memory.memory_id} was changed meanwhile; read it again")
            older = Memory.kept(record)
            if memory.status == "active":
                there = _in_the_way(connection, owner, document(memory).fingerprint, row, memory.updated_at)
                if there is not None:
                    raise CommonplaceError(ErrorCode.CONFLICT, f"the same memory is there already: {there.memory_id}")
            kept = (memory.content, memory.embedding_model) == (older.content, older.embedding_model)
            _replace(connection, row, owner, memory, embedding if kept else _blob(vector), older)
            _write_audit(connection, memory.memory_id, audit)
        return memory

    def get(self, user_id: str, memory_ids: Sequence[str]) -> list[Memory]:
        with self._database.reading() as connection:
            owner = known_owner(connection, user_id)
            rows = connection.execute(
                f"SELECT memories.memory_id, record, found, last_found FROM memories LEFT JOIN usage USING (memory_id)"
                f" WHERE memories.memory_id IN ({','.join('?' * len(memory_ids))}) AND +owner = ?",
                (*memory_ids, owner),
            ).fetchall()
        found = {row[0]: _memory(*row[1:]) for row in rows}
        return [found[memory_id] for memory_id in memory_ids if memory_id in found]

    def all(self, user_id: str) -> Iterator[Memory]:
        last = 0
        while True:
            with self._database.reading() as connection:
                rows = connection.execute(
                    "SELECT memories.row, record, found, last_found FROM memories JOIN users ON number = owner"
                    " LEFT JOIN usage USING (memory_id) WHERE user_id = ? AND memories.row > ?"
                    " ORDER BY memories.row LIMIT 500",
                    (user_id, last),
                ).fetchall()
            if not rows:
                return
            for row in rows:
                yield _memory(*row[1:])
            last = rows[-1][0]

    def newest(self, user_id: str, limit: int) -> tuple[list[Stored], bool]:
        with self._database.reading() as connection:
            rows = connection.execute(
                "SELECT record, embedding FROM memories WHERE owner = ? AND status = 'active' ORDER BY row DESC LIMIT ?",
                (known_owner(connection, user_id), limit + 1),
            ).fetchall()
        found = [Stored(Memory.kept(record), _vector(embedding)) for record, embedding in rows[:limit]]
        return found, len(rows) <= limit

    def audits(self, user_id: str, memory_id: str) -> list[Audit]:
        with self._database.reading() as connection:
            rows = connection.execute(
                "SELECT operation, at, detail FROM audits JOIN memories USING (memory_id)"
                " JOIN users ON users.number = owner WHERE user_id = ? AND memory_id = ? ORDER BY audits.number",
                (user_id, memory_id),
            ).fetchall()
        return [Audit(operation, datetime.fromisoformat(at), json.loads(detail)) for operation, at, detail in rows]


def _memory(record: str, found: int | None, last_found: str | None) -> Memory:
    memory = Memory.kept(record)
    if found is None or last_found is None:
        return memory
    return memory.model_copy(update={"access_count": found, "last_accessed": datetime.fromisoformat(last_found)})


def _add(connection: sqlite3.Connection, entry: Entry, doc: Document) -> tuple[Memory, bool]:
    memory = entry.memory
    owner = owner_number(connection, memory.user_id)
    there = _in_the_way(connection, owner, doc.fingerprint, 0, memory.created_at)
    if there is not None:
        return there, False
    values = columns(memory, doc, owner, _next_change(connection), _blob(entry.vector))
    row = _insert(connection, values)
    words.insert(connection, row, owner, doc)
    _count_tags(connection, owner, memory, 1)
    _write_audit(connection, memory.memory_id, entry.audit)
    return memory, True


def _in_the_way(connection: sqlite3.Connection, owner: int, fingerprint: bytes, row: int, now: datetime) -> Memory | None:
    """The same memory in another row than this, unexpired; an expired one is archived."""
    found = connection.execute(
        "SELECT row, record, embedding FROM memories WHERE owner = ? AND fingerprint = ? AND status = 'active' AND row != ?",
        (owner, fingerprint, row),
    ).fetchone()
    if found is None:
        return None
    other, record, embedding = found
    older = Memory.kept(record)
    if older.expires_at is None or older.expires_at > now:
        return older
    expired = older.model_copy(update={"status": "archived", "version": older.version + 1, "updated_at": now})
    _replace(connection, other, owner, expired, embedding, older)
    _write_audit(connection, older.memory_id, Audit("archive", now, {"why": "expired, and said again"}))
    return None


def _insert(connection: sqlite3.Connection, values: dict[str, object]) -> int:
    marks = ",".join("?" * len(values))
    cursor = connection.execute(f"INSERT INTO memories ({','.join(values)}) VALUES ({marks})", tuple(values.values()))
    assert cursor.lastrowid is not None
    return cursor.lastrowid


def _replace(
    connection: sqlite3.Connection, row: int, owner: int, memory: Memory, embedding: bytes | None, older: Memory
) -> None:
    doc = document(memory)
    values = columns(memory, doc, owner, _next_change(connection), embedding)
    words.delete(connection, row)
    settings = ",".join(f"{name} = ?" for name in values)
    connection.execute(f"UPDATE memories SET {settings} WHERE row = ?", (*values.values(), row))
    words.insert(connection, row, owner, doc)
    _count_tags(connection, owner, older, -1)
    _count_tags(connection, owner, memory, 1)


def _next_change(connection: sqlite3.Connection) -> int:
    connection.execute("UPDATE changes SET last = last + 1")
    change: int = connection.execute("SELECT last FROM changes").fetchone()[0]
    return change


def _count_tags(connection: sqlite3.Connection, owner: int, memory: Memory, step: int) -> None:
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


def _blob(vector: Vector | None) -> bytes | None:
    return None if vector is None else vector.astype("<f4").tobytes()


def _vector(blob: bytes | None) -> Vector | None:
    return None if blob is None else np.frombuffer(blob, dtype="<f4")
