"""Find the memory that a request identifies by its id, external id or key, and build the errors for unknown names."""

from collections.abc import Sequence
from difflib import get_close_matches

from commonplace.domain.batching import in_batches
from commonplace.domain.errors import CommonplaceError, ErrorCode, invalid, of_type
from commonplace.domain.flaws import gathered
from commonplace.domain.ids import id_or_key, may_be_id
from commonplace.domain.memory import DEFAULT_COLLECTION, Memory
from commonplace.domain.storage import NamedMemory, folded_key, may_be_key
from commonplace.memories.lineage import successors
from commonplace.ports.bundle import Ports
from commonplace.ports.values import Caller
from commonplace.retrieval.record_scan import is_visible, visibility_of

_LONGEST = 128
_ALIASES_AT_ONCE = 100
_NEAREST, _LIKENESS = 5, 0.4
_CLOSED = {"deleted": "was deleted", "archived": "has expired and was replaced", "superseded": "was replaced"}


def naming(name: str, caller: Caller, ports: Ports) -> dict[str, str]:
    """Return the request field for a name that a person entered, which may be an id, a key or an external id."""
    fields = id_or_key(of_type(str, name, "name"))
    if "key" not in fields or not (len(name) <= _LONGEST and name.isprintable()):  # invalid names need no lookup
        return fields
    if not ports.aliases.get(caller.user_id, [name]):
        return fields
    memory = ports.operations.holder(caller.user_id, DEFAULT_COLLECTION, folded_key(name), caller.now)
    return fields if memory else {"memory_id": name}


def check_name(request: NamedMemory) -> None:
    """Raise an error unless the request identifies a memory in exactly one field."""
    if request.memory_id is None and request.key is None:
        raise CommonplaceError(ErrorCode.MISSING_FIELD, "memory_id: is required, or key in its place", "memory_id")
    if request.memory_id is not None and request.key is not None:
        raise invalid("memory_id", "give memory_id or key, not both")


def memory_named(request: NamedMemory, caller: Caller, ports: Ports) -> Memory:
    """Return the memory that a request identifies. `NOT_FOUND` may suggest a replacement, `KEY_NOT_FOUND` similar keys."""
    check_name(request)
    if request.memory_id is not None:
        return memory_with_id(request.memory_id, caller, ports)
    assert request.key is not None
    memory = holder(request.key, caller, ports)
    if memory is None:
        raise unknown_key(request.key, caller, ports)
    return memory


def holder(name: str, caller: Caller, ports: Ports) -> Memory | None:
    """Return the visible memory whose key is `name`, or None."""
    if not may_be_key(name):
        return None
    memory = ports.operations.holder(caller.user_id, DEFAULT_COLLECTION, folded_key(name), caller.now)
    return memory if memory is not None and is_visible(visibility_of(caller), memory) else None


def unknown_key(key: str, caller: Caller, ports: Ports) -> CommonplaceError:
    """Return the error `KEY_NOT_FOUND` with the nearest keys."""
    keys = [other for other in ports.operations.keys(visibility_of(caller), DEFAULT_COLLECTION) if other != key]
    near = get_close_matches(key, keys, _NEAREST, _LIKENESS)
    hint = f"the nearest keys are {', '.join(near)}" if near else "no key is like it"
    return CommonplaceError(ErrorCode.KEY_NOT_FOUND, f"key: no memory has the key {key}; {hint}", "key")


def unknown_id(why: str = "no memory has this id", field: str = "memory_id") -> CommonplaceError:
    """Return the error `NOT_FOUND` for an id that the request gives in `field`."""
    return CommonplaceError(ErrorCode.NOT_FOUND, f"{field}: {why}", field)


def memory_with_id(memory_id: str, caller: Caller, ports: Ports, field: str = "memory_id") -> Memory:
    """Return the memory with an id, external id or key, unless it is closed. Expired memories can be found and extended."""
    with gathered() as flaws:
        memories = ports.records.get(caller.user_id, [memory_id]) if may_be_id(memory_id) else []
    if flaws.unreadable:
        raise unknown_id("this memory is damaged and can't be read; it can only be erased", field)
    memories = memories or behind_alias(memory_id, caller, ports)
    if not memories and (memory := holder(memory_id, caller, ports)) is not None:
        return memory
    visibility = visibility_of(caller, include_expired=True)
    if memories and is_visible(visibility, memories[0]):
        return memories[0]
    later = successors(memories[0], ports.records)[-1:] if memories else []
    if later and later[0].known_as == memory_id and is_visible(visibility, later[0]):
        return later[0]
    closed = bool(memories) and memories[0].status != "active" and memories[0].agent_id in visibility.agents
    raise unknown_id(_explain_closing(memories[0], ports), field) if closed else unknown_id(field=field)


def behind_alias(name: str, caller: Caller, ports: Ports) -> list[Memory]:
    """Return the memory with an external id, or its last successor, in a list. The list is empty if the id is unknown."""
    memories = memories_by_alias([name], caller, ports).values()
    return [(successors(memory, ports.records) or [memory])[-1] for memory in memories]


def memories_by_alias(names: Sequence[str], caller: Caller, ports: Ports) -> dict[str, Memory]:
    """Map external ids to their memories, which may be closed. Unknown ids are left out."""
    ids: dict[str, str] = {}
    for batch in in_batches(names, _ALIASES_AT_ONCE):
        ids |= ports.aliases.get(caller.user_id, batch)
    memories = {memory.memory_id: memory for memory in ports.records.get(caller.user_id, sorted(set(ids.values())))}
    return {name: memories[memory_id] for name, memory_id in ids.items() if memory_id in memories}


def _explain_closing(memory: Memory, ports: Ports) -> str:
    why = f"{memory.memory_id} {_CLOSED[memory.status] if memory.content else 'was erased'}"
    if memory.status != "superseded":
        return why
    later = successors(memory, ports.records)
    if not later:
        return f"{why}, and its replacement is gone"
    last = later[-1]
    return f"{why} by {last.memory_id}" + (f", which {_CLOSED[last.status]}" if last.status != "active" else "; use that id")
