"""Ingestion: a statement and its circumstances become a memory, once; what every way of storing shares."""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from commonplace.domain.errors import CommonplaceError, ErrorCode
from commonplace.domain.fields import Notes, Place
from commonplace.domain.ids import new_memory_id, new_operation_id
from commonplace.domain.memory import GLOBAL_AGENT, Memory, importance_of
from commonplace.domain.results import Merge, SimilarMemory
from commonplace.domain.taxonomy import section_of
from commonplace.memories.enrich import EnrichedStatement
from commonplace.memories.transitions import PURGE_DELAY, superseded
from commonplace.ports.bundle import Ports
from commonplace.ports.record_values import Audit, Change, Entry, Operation, Vector
from commonplace.ports.values import Caller, IndexUnavailable, Similar, Visibility
from commonplace.text.foundation import tokenizer
from commonplace.text.paraphrase.verdict import same_statement

DAILY_FOR = timedelta(days=90)
DURABLE_FROM = 0.7
"""The confidence below which nothing is kept for good."""
KNOWN = "this memory was there already; nothing was stored"
"""The warning of an answer that stored nothing."""
NOT_COMPARED = "the index can't be asked just now; similar memories were not looked for"
_SIMILAR = 8  # by words, and as many by vector
_SHOWN = 5
_LEAST_COSINE = 0.4  # below it two texts share a word ("I'm", "every") and not a matter
_log = logging.getLogger("commonplace")


@dataclass(frozen=True)
class Ingested:
    """The result: the memory, whether it is new, and similar ones. `degraded`: similar ones could not be looked up."""

    memory: Memory
    created: bool
    similar: list[SimilarMemory]
    merges: list[Merge]
    degraded: bool
    operation_id: str | None = None


def new_entry(
    tool: str, statement: EnrichedStatement, place: Place | None, caller: Caller, ports: Ports, given: Mapping[str, Any]
) -> Entry:
    """A new memory of a statement. `given`: record fields that the caller decided; they override what rules derived."""
    thought = {
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
        **thought,
        **(place.model_dump(exclude_none=True) if place else {}),
        **given,
    }
    expires = fields.get("expires_at")
    if expires is not None:
        if expires <= caller.now:
            raise CommonplaceError(ErrorCode.INVALID_ARGUMENT, "context.expires_at: is over already", "context.expires_at")
        fields |= {"durability": "daily", "purge_at": expires + PURGE_DELAY}
    fields.setdefault("section", section_of(fields["memory_type"], fields["category"]))
    vector = embedded(statement, ports)
    memory = Memory(
        memory_id=new_memory_id(caller.now),
        user_id=caller.user_id,
        created_at=caller.now,
        updated_at=caller.now,
        embedding_model=ports.embedder.name if vector is not None else None,
        **fields,
    )
    detail = {"tool": tool, "engine": thought, "given": sorted(given.keys() & thought.keys())}
    return Entry(memory, vector, Audit("store", caller.now, detail))


def embedded(statement: EnrichedStatement, ports: Ports) -> Vector | None:
    """The vector that the index gets of a statement; enrichment has made it if the embedder is the static model."""
    return statement.vector if ports.embedder is ports.words else ports.embedder.embed(statement.text)


def ingest(entry: Entry, ports: Ports, old: Sequence[Memory] = ()) -> Ingested:
    """Stores an entry unless it is there already, and looks up similar memories first. `old`: whose place it takes."""
    like = find_similar(entry, ports)
    if old:
        operation = _replacing(entry, old)
        _apply(operation, old, ports)
        memory, created, operation_id = entry.memory, True, operation.operation_id
    else:
        ((memory, created),), operation_id = ports.records.add([entry]), None
    gone = {memory.memory_id, *(one.memory_id for one in old)}
    others = [one for one in like or () if one.memory_id not in gone]
    return Ingested(
        memory, created, _told(others), merges_of(entry.memory, others), degraded=like is None, operation_id=operation_id
    )


def _replacing(entry: Entry, old: Sequence[Memory]) -> Operation:
    new, now = entry.memory, entry.memory.created_at
    audit = Audit("supersede", now, {"by": new.memory_id})
    closes = tuple(Change(superseded(one, new.memory_id, now), audit, before=one) for one in old)
    return Operation(new_operation_id(now), new.user_id, "UPDATE", now, Change(new, entry.audit, entry.vector), closes)


def _apply(operation: Operation, old: Sequence[Memory], ports: Ports) -> None:
    """Applies it; a conflict over unchanged memories means that yet another one says the same."""
    try:
        ports.operations.apply(operation)
    except CommonplaceError as error:
        current = ports.records.get(operation.user_id, [one.memory_id for one in old])
        unchanged = {(one.memory_id, one.version) for one in current} == {(one.memory_id, one.version) for one in old}
        if error.code is not ErrorCode.CONFLICT or not unchanged:
            raise
        why = "content: another memory says exactly this already"
        raise CommonplaceError(ErrorCode.INVALID_ARGUMENT, why, "content") from error


def alike(others: Sequence[Similar]) -> list[Similar]:
    """Those that speak of the same matter, the first five."""
    return [one for one in others if one.cosine is None or one.cosine >= _LEAST_COSINE][:_SHOWN]


def _told(others: Sequence[Similar]) -> list[SimilarMemory]:
    """The similar memories as an answer tells them."""
    return [
        SimilarMemory(
            memory_id=one.memory_id,
            content=one.content,
            similarity=None if one.cosine is None else round(min(max(one.cosine, 0.0), 1.0), 3),
        )
        for one in alike(others)
    ]


def find_similar(entry: Entry, ports: Ports) -> Sequence[Similar] | None:
    """Similar memories, nearest first; None when the index is unavailable: no store waits for advice."""
    memory = entry.memory
    seen = Visibility(memory.user_id, tuple({GLOBAL_AGENT, memory.agent_id}), memory.created_at)
    try:
        found = ports.index.similar(seen, tokenizer.terms(memory.content), entry.vector, _SIMILAR)
    except IndexUnavailable as error:
        _log.warning("index unavailable: %s", error)
        return None
    return found


def merges_of(memory: Memory, others: Sequence[Similar]) -> list[Merge]:
    """Suggests merges with those of the others that say the same in other words, and why."""
    reasons = ((other.memory_id, same_statement(memory.content, other.content)) for other in others)
    return [Merge(memory_id=memory_id, why=why) for memory_id, why in reasons if why is not None]


def notes(done: Ingested, caller: Caller, tell_known: bool = True, warnings: Sequence[str] = ()) -> Notes | None:
    """The notes of a storing tool's answer. `tell_known`: also that nothing new was stored; `warnings` if something was."""
    told = [*warnings] if done.created else [KNOWN] if tell_known else []
    found = Notes(
        degraded=NOT_COMPARED if done.degraded else None,
        redacted=list(caller.redacted) or None,
        warnings=told or None,
    )
    return found or None
