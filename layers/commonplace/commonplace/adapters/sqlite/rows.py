"""A memory as the columns of its row."""

import sqlite3
from datetime import datetime

from commonplace.documents import Document
from commonplace.models.memory import Memory


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
