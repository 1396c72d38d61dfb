"""Turn a statement and its context into a memory. Every function that stores a statement uses this module."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from commonplace.domain.errors import CommonplaceError, ErrorCode, invalid
from commonplace.domain.fields import Notes, Place, is_never
from commonplace.domain.ids import new_memory_id, new_operation_id
from commonplace.domain.memory import Memory, importance_of
from commonplace.domain.results import Merge, Recommendations, SimilarMemory, Update
from commonplace.domain.taxonomy import section_of
from commonplace.memories.comparison import advice_on, as_similar, find_similar, shortfall
from commonplace.memories.enrich import EnrichedStatement
from commonplace.memories.tag_names import own_names
from commonplace.memories.transitions import PURGE_DELAY, are_unchanged, superseded
from commonplace.ports.bundle import Ports
from commonplace.ports.values import COMPARED, Audit, Caller, Change, Entry, Operation

DAILY_FOR = timedelta(days=90)
DURABLE_FROM = 0.7
"""The minimum confidence for storing a statement as durable."""
KNOWN = "this memory was there already; nothing was stored"
"""The warning in a result if the memory was already stored."""
COMPARED_LATER = "similar memories were not looked for; history of this memory lists them"


@dataclass(frozen=True)
class Ingested:
    """The result of storing a memory. `degraded` is the reason that the comparison was incomplete, or None."""

    memory: Memory
    created: bool
    similar: list[SimilarMemory]
    merges: list[Merge]
    updates: list[Update]
    degraded: str | None
    operation_id: str | None = None


def new_entry(
    tool: str, statement: EnrichedStatement, place: Place | None, caller: Caller, ports: Ports, extra: Mapping[str, Any]
) -> Entry:
    """Build a new memory from a statement. The values in `extra` override the derived values."""
    derived = {
        "memory_type": statement.memory_type,
        "category": statement.classification.category,
        "importance": importance_of(statement.classification.level),
        "confidence": round(statement.classification.confidence, 3),
        "tags": statement.tags,
    }
    fields = {
        "raw_text": statement.text,
        "normalized_text": statement.normalized,
        "concepts": statement.concepts,
        **derived,
        **(place.model_dump(exclude_none=True) if place else {}),
        **extra,
    }
    expires = fields.get("expires_at")
    if expires is not None and is_never(expires):
        fields["expires_at"] = None
    elif expires is not None:
        if expires <= caller.now:
            raise invalid("context.expires_at", "is in the past")
        fields |= {"durability": "daily", "purge_at": expires + PURGE_DELAY}
    fields["tags"] = own_names(fields["tags"], caller.user_id, ports)
    fields.setdefault("section", section_of(fields["memory_type"], fields["category"]))
    memory = Memory(
        memory_id=new_memory_id(caller.now),
        user_id=caller.user_id,
        created_at=caller.now,
        updated_at=caller.now,
        embedding_model=ports.embedder.name if statement.vector is not None else None,
        **fields,
    )
    detail = {"tool": tool, "engine": derived, "given": sorted(extra.keys() & derived.keys())}
    return Entry(memory, statement.vector, Audit("store", caller.now, detail))


def ingest(
    entry: Entry,
    ports: Ports,
    old: Sequence[Memory] = (),
    compare: bool = True,
    closed_by: Mapping[str, object] | None = None,
) -> Ingested:
    """Store an entry unless an equal memory exists, and close the memories in `old`. Similar memories are found first.

    The audit rows of all replaced memories except the first contain `closed_by`. If `compare` is False, similar memories are
    not looked up, the entry's audit row notes this, and `recommendations_on` compares the memory on demand.
    """
    if not compare:
        audit = replace(entry.audit, detail={**entry.audit.detail, COMPARED: False})
        entry = replace(entry, audit=audit)
    like = find_similar(entry, ports) if compare else ()
    if old:
        memory, created, operation_id = _swap_old(entry, old, closed_by or {}, ports)
    else:
        ((memory, created),), operation_id = ports.records.add([entry]), None
    gone = {memory.memory_id, *(memory.memory_id for memory in old)}
    compared = [similar for similar in like or () if similar.memory_id not in gone]
    merges, updates = advice_on(entry, compared, ports)
    return Ingested(memory, created, as_similar(compared), merges, updates, shortfall(like, entry.vector), operation_id)


def recommendations_on(memory: Memory, ports: Ports) -> Recommendations | None:
    """Compare a memory that was stored without comparison with older ones. Returns None if the index is unavailable."""
    entry = Entry(memory, ports.embedder.embed(memory.content), Audit("store", memory.created_at, {}))
    like = find_similar(entry, ports)
    if like is None:
        return None
    memories = ports.records.get(memory.user_id, [near.memory_id for near in like if near.memory_id != memory.memory_id])
    before = {older.memory_id for older in memories if older.created_at <= memory.created_at}
    older = [similar for similar in like if similar.memory_id in before]
    return recommended(as_similar(older), *advice_on(entry, older, ports))


def recommended(
    similar: list[SimilarMemory], merges: list[Merge], updates: list[Update], tags: Mapping[str, str] | None = None
) -> Recommendations:
    """Build the recommendations for a stored memory. `tags` maps renamed tags to their new names."""
    return Recommendations(
        similar_memories=[memory.memory_id for memory in similar],
        similar=similar,
        suggested_merges=merges,
        updates=updates,
        tag_consolidations=dict(tags or {}),
    )


def _swap_old(entry: Entry, old: Sequence[Memory], closed_by: Mapping[str, object], ports: Ports) -> tuple[Memory, bool, str]:
    """Replace old memories with the new memory or an equal stored one. Returns it, whether it is new, and the operation."""
    new = entry.memory
    operation = _build_close_operation(old, new.memory_id, closed_by, Change(new, entry.audit, entry.vector), new.created_at)
    try:
        ports.operations.apply(operation)
    except CommonplaceError as error:
        if error.code is not ErrorCode.CONFLICT or not are_unchanged(operation.user_id, old, ports):
            raise
        ((memory, created),) = ports.records.add([entry])
        operation = _build_close_operation(old, memory.memory_id, closed_by, None, new.created_at)
        ports.operations.apply(operation)
        return memory, created, operation.operation_id
    return new, True, operation.operation_id


def _build_close_operation(
    old: Sequence[Memory], by: str, closed_by: Mapping[str, object], opens: Change | None, now: datetime
) -> Operation:
    """Build the operation that closes old memories as superseded by the id `by`, and stores `opens` if it is not None."""
    details: list[dict[str, object]] = [{"by": by}, *({"by": by, **closed_by} for _ in old[1:])]
    closes = tuple(
        Change(superseded(memory, by, now), Audit("supersede", now, detail), before=memory)
        for memory, detail in zip(old, details, strict=True)
    )
    return Operation(new_operation_id(now), old[0].user_id, "UPDATE", now, opens, closes)


def apply_update(operation: Operation, old: Memory, refusal: CommonplaceError, ports: Ports) -> None:
    """Apply an operation that changes `old`. If it conflicts although `old` is unchanged, raise `refusal`."""
    try:
        ports.operations.apply(operation)
    except CommonplaceError as error:
        if error.code is not ErrorCode.CONFLICT or not are_unchanged(operation.user_id, [old], ports):
            raise
        raise refusal from error


def notes(done: Ingested, caller: Caller, report_known: bool = True, warnings: Sequence[str] = ()) -> Notes | None:
    """Return the notes for a tool that stores. If `report_known` is true, a warning says that a memory was already stored."""
    lines = [*warnings] if done.created else [KNOWN] if report_known else []
    return Notes(degraded=done.degraded, redacted=list(caller.redacted) or None, warnings=lines or None) or None
