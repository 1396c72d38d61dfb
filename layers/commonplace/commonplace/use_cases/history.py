"""Implement `history`, which returns all values of a key, or the predecessors and successors of a memory."""

from collections.abc import Sequence

from commonplace.domain.interactions import History, HistoryRequest, Step, Value
from commonplace.domain.memory import DEFAULT_COLLECTION, Memory
from commonplace.domain.results import Recommendations
from commonplace.domain.storage import folded_key
from commonplace.memories.lineage import lineage
from commonplace.ports.bundle import Ports
from commonplace.ports.values import COMPARED, Audit, Caller
from commonplace.retrieval.record_scan import visibility_of
from commonplace.use_cases.named import behind_alias, check_name, unknown_id, unknown_key


def history(request: HistoryRequest, caller: Caller, ports: Ports, compares: bool = True) -> History:
    """Return all memories with a key in the default collection, or the lineage of a memory, newest first.

    If `compares` is True, memories that were stored without a comparison are compared now, which needs an index and models.
    The error `KEY_NOT_FOUND` suggests the nearest keys.
    """
    check_name(request)
    agents = visibility_of(caller).agents
    everything = [memory for memory in ports.records.all(caller.user_id) if memory.agent_id in agents]
    name = request.key or str(request.memory_id)
    line = _find_lineage(name, everything, caller, ports) if request.key is None else []
    memories = [memory for memory in line if memory.content]  # erased memories are not shown
    if not line:
        memories = [item for item in everything if item.collection == DEFAULT_COLLECTION and item.key == folded_key(name)]
    if not memories:
        raise unknown_id() if request.key is None else unknown_key(request.key, caller, ports)
    memories.sort(key=lambda memory: (memory.status == "active", memory.created_at, memory.memory_id), reverse=True)
    return History(key=request.key or memories[0].key, values=tuple(_build_value(item, ports, compares) for item in memories))


def _find_lineage(memory_id: str, everything: list[Memory], caller: Caller, ports: Ports) -> list[Memory]:
    """Return the memory with an id or external id, and the memories that contain its earlier and later values."""
    memories = lineage(memory_id, everything)
    return memories or [
        memory for last in behind_alias(memory_id, caller, ports) for memory in lineage(last.memory_id, everything)
    ]


def _build_value(memory: Memory, ports: Ports, compares: bool) -> Value:
    audits = ports.records.audits(memory.user_id, memory.memory_id)
    return Value(
        value=memory.content,
        steps=tuple(Step(operation=audit.operation, at=audit.at) for audit in audits),
        recommendations=_find_recommendations(memory, audits, ports) if compares else None,
        **memory.model_dump(include=set(Value.model_fields)),
    )


def _find_recommendations(memory: Memory, audits: Sequence[Audit], ports: Ports) -> Recommendations | None:
    """Return recommendations for an active memory that was not compared when it was stored, or None."""
    if memory.status != "active" or all(audit.detail.get(COMPARED) is not False for audit in audits):
        return None
    from commonplace.memories.ingest import recommendations_on  # deferred, because most histories don't need it

    return recommendations_on(memory, ports)
