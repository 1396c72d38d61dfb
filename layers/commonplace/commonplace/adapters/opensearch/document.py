"""What the index gets of a record, and of one that is gone."""

import base64
import json
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from commonplace.adapters.opensearch.client import numbers
from commonplace.documents import document
from commonplace.index_ports import Change, Purged, digest
from commonplace.models.memory import Memory

ROW = (
    "memory_id user_id tokens labels length session_id position speaker question instruction preference day importance"
    " created_at embedding_model"
).split()
"""What a search reads of a document."""


def packed(values: Mapping[str, Any]) -> str:
    """The values of `ROW` as one field."""
    return base64.b64encode(json.dumps([values[name] for name in ROW], ensure_ascii=False).encode()).decode()


def unpacked(fields: Iterable[str]) -> list[list[Any]]:
    """The values of each of many fields, in the order of `ROW`."""
    texts = [base64.urlsafe_b64decode(field + "==") for field in fields]  # they come back without their ends
    found: list[list[Any]] = json.loads(b"[" + b",".join(texts) + b"]")
    return found


def source(change: Change, embedding_model: str) -> dict[str, Any]:
    """The document, whole; closed records are documents too, purged ones tombstones.

    `embedding_model`: whose vectors this index holds; a vector of another stays out.
    """
    if isinstance(change, Purged):
        return {"user_id": change.user_id, "status": "purged", "version": change.version}
    memory = change.memory
    made = {**_fields(memory), **_for_ranking(memory)}
    made["embedding_model"] = None if change.vector is None else memory.embedding_model
    made["row"] = packed({name: made.get(name) for name in ROW})
    if change.vector is not None and memory.embedding_model == embedding_model:
        made["vector"] = numbers(change.vector)
    return {name: value for name, value in made.items() if value is not None}


def key(change: Change) -> tuple[str, str]:
    """User and memory of a change."""
    if isinstance(change, Purged):
        return change.user_id, change.memory_id
    return change.memory.user_id, change.memory.memory_id


def revision(change: Change) -> int:
    """The external version, twice the record's: it rises with that, and when the record is purged."""
    if isinstance(change, Purged):
        return 2 * change.version + 2
    return 2 * change.memory.version


def _fields(memory: Memory) -> dict[str, Any]:
    return {
        "memory_id": memory.memory_id,
        "user_id": memory.user_id,
        "agent_id": memory.agent_id,
        "status": memory.status,
        "version": memory.version,
        "collection": memory.collection,
        "memory_type": memory.memory_type,
        "category": memory.category,
        "section": memory.section,
        "subject": memory.subject,
        "emotion": memory.emotion,
        "tags": sorted(set(memory.tags)) or None,
        "content": memory.content,
        "digest": digest(memory),
        "valid_from": _seconds(memory.valid_from),
        "valid_to": _seconds(memory.valid_to),
        "expires_at": _seconds(memory.expires_at),
    }


def _for_ranking(memory: Memory) -> dict[str, Any]:
    made = document(memory)
    return {
        "tokens": " ".join(made.tokens),
        "labels": " ".join(made.labels),
        "length": len(made.tokens),
        "question": made.question,
        "instruction": made.instruction,
        "preference": made.preference,
        "content_type": made.content_type,
        "session_id": memory.session_id,
        "position": memory.position,
        "speaker": memory.speaker and memory.speaker.lower(),
        "importance": memory.importance,
        "happened_at": memory.happened_at.timestamp(),
        "created_at": memory.created_at.timestamp(),
        "day": memory.happened_at.toordinal(),
        "year": memory.happened_at.year,
    }


def _seconds(moment: datetime | None) -> float | None:
    return None if moment is None else moment.timestamp()
