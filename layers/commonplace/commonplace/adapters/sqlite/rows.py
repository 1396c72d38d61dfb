"""Converts memories to rows and back. FTS5 indexes a memory's tokens, each prefixed with the owner's number."""

import logging
import re
import sqlite3
from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from commonplace.domain.fields import EARLIEST, nearest_moment
from commonplace.domain.flaws import report_unreadable
from commonplace.domain.memory import Memory
from commonplace.domain.outline import seconds
from commonplace.retrieval.documents import Document

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Rows = npt.NDArray[np.int64]


RECORD = "CAST(record AS BLOB)"
"""The SQL for a record as bytes. As text, one invalid UTF-8 byte would make the whole query fail."""
_ID = re.compile(r"(mem|op)_[0-9A-Z]{1,40}(-close)?")
_log = logging.getLogger("commonplace")


def insert(connection: sqlite3.Connection, row: int, owner: int, doc: Document) -> None:
    """Index a memory's tokens under its row."""
    connection.execute("INSERT INTO words (rowid, content, labels) VALUES (?, ?, ?)", (row, *words_of(owner, doc)))


def words_of(owner: int, doc: Document) -> tuple[str, str]:
    """Return the two texts that are indexed for a memory, which contain its tokens and its labels."""
    return " ".join(_prefix_with_owner(owner, doc.tokens)), " ".join(_prefix_with_owner(owner, doc.labels))


def delete(connection: sqlite3.Connection, row: int) -> None:
    """Remove a memory's tokens from the index."""
    connection.execute("DELETE FROM words WHERE rowid = ?", (row,))


def purge_deleted_tokens(connection: sqlite3.Connection) -> None:
    """Remove deleted tokens from the file, because FTS5 only marks them as deleted until it merges."""
    connection.execute("INSERT INTO words (words) VALUES ('optimize')")


def occurrences(connection: sqlite3.Connection, owner: int, term: str) -> "dict[str, Rows]":
    """Return the owner's rows that contain a term, by column (`content` or `labels`). A row appears once per occurrence."""
    import numpy as np  # deferred, as only stores and searches need NumPy

    cursor = connection.execute(
        "SELECT col, group_concat(doc) FROM word_places WHERE term = ? GROUP BY col", _prefix_with_owner(owner, [term])
    )
    return {column: np.fromstring(rows, dtype=np.int64, sep=",") for column, rows in cursor}


def frequencies(connection: sqlite3.Connection, owner: int, terms: Sequence[str]) -> dict[str, int]:
    """Return how many of the owner's memories, including closed ones, contain each term."""
    own = dict(zip(_prefix_with_owner(owner, terms), terms, strict=True))
    marks = ",".join("?" * len(own))
    rows = connection.execute(f"SELECT term, doc FROM word_counts WHERE term IN ({marks})", tuple(own)).fetchall()
    return {own[term]: count for term, count in rows}


def _prefix_with_owner(owner: int, terms: Sequence[str]) -> list[str]:
    return [f"{owner}_{term}" for term in terms]


def owner_number(connection: sqlite3.Connection, user_id: str) -> int:
    """Return the user's number in this file. A new user gets a new number."""
    connection.execute("INSERT INTO users (user_id) VALUES (?) ON CONFLICT DO NOTHING", (user_id,))
    return int(connection.execute("SELECT number FROM users WHERE user_id = ?", (user_id,)).fetchone()[0])


def known_owner(connection: sqlite3.Connection, user_id: str) -> int | None:
    """Return the user's number, or None if the user has never stored anything in this file."""
    row = connection.execute("SELECT number FROM users WHERE user_id = ?", (user_id,)).fetchone()
    return None if row is None else int(row[0])


def columns(memory: Memory, doc: Document, owner: int, change: int, embedding: bytes | None) -> dict[str, object]:
    """Return the values for a row by column name, in the order of the schema."""
    return {
        "memory_id": memory.memory_id,
        "owner": owner,
        "change": change,
        "fingerprint": doc.fingerprint,
        "version": memory.version,
        "record": memory.model_dump_json(),
        "status": memory.status,
        "agent_id": memory.agent_id,
        "collection": memory.collection,
        "key": memory.key,
        "memory_type": memory.memory_type,
        "category": memory.category,
        "section": memory.section,
        "content_type": doc.content_type,
        "importance": memory.importance,
        "emotion": memory.emotion,
        "subject": memory.subject,
        "happened_at": memory.happened_at.timestamp(),
        "happened_day": memory.happened_at.toordinal(),
        "created_at": memory.created_at.timestamp(),
        "valid_from": seconds(memory.valid_from),
        "valid_to": seconds(memory.valid_to),
        "expires_at": seconds(memory.expires_at),
        "session_id": memory.session_id,
        "position": memory.position,
        "speaker": memory.speaker,
        "length": len(doc.tokens),
        "question": doc.question,
        "instruction": doc.instruction,
        "preference": doc.preference,
        "embedding": embedding,
        "embedding_model": memory.embedding_model,
    }


def memory_of(
    user_id: str, memory_id: str, record: bytes, count: int | None = None, last_access: str | None = None
) -> Memory | None:
    """Parse a record and add its usage counts. If the record is unreadable, report it and return None."""
    try:
        memory = Memory.from_record(record)
        if (memory.user_id, memory.memory_id) != (user_id, memory_id):
            raise ValueError("another memory's record")
    except ValueError as error:  # includes Pydantic's errors
        name = shown_id(memory_id)
        if not report_unreadable(user_id, name):
            _log.error("an unreadable record is left out: %s %s: %s", user_id, name, type(error).__name__)
        return None
    return memory if count is None else memory.model_copy(update=_parse_counts(count, last_access))


def moment_of(text: object) -> datetime:
    """Parse a stored datetime. If it is invalid, return the earliest datetime."""
    try:
        return nearest_moment(datetime.fromisoformat(str(text)))
    except ValueError:
        return EARLIEST


def shown_id(name: object) -> str:
    """Return a stored id if it is valid, and otherwise a placeholder, because an invalid id may contain a user's words."""
    return name if isinstance(name, str) and _ID.fullmatch(name) else "(damaged id)"


def _parse_counts(count: int, last_access: str | None) -> dict[str, object]:
    """Return the usage counts as fields of a memory, or {} if they are damaged."""
    try:
        return {"access_count": int(count), "last_accessed": datetime.fromisoformat(str(last_access))}
    except ValueError:  # a damaged count must not hide the memory
        return {}
