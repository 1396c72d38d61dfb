"""The ways in which a memory closes: its next version, with nothing lost but what is to be erased."""

from datetime import datetime
from typing import Any

from commonplace.models.memory import Memory
from commonplace.remember import KEPT_AFTER_EXPIRY

_WORDS: dict[str, Any] = {
    "raw_text": "", "normalized_text": "", "tags": (), "concepts": (), "key": None, "evidence": None, "user_note": None,
    "speaker": None, "subject": None, "emotion": None, "embedding_model": None,
}  # fmt: skip


def superseded(memory: Memory, by: str, now: datetime) -> Memory:
    """Closed because another took its place; kept."""
    return memory.next_version(now, status="superseded", valid_to=now, superseded_by=by)


def deleted(memory: Memory, now: datetime) -> Memory:
    """Closed and no longer found; it can come back for 30 days."""
    return memory.next_version(now, status="deleted", valid_to=now, purge_at=now + KEPT_AFTER_EXPIRY)


def erased(memory: Memory, now: datetime) -> Memory:
    """The same with no word left in it: it can't come back. Where it came from stays: an id, not a text."""
    return deleted(memory, now).model_copy(update=_WORDS)
