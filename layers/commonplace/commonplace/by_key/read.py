"""`read_memory`: what is remembered under one heading."""

from commonplace.find import most_important
from commonplace.models.memory import DEFAULT_COLLECTION, Memory
from commonplace.models.storage import MemoryEntry, ReadRequest, ReadResult
from commonplace.ports import Caller, Filter, Ports


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
