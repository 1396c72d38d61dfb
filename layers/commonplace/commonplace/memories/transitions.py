"""The ways in which a memory closes, with nothing lost but what is to be erased; and what is kept of a change."""

from datetime import datetime, timedelta
from typing import Any

from commonplace.domain.memory import Memory
from commonplace.ports.record_values import AppliedChange, Change

PURGE_DELAY = timedelta(days=30)

_WORDS: dict[str, Any] = {
    "raw_text": "", "normalized_text": "", "tags": (), "concepts": (), "key": None, "evidence": None, "user_note": None,
    "speaker": None, "subject": None, "emotion": None, "embedding_model": None,
}  # fmt: skip


def superseded(memory: Memory, by: str, now: datetime) -> Memory:
    """Closed because another took its place; kept."""
    return memory.next_version(now, status="superseded", valid_to=now, superseded_by=by)


def deleted(memory: Memory, now: datetime) -> Memory:
    """Closed and no longer found; it can come back for 30 days."""
    return memory.next_version(now, status="deleted", valid_to=now, purge_at=now + PURGE_DELAY)


def erased(memory: Memory, now: datetime) -> Memory:
    """The same with no word left in it: it can't come back. Where it came from stays: an id, not a text."""
    return deleted(memory, now).model_copy(update=_WORDS)


# An operation changes words only to erase them, and its own version, time and usage come with each write.
_TEXTS = {"raw_text", "normalized_text", "tags", "concepts", "speaker", "evidence", "user_note", "subject"}
_NOT_KEPT = _TEXTS | {"version", "updated_at", "access_count", "last_accessed"}


def applied_change(change: Change) -> AppliedChange:
    """What is kept of a change: the version that it made, and the fields that it replaced; nothing of what it erased."""
    memory, before = change.memory, change.before
    if before is None or change.erases:
        return AppliedChange(memory.memory_id, memory.version, None if before is None else {}, change.erases)
    now = memory.model_dump(mode="json", exclude=_NOT_KEPT)
    replaced = {name: old for name, old in before.model_dump(mode="json", exclude=_NOT_KEPT).items() if old != now[name]}
    return AppliedChange(memory.memory_id, memory.version, replaced)
