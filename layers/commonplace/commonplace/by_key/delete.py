"""`delete_memory`: the memory under a key is closed; what it said can come back for 30 days."""

from commonplace.by_key.keys import held
from commonplace.closing import deleted
from commonplace.ids import new_operation_id
from commonplace.models.storage import DeleteRequest, DeleteResult
from commonplace.ports import Audit, Caller, Change, Operation, Ports


def delete_memory(request: DeleteRequest, caller: Caller, ports: Ports) -> DeleteResult:
    """Closes it: it is no longer found, and its key is free."""
    old = held(request.key, caller, ports)
    change = Change(deleted(old, caller.now), Audit("delete", caller.now, {"tool": "delete_memory"}), before=old)
    operation = Operation(new_operation_id(caller.now), caller.user_id, "DELETE", caller.now, closes=(change,))
    ports.operations.apply(operation)
    return DeleteResult(
        message=f"✓ Memory deleted: {old.section}/{request.key}; {operation.operation_id} can be undone for 30 days",
        memory_id=old.memory_id,
        operation_id=operation.operation_id,
    )
