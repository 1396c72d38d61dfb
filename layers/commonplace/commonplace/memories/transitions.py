"""Correct, supersede, delete and erase memories, store the data for an undo, and check whether the clock is plausible."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from commonplace.domain.errors import CommonplaceError, ErrorCode
from commonplace.domain.memory import Memory
from commonplace.ports.bundle import Ports
from commonplace.ports.values import AppliedChange, Audit, Caller, Change

PURGE_DELAY = timedelta(days=30)
DAY_SECONDS = 86_400.0
_CONFIRMED_FOR = 7 * DAY_SECONDS
PLAN_TTL = timedelta(days=7)
"""How long a plan can be applied after its creation."""
MOST_CLOSED_BY_MODEL = 20
"""The maximum number of a user's memories that a model may delete or merge away within an hour."""
BY_MODEL = "by_model"
"""A key in audit details. Its value is the time at which a model closed the memory without a new value."""
_HOUR = timedelta(hours=1)

_WORDS: dict[str, Any] = {
    "raw_text": "", "normalized_text": "", "tags": (), "concepts": (), "key": None, "evidence": None, "user_note": None,
    "speaker": None, "subject": None, "known_as": None, "emotion": None, "embedding_model": None,
}  # fmt: skip

# Words change only when they are erased; version, time and usage change with each write.
_TEXTS = {"raw_text", "normalized_text", "tags", "concepts", "speaker", "evidence", "user_note", "subject"}
_UNAUDITED = _TEXTS | {"version", "updated_at", "access_count", "last_accessed"}


TAGS_BEFORE = "tags_before"
"""The key in audit details for the replaced tags. Audit rows, unlike operations, are purged with the memory."""


def corrected(memory: Memory, now: datetime, detail: Mapping[str, object], **labels: Any) -> Change:
    """Return a change that gives a memory new labels, such as type, tags, importance, section or expiry."""
    after = memory.next_version(now, **labels)
    return Change(after, Audit("correct", now, {**detail, **replaced_tags(memory, after)}), before=memory)


def replaced_tags(before: Memory, after: Memory) -> dict[str, list[str]]:
    """Return the replaced tags as an audit detail. It is empty if the tags are unchanged or the words were erased."""
    return {TAGS_BEFORE: list(before.tags)} if before.tags != after.tags and after.content else {}


def superseded(memory: Memory, by: str, now: datetime) -> Memory:
    """Return the closed version of a memory that is replaced by the memory with the id `by`."""
    return memory.next_version(now, status="superseded", valid_to=now, superseded_by=by)


def deleted(memory: Memory, now: datetime) -> Memory:
    """Return the deleted version of a memory. Searches don't find it, and it can be restored for 30 days."""
    return memory.next_version(now, status="deleted", valid_to=now, purge_at=now + PURGE_DELAY)


def erased(memory: Memory, now: datetime) -> Memory:
    """Return the erased version of a memory, without its words but with its session id."""
    return deleted(memory, now).model_copy(update=_WORDS)


def are_unchanged(user_id: str, memories: Iterable[Memory], ports: Ports) -> bool:
    """Return whether the stored versions of `memories` are unchanged."""
    versions = {memory.memory_id: memory.version for memory in memories}
    return {memory.memory_id: memory.version for memory in ports.records.get(user_id, list(versions))} == versions


def without_words(change: AppliedChange) -> AppliedChange:
    """Return a copy of an applied change whose old values contain no words. This is needed when the memory is erased."""
    if change.before is None:
        return change
    return replace(change, before={name: old for name, old in change.before.items() if name not in _WORDS})


def believed(clock: float, written: Iterable[float], retention: float = math.inf) -> float:
    """Return `clock`, or an earlier time if the user's records don't confirm `clock`. Both are in seconds since 1970.

    Expired data is deleted only up to this time. A laptop's clock may be years ahead for an afternoon, and deletion is final.
    `written` lists when the user's data was written. The newest of these times that is at least a day old confirms the clock
    for another week, or for a quarter of `retention` (in seconds) if that is less. If no time is that old, a wrong clock does
    no harm, and the result is `clock`.
    """
    confirming = [time for time in written if time <= clock - DAY_SECONDS]
    return min(clock, max(confirming) + min(_CONFIRMED_FOR, retention / 4)) if confirming else clock


def applied_change(change: Change) -> AppliedChange:
    """Return a change in its stored form, which contains the version and the replaced fields, but no erased words."""
    memory, before, by_model = change.memory, change.before, change.audit.detail.get(BY_MODEL)
    if before is None or change.erases:
        return AppliedChange(memory.memory_id, memory.version, None if before is None else {}, change.erases)
    now = memory.model_dump(mode="json", exclude=_UNAUDITED)
    replaced = {name: old for name, old in before.model_dump(mode="json", exclude=_UNAUDITED).items() if old != now[name]}
    return AppliedChange(memory.memory_id, memory.version, replaced, by_model=None if by_model is None else str(by_model))


def closed_by(caller: Caller, now: datetime) -> dict[str, object]:
    """Return the audit detail that marks a memory as closed by a model. It is empty if the caller is not a model."""
    return {} if caller.admin else {BY_MODEL: now.isoformat()}


def check_model_may_close(count: int, command: str, caller: Caller, ports: Ports) -> None:
    """Raise `TOO_MANY_REQUESTS` if a model would close over 20 memories in an hour. The error suggests `command`."""
    if caller.admin:
        return
    since = caller.now - _HOUR
    applied = ports.operations.since(caller.user_id, since - PLAN_TTL)  # operations are ordered by when they were planned
    made = [change for operation in applied for change in operation.made]
    closed = {change.memory_id for change in made if change.by_model and datetime.fromisoformat(change.by_model) > since}
    if len(closed) + count > MOST_CLOSED_BY_MODEL:
        closed = {item.memory_id for item in ports.records.get(caller.user_id, sorted(closed)) if item.status != "active"}
    if len(closed) + count > MOST_CLOSED_BY_MODEL:
        why = (
            f"through an agent at most {MOST_CLOSED_BY_MODEL} memories an hour may be deleted or merged away, and "
            f"{len(closed)} were; a person can do it now with `{command}`"
        )
        raise CommonplaceError(ErrorCode.TOO_MANY_REQUESTS, why)
