"""Implement `write_memory`, which stores a value under a key, unless the key is taken or the value is known."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from commonplace.domain.errors import CommonplaceError, ErrorCode, invalid
from commonplace.domain.fields import Notes, provenance_fields
from commonplace.domain.ids import new_operation_id
from commonplace.domain.memory import DEFAULT_COLLECTION, Memory
from commonplace.domain.storage import Existing, WriteRequest, WriteResult
from commonplace.domain.taxonomy import Durability, Section
from commonplace.extraction.own_words import has_lines_of_code
from commonplace.memories.comparison import advice_on, alike, find_similar, shortfall
from commonplace.memories.enrich import enrich
from commonplace.memories.ingest import DAILY_FOR, DURABLE_FROM, new_entry
from commonplace.ports.bundle import Ports
from commonplace.ports.values import Caller, Change, Entry, Operation, Similar
from commonplace.retrieval.documents import folded
from commonplace.retrieval.record_scan import is_visible, visibility_of


def entry_of(
    tool: str, key: str | None, value: str, section: Section, durability: Durability, caller: Caller, ports: Ports,
    **extra_fields: Any,
) -> Entry:  # fmt: skip
    """Build a new memory without storing it. `extra_fields` contains additional fields of the record."""
    if has_lines_of_code(value):
        raise invalid("value", "holds code; say in plain words what is worth remembering of it")
    statement = enrich(value, ports.words, ports.embedder, ports.facts.tags(caller.user_id))
    fields = {"key": key, "section": section, "collection": DEFAULT_COLLECTION, "durability": durability, **extra_fields}
    if durability == "daily":
        fields.setdefault("expires_at", caller.now + DAILY_FOR)
    return new_entry(tool, statement, None, caller, ports, fields)


@dataclass(frozen=True)
class _Obstacle:
    why: str
    memories: Sequence[Memory]


def write_memory(request: WriteRequest, caller: Caller, ports: Ports) -> WriteResult:
    """Write a value under its key, or return the existing memories if the key is taken or the value is known."""
    durability: Durability = "daily" if request.confidence < DURABLE_FROM else request.durability
    taken = _find_key_holder(request.key, caller, ports)
    if taken is not None:
        return _build_refusal(request, durability, taken, caller)
    entry = entry_of(
        "write_memory", request.key, request.value, request.category, durability, caller, ports,
        agent_id=caller.agent_id, confidence=request.confidence, **provenance_fields(request.source),
    )  # fmt: skip
    compared = find_similar(entry, ports)
    near = ports.records.get(caller.user_id, [similar.memory_id for similar in alike(compared or ())])
    like = [item for item in near if item.collection == DEFAULT_COLLECTION and is_visible(visibility_of(caller), item)]
    obstacle = _find_same_text(entry.memory, like) or (
        None if request.allow_similar else _find_same_meaning(entry, compared or (), like, ports)
    )
    operation = Operation(
        new_operation_id(caller.now), caller.user_id, "ADD", caller.now, Change(entry.memory, entry.audit, entry.vector)
    )
    obstacle = obstacle or _apply_new(operation, entry.memory, caller, ports)
    if obstacle is not None:
        return _build_refusal(request, durability, obstacle, caller)
    return WriteResult(
        message=_format_written_message(request, durability),
        written=True,
        memory_id=entry.memory.memory_id,
        key=request.key,
        stored_as=durability,
        operation_id=operation.operation_id,
        existing=_list_existing(like),
        notes=call_notes(caller, shortfall(compared, entry.vector)),
    )


def _find_key_holder(key: str, caller: Caller, ports: Ports) -> _Obstacle | None:
    """Return the memory that holds the key as an obstacle, or None. Another agent's memory is not shown."""
    memory = ports.operations.holder(caller.user_id, DEFAULT_COLLECTION, key, caller.now)
    if memory is None:
        return None
    if is_visible(visibility_of(caller), memory):
        return _Obstacle(f"the key {key} is taken", [memory])
    return _Obstacle(f"the key {key} is taken by a memory of another agent; choose another key", [])


def _find_same_text(memory: Memory, memories: Sequence[Memory]) -> _Obstacle | None:
    same = [other for other in memories if folded(other.content) == folded(memory.content)]
    return _Obstacle("this is remembered already", same) if same else None


def _find_same_meaning(entry: Entry, compared: Sequence[Similar], like: Sequence[Memory], ports: Ports) -> _Obstacle | None:
    merges = {merge.memory_id for merge in advice_on(entry, compared, ports)[0]}
    memories = [memory for memory in like if memory.memory_id in merges]
    why = "this is remembered in other words (allow_similar writes it all the same)"
    return _Obstacle(why, memories) if memories else None


def _apply_new(operation: Operation, memory: Memory, caller: Caller, ports: Ports) -> _Obstacle | None:
    """Store the memory. If another memory with the same key or text prevents this, return that memory as an obstacle."""
    try:
        ports.operations.apply(operation)
    except CommonplaceError as error:
        if error.code is not ErrorCode.CONFLICT:
            raise
        visible = [other for other in ports.records.all(caller.user_id) if is_visible(visibility_of(caller), other)]
        inside = [other for other in visible if other.collection == memory.collection]
        obstacle = _find_key_holder(str(memory.key), caller, ports) or _find_same_text(memory, inside)
        if obstacle is None:
            raise
        return obstacle
    return None


def _build_refusal(request: WriteRequest, durability: Durability, obstacle: _Obstacle, caller: Caller) -> WriteResult:
    """Return the result of a write that was not made, with the memories in the way and how to change them."""
    keys = [memory.key for memory in obstacle.memories if memory.key]
    names = [f"the key {key}" for key in keys] or [f"the memory_id {memory.memory_id}" for memory in obstacle.memories]
    changed = f" To change it, call update_memory with {names[0]}." if names else ""
    return WriteResult(
        message=f"✗ Not written: {obstacle.why}.{changed}",
        written=False,
        key=request.key,
        stored_as=durability,
        existing=_list_existing(obstacle.memories),
        notes=call_notes(caller),
    )


def _format_written_message(request: WriteRequest, durability: Durability) -> str:
    message = f"✓ Memory written: {request.category}/{request.key} (confidence: {request.confidence:.1%})"
    if durability == request.durability:
        return message
    return f"{message}. It is kept as a daily note, for 90 days: durable needs a confidence of {DURABLE_FROM:.0%}."


def _list_existing(memories: Sequence[Memory]) -> list[Existing]:
    return [Existing(key=memory.key, value=memory.content, memory_id=memory.memory_id) for memory in memories]


def call_notes(caller: Caller, degraded: str | None = None) -> Notes | None:
    """Return the notes on a write, with the reason for an incomplete comparison and the kinds of secrets removed."""
    return Notes(degraded=degraded, redacted=list(caller.redacted) or None) or None
