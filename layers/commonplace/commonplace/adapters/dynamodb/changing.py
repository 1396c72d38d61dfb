"""A record that is to replace another: checked against what is stored, with what goes or stays along with it."""

from commonplace.adapters.dynamodb.calls import Calls, of_partition
from commonplace.adapters.dynamodb.rows import bytes_of, memory_name, memory_of, used_name, vector_bytes
from commonplace.adapters.dynamodb.table import AUDIT, ITEM
from commonplace.adapters.dynamodb.writes import Change
from commonplace.errors import CommonplaceError, ErrorCode
from commonplace.models.memory import Memory
from commonplace.ports import Audit, Vector


def change_of(calls: Calls, memory: Memory, audit: Audit, vector: Vector | None) -> Change:
    """The change that makes the stored record this one; `NOT_FOUND`, or `CONFLICT` when its version is not one less."""
    item = calls.one(memory.user_id, memory_name(memory.memory_id))
    if item is None:
        raise CommonplaceError(ErrorCode.NOT_FOUND, f"no memory {memory.memory_id}")
    before = memory_of(item)
    if before.version != memory.version - 1:
        raise changed_meanwhile(memory)
    kept = (memory.content, memory.embedding_model) == (before.content, before.embedding_model)
    rows = [used_name(memory.memory_id), *audit_names(calls, memory)] if memory.purge_at != before.purge_at else []
    return Change(memory, bytes_of(item) if kept else vector_bytes(vector), audit, before, tuple(rows))


def audit_names(calls: Calls, memory: Memory) -> list[str]:
    """The sort keys of the audit rows of a memory."""
    condition, values = of_partition(memory.user_id, f"{AUDIT}{memory.memory_id}#")
    pages = calls.pages(condition, values, ConsistentRead=True, ProjectionExpression=f"#{ITEM}")
    return [item[ITEM]["S"] for page in pages for item in page]


def changed_meanwhile(memory: Memory) -> CommonplaceError:
    """Somebody else has written the record since it was read."""
    return CommonplaceError(ErrorCode.CONFLICT, f"{memory.memory_id} was changed meanwhile; read it again")
