"""`read_memory`, `delete_memory` and the history of a key: what a heading or a key holds, and has held."""

from difflib import get_close_matches

from commonplace.domain.errors import CommonplaceError, ErrorCode
from commonplace.domain.ids import new_operation_id
from commonplace.domain.interactions import History, Step, Value
from commonplace.domain.memory import DEFAULT_COLLECTION, Memory
from commonplace.domain.storage import DeleteRequest, DeleteResult, MemoryEntry, ReadRequest, ReadResult
from commonplace.memories.transitions import deleted
from commonplace.ports.bundle import Ports
from commonplace.ports.record_values import Audit, Change, Operation
from commonplace.ports.values import Caller, Filter
from commonplace.retrieval.engine import most_important
from commonplace.retrieval.record_scan import is_visible, visibility_of

_NEAREST, _LIKENESS = 5, 0.4


def memory_under_key(key: str, caller: Caller, ports: Ports) -> Memory:
    """The current memory that holds the key; `KEY_NOT_FOUND` lists the nearest keys."""
    memory = ports.operations.holder(caller.user_id, DEFAULT_COLLECTION, key, caller.now)
    if memory is not None and is_visible(visibility_of(caller), memory):
        return memory
    raise unknown_key(key, caller, ports)


def unknown_key(key: str, caller: Caller, ports: Ports) -> CommonplaceError:
    """The error `KEY_NOT_FOUND` with the nearest keys."""
    others = [other for other in ports.operations.keys(visibility_of(caller), DEFAULT_COLLECTION) if other != key]
    near = get_close_matches(key, others, _NEAREST, _LIKENESS)
    hint = f"the nearest keys are {', '.join(near)}" if near else "no key is like it"
    return CommonplaceError(ErrorCode.KEY_NOT_FOUND, f"key: no memory has the key {key}; {hint}", "key")


def read_memory(request: ReadRequest, caller: Caller, ports: Ports) -> ReadResult:
    """The current memories of a section, the most important first, then the newest."""
    wanted = Filter(collection=DEFAULT_COLLECTION, section=request.category)
    found = most_important(caller, ports, wanted, request.limit)
    ports.usage.found(caller.user_id, [memory.memory_id for memory in found.memories], caller.now)
    count = len(found.memories)
    return ReadResult(
        message=f"✓ {count} {'memory' if count == 1 else 'memories'} in {request.category}",
        entries=[_entry(memory) for memory in found.memories],
        count=count,
        markdown=_markdown(request.category.replace("_", " "), found.memories),
        notes=found.notes(caller.redacted),
    )


def _entry(memory: Memory) -> MemoryEntry:
    return MemoryEntry(
        key=memory.key,
        memory_id=memory.memory_id,
        value=memory.content,
        section=memory.section,
        durability=memory.durability,
        confidence=memory.confidence,
        updated_at=memory.updated_at,
    )


def _markdown(heading: str, memories: list[Memory]) -> str:
    lines = [f"- {f'**{memory.key}**: ' if memory.key else ''}{' '.join(memory.content.split())}" for memory in memories]
    return "\n".join((f"## {heading.capitalize()}", *(lines or ["Nothing yet."])))


def delete_memory(request: DeleteRequest, caller: Caller, ports: Ports) -> DeleteResult:
    """Closes the memory under a key: it is no longer found, and the key is free."""
    old = memory_under_key(request.key, caller, ports)
    change = Change(deleted(old, caller.now), Audit("delete", caller.now, {"tool": "delete_memory"}), before=old)
    operation = Operation(new_operation_id(caller.now), caller.user_id, "DELETE", caller.now, closes=(change,))
    ports.operations.apply(operation)
    return DeleteResult(
        message=f"✓ Memory deleted: {old.section}/{request.key}; {operation.operation_id} can be undone for 30 days",
        memory_id=old.memory_id,
        operation_id=operation.operation_id,
    )


def history(key: str, caller: Caller, ports: Ports) -> History:
    """Every memory that a key of the default collection has held, of the caller's agent or of all, newest first.

    `KEY_NOT_FOUND` tells the nearest keys.
    """
    agents = visibility_of(caller).agents
    whole = (one for one in ports.records.all(caller.user_id) if one.collection == DEFAULT_COLLECTION)
    held = [one for one in whole if one.key == key and one.agent_id in agents]
    if not held:
        raise unknown_key(key, caller, ports)
    held.sort(key=lambda memory: (memory.status == "active", memory.created_at, memory.memory_id), reverse=True)
    return History(key=key, values=tuple(_value(memory, ports) for memory in held))


def _value(memory: Memory, ports: Ports) -> Value:
    audits = ports.records.audits(memory.user_id, memory.memory_id)
    return Value(
        memory_id=memory.memory_id,
        value=memory.content,
        status=memory.status,
        created_at=memory.created_at,
        valid_to=memory.valid_to,
        superseded_by=memory.superseded_by,
        evidence=memory.evidence,
        session_id=memory.session_id,
        steps=tuple(Step(operation=audit.operation, at=audit.at) for audit in audits),
    )
