"""A memory as columns of its row, and its tokens in FTS5, each prefixed with its owner's number."""

import sqlite3
from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from commonplace.domain.memory import Memory
from commonplace.retrieval.documents import Document

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Rows = npt.NDArray[np.int64]


def insert(connection: sqlite3.Connection, row: int, owner: int, doc: Document) -> None:
    """Indexes a memory's tokens under its row."""
    connection.execute(
        "INSERT INTO words (rowid, content, labels) VALUES (?, ?, ?)",
        (row, " ".join(_own(owner, doc.tokens)), " ".join(_own(owner, doc.labels))),
    )


def delete(connection: sqlite3.Connection, row: int) -> None:
    """Takes a memory's tokens out."""
    connection.execute("DELETE FROM words WHERE rowid = ?", (row,))


def purge_deleted_tokens(connection: sqlite3.Connection) -> None:
    """Lets nothing be left of tokens that were taken out: FTS5 only marks them, until it merges all it has."""
    connection.execute("INSERT INTO words (words) VALUES ('optimize')")


def occurrences(connection: sqlite3.Connection, owner: int, term: str) -> "dict[str, Rows]":
    """Per column, `content` and `labels`: the rows with the owner's term, once for each occurrence."""
    import numpy as np  # who stores no memory and searches none does not pay for it

    found = connection.execute(
        "SELECT col, group_concat(doc) FROM word_places WHERE term = ? GROUP BY col", _own(owner, [term])
    )
    return {column: np.fromstring(rows, dtype=np.int64, sep=",") for column, rows in found}


def frequencies(connection: sqlite3.Connection, owner: int, terms: Sequence[str]) -> dict[str, int]:
    """How many of the owner's memories hold each term, closed ones too."""
    own = dict(zip(_own(owner, terms), terms, strict=True))
    marks = ",".join("?" * len(own))
    found = connection.execute(f"SELECT term, doc FROM word_counts WHERE term IN ({marks})", tuple(own)).fetchall()
    return {own[term]: count for term, count in found}


def _own(owner: int, terms: Sequence[str]) -> list[str]:
    return [f"{owner}_{term}" for term in terms]


def owner_number(connection: sqlite3.Connection, user_id: str) -> int:
    """The user's number in this file, given at the first write."""
    connection.execute("INSERT INTO users (user_id) VALUES (?) ON CONFLICT DO NOTHING", (user_id,))
    number: int = connection.execute("SELECT number FROM users WHERE user_id = ?", (user_id,)).fetchone()[0]
    return number


def known_owner(connection: sqlite3.Connection, user_id: str) -> int | None:
    """The user's number, or None for somebody who never stored anything here."""
    found = connection.execute("SELECT number FROM users WHERE user_id = ?", (user_id,)).fetchone()
    return None if found is None else int(found[0])


def columns(memory: Memory, doc: Document, owner: int, change: int, embedding: bytes | None) -> dict[str, object]:
    """Column name to value, in the order of the schema."""
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


def memory_of(record: str, found: int | None, last_found: str | None) -> Memory:
    """The memory of a record, with its counts where it was found before."""
    memory = Memory.kept(record)
    if found is None or last_found is None:
        return memory
    return memory.model_copy(update={"access_count": found, "last_accessed": datetime.fromisoformat(last_found)})


def seconds(moment: datetime | None) -> float | None:
    """Seconds since 1970, or None."""
    return None if moment is None else moment.timestamp()
