"""Implement `read_memory`, which returns the memories in a section, and `delete_memory`."""

from commonplace.domain.ids import new_operation_id
from commonplace.domain.memory import DEFAULT_COLLECTION, Memory
from commonplace.domain.storage import DeleteRequest, DeleteResult, MemoryEntry, ReadRequest, ReadResult
from commonplace.memories.transitions import check_model_may_close, closed_by, deleted
from commonplace.ports.bundle import Ports
from commonplace.ports.values import Audit, Caller, Change, Filter, Operation
from commonplace.retrieval.engine import most_important
from commonplace.text.foundation.characters import undisguised
from commonplace.use_cases.named import memory_named


def read_memory(request: ReadRequest, caller: Caller, ports: Ports) -> ReadResult:
    """Return the current memories in a section, most important first, then newest first."""
    wanted = Filter(collection=DEFAULT_COLLECTION, section=request.category)
    result = most_important(caller, ports, wanted, request.limit)
    ports.usage.count(caller.user_id, [memory.memory_id for memory in result.memories], caller.now)
    count = len(result.memories)
    return ReadResult(
        message=f"✓ {count} {'memory' if count == 1 else 'memories'} in {request.category}",
        entries=[MemoryEntry.of(memory) for memory in result.memories],
        count=count,
        markdown=_format_markdown(request.category.replace("_", " "), result.memories),
        notes=result.notes(caller.redacted),
    )


def _format_markdown(heading: str, items: list[Memory]) -> str:
    lines = [f"- {f'**{item.key}**: ' if item.key else ''}{' '.join(undisguised(item.content).split())}" for item in items]
    return "\n".join((f"## {heading.capitalize()}", *(lines or ["Nothing yet."])))


def delete_memory(request: DeleteRequest, caller: Caller, ports: Ports) -> DeleteResult:
    """Close a memory so that searches don't find it and its key becomes free. A model may close only 20 memories per hour."""
    old = memory_named(request, caller, ports)
    check_model_may_close(1, f"commonplace delete {old.memory_id}", caller, ports)
    detail = {"tool": "delete_memory", **closed_by(caller, caller.now)}
    change = Change(deleted(old, caller.now), Audit("delete", caller.now, detail), before=old)
    operation = Operation(new_operation_id(caller.now), caller.user_id, "DELETE", caller.now, closes=(change,))
    ports.operations.apply(operation)
    name = f"{old.section}/{old.key or old.memory_id}"
    return DeleteResult(
        message=f"✓ Memory deleted: {name}; {operation.operation_id} can be undone for 30 days",
        memory_id=old.memory_id,
        operation_id=operation.operation_id,
    )
