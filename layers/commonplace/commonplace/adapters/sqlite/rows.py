"""A memory as columns of its row, and its tokens in FTS5, each prefixed with its owner's number."""

import logging
import re
import sqlite3
from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from commonplace.domain.fields import EARLIEST, nearest_moment
from commonplace.domain.flaws import tell_unreadable
from commonplace.domain.memory import Memory
from commonplace.ports.values import Vector
from commonplace.retrieval.documents import Document

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Rows = npt.NDArray[np.int64]


RECORD = "CAST(record AS BLOB)"
"""A record as a query asks for it: of bytes that are no UTF-8 SQLite makes no text, and would give none of the rows."""
_ID = re.compile(r"(mem|op)_[0-9A-Z]{1,40}(-close)?")
_log = logging.getLogger("commonplace")


def insert(connection: sqlite3.Connection, row: int, owner: int, doc: Document) -> None:
    """Indexes a memory's tokens under its row."""
    connection.execute("INSERT INTO words (rowid, content, labels) VALUES (?, ?, ?)", (row, *words_of(owner, doc)))


def words_of(owner: int, doc: Document) -> tuple[str, str]:
    """What is indexed of a memory: its tokens and its labels."""
    return " ".join(_own(owner, doc.tokens)), " ".join(_own(owner, doc.labels))


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


def memory_of(
    user_id: str, memory_id: str, record: bytes, found: int | None = None, last_found: str | None = None
) -> Memory | None:
    """The memory of a record, with its counts where it was found before; None, which is told, where it can't be read."""
    try:
        memory = Memory.kept(record)
        if (memory.user_id, memory.memory_id) != (user_id, memory_id):
            raise ValueError("another memory's record")
    except ValueError as error:  # pydantic's too
        name = shown_id(memory_id)
        if not tell_unreadable(user_id, name):
            _log.error("an unreadable record is left out: %s %s: %s", user_id, name, type(error).__name__)
        return None
    return memory if found is None else memory.model_copy(update=_counted(found, last_found))


def moment_of(text: object) -> datetime:
    """A moment as it is kept beside a record; the earliest where what is kept is none."""
    try:
        return nearest_moment(datetime.fromisoformat(str(text)))
    except ValueError:
        return EARLIEST


def shown_id(name: object) -> str:
    """An id out of a column; where it is none, what stands there is not told: it may be somebody's words."""
    return name if isinstance(name, str) and _ID.fullmatch(name) else "(damaged id)"


def _counted(found: int, last_found: str | None) -> dict[str, object]:
    try:
        return {"access_count": int(found), "last_accessed": datetime.fromisoformat(str(last_found))}
    except ValueError:  # a count that is damaged is no reason to do without the memory
        return {}


def vector_of(blob: bytes | None, dimension: int | None = None) -> Vector | None:
    """A vector as it is kept; None without one, and where it has another length: its memory is found by its words."""
    import numpy as np  # who exports records reads no vector

    if not isinstance(blob, bytes) or not blob or len(blob) % 4 or dimension not in (None, len(blob) // 4):
        return None
    return np.frombuffer(blob, dtype="<f4")


def seconds(moment: datetime | None) -> float | None:
    """Seconds since 1970, or None."""
    return None if moment is None else moment.timestamp()
