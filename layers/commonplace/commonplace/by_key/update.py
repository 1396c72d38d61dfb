"""`update_memory`: a new value takes a key; the old one is closed and kept."""

from commonplace.by_key.entry import entry_of
from commonplace.by_key.keys import held
from commonplace.closing import superseded
from commonplace.errors import CommonplaceError, ErrorCode
from commonplace.ids import new_operation_id
from commonplace.models.fields import Notes
from commonplace.models.memory import Memory
from commonplace.models.storage import UpdateRequest, UpdateResult
from commonplace.ports import Audit, Caller, Change, Operation, Ports


def update_memory(request: UpdateRequest, caller: Caller, ports: Ports) -> UpdateResult:
    """Closes the memory under the key and opens the new value in its place, in one operation."""
    old = held(request.key, caller, ports)
    section = request.category or old.section
    entry = entry_of(
        "update_memory", request.key, request.value, section, old.durability, caller, ports,
        agent_id=old.agent_id, confidence=1.0, supersedes=old.memory_id,
    )  # fmt: skip
    new = entry.memory
    closed = superseded(old, new.memory_id, caller.now)
    operation = Operation(
        operation_id=new_operation_id(caller.now),
        user_id=caller.user_id,
        kind="UPDATE",
        at=caller.now,
        opens=Change(new, entry.audit, entry.vector),
        closes=(Change(closed, Audit("supersede", caller.now, {"by": new.memory_id}), before=old),),
    )
    _apply(operation, old, caller, ports)
    return UpdateResult(
        message=f"✓ Memory updated: {section}/{request.key}; the old value is kept as {old.memory_id}",
        memory_id=new.memory_id,
        previous_id=old.memory_id,
        operation_id=operation.operation_id,
        notes=Notes(redacted=list(caller.redacted) or None) or None,
    )


def _apply(operation: Operation, old: Memory, caller: Caller, ports: Ports) -> None:
    """A conflict over a memory that is still as it was read is one over the new text: another memory has it."""
    try:
        ports.operations.apply(operation)
    except CommonplaceError as error:
        current = ports.records.get(caller.user_id, [old.memory_id])
        if error.code is not ErrorCode.CONFLICT or [memory.version for memory in current] != [old.version]:
            raise
        raise CommonplaceError(
            ErrorCode.INVALID_ARGUMENT, "value: another memory says exactly this already", "value"
        ) from error
