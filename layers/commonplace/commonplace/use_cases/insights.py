"""Implement `memory_store`, which stores an insight with the caller's own metadata and optionally the caller's own id."""

from typing import Any

from commonplace.domain.errors import CommonplaceError, ErrorCode, invalid
from commonplace.domain.ids import may_be_id, new_operation_id
from commonplace.domain.memory import Memory
from commonplace.domain.requests import StoreInsightRequest
from commonplace.domain.results import InsightMetadata, StoreInsightResult
from commonplace.memories.enrich import enrich, tidy_tags
from commonplace.memories.ingest import Ingested, apply_update, ingest, new_entry, notes
from commonplace.memories.lineage import successors
from commonplace.memories.transitions import corrected, superseded
from commonplace.ports.bundle import Ports
from commonplace.ports.values import Alias, Audit, Caller, Change, Entry, Operation
from commonplace.retrieval.documents import folded
from commonplace.retrieval.record_scan import is_visible, visibility_of
from commonplace.text.redaction import redact
from commonplace.use_cases.named import behind_alias, holder


def store_insight(request: StoreInsightRequest, caller: Caller, ports: Ports) -> StoreInsightResult:
    """Store an insight, or update the one with this id. Raises `NOT_FOUND` for a deleted id, `ERASED` for an erased one."""
    old = _find_current_version(request.id, caller, ports) if request.id is not None else None
    entry = _build_entry(request, old, caller, ports)
    done = ingest(entry, ports) if old is None else _update_memory(entry, old, caller, ports)
    memory = done.memory
    if request.id is not None and old is None:
        ports.aliases.add(caller.user_id, [Alias(request.id, memory.memory_id)])
    return StoreInsightResult(
        id=request.id or memory.public_id,
        collection=memory.collection,
        content=memory.content,
        metadata=InsightMetadata.of(memory),
        notes=notes(done, caller),
    )


def _build_entry(request: StoreInsightRequest, old: Memory | None, caller: Caller, ports: Ports) -> Entry:
    """Build the entry of an insight. An update retains the fields that the request omits."""
    known = request.metadata
    statement = enrich(request.content, ports.words, ports.embedder, ports.facts.tags(caller.user_id))
    fields: dict[str, Any] = {
        "agent_id": caller.agent_id,
        "known_as": request.id if old is None else old.public_id,
        "collection": request.collection,
        "memory_type": known.type,
        "importance": known.importance,
        "confidence": known.confidence,
        "emotion": known.emotion,
        "subject": known.user,
        "tags": tidy_tags(known.tags) or statement.tags,
    }
    if old is not None:
        set_fields = {"subject" if name == "user" else name for name in known.model_fields_set} | request.model_fields_set
        inherited = ("collection", "importance", "confidence", "emotion", "subject")
        fields |= {name: getattr(old, name) for name in inherited if name not in set_fields}
        fields |= {"agent_id": old.agent_id, "key": old.key, "supersedes": old.memory_id}
        is_same = folded(statement.normalized) == folded(old.content)
        fields |= {} if known.tags or not (is_same or _has_own_tags(old, ports)) else {"tags": old.tags}
    return new_entry("memory_store", statement, request.place, caller, ports, fields)


def _has_own_tags(memory: Memory, ports: Ports) -> bool:
    """Return whether the memory's tags come from the caller rather than from the engine."""
    stored = [audit.detail.get("engine") for audit in ports.records.audits(memory.user_id, memory.memory_id)]
    return not any(isinstance(made, dict) and made.get("tags") == list(memory.tags) for made in stored)


def _find_current_version(memory_id: str, caller: Caller, ports: Ports) -> Memory | None:
    """Return the current memory with an id, or None if the id is free. Raises an error if the id can't be used."""
    memories = ports.records.get(caller.user_id, [memory_id]) if may_be_id(memory_id) else []
    line = [memory for current in memories for memory in (current, *successors(current, ports.records))]
    line = line or behind_alias(memory_id, caller, ports)
    if line and is_visible(visibility_of(caller, include_expired=True), line[-1]):
        return line[-1]
    if line:
        raise CommonplaceError(ErrorCode.NOT_FOUND, "id: the memory of this id is closed; take another id", "id")
    if ports.erased.among(caller.user_id, [memory_id]):
        raise CommonplaceError(ErrorCode.ERASED, "id: the memory of this id was erased; take another id", "id")
    if holder(memory_id, caller, ports) is not None:
        raise CommonplaceError(ErrorCode.CONFLICT, "id: is the key of another memory; take another id", "id")
    if redact(memory_id).kinds:
        raise CommonplaceError(ErrorCode.SECRET_ONLY, "id: contains a secret, and secrets are never stored", "id")
    return None


def _update_memory(entry: Entry, old: Memory, caller: Caller, ports: Ports) -> Ingested:
    """Change only the labels if content and collection are unchanged. Otherwise supersede the old memory."""
    new = entry.memory
    if folded(new.content) == folded(old.content) and new.collection == old.collection:
        labels = new.model_dump(include={"memory_type", "importance", "confidence", "emotion", "subject", "tags"})
        opens, closes = corrected(old, caller.now, {"tool": "memory_store"}, **labels), []
    else:
        closed = superseded(old, new.memory_id, caller.now)
        opens = Change(new, entry.audit, entry.vector)
        closes = [Change(closed, Audit("supersede", caller.now, {"by": new.memory_id}), before=old)]
    operation = Operation(new_operation_id(caller.now), caller.user_id, "UPDATE", caller.now, opens, tuple(closes))
    apply_update(operation, old, invalid("content", "another memory says exactly this already"), ports)
    return Ingested(opens.memory, created=True, similar=[], merges=[], updates=[], degraded=None)
