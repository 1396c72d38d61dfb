"""What a key has held: the memory that holds it now and those that held it before."""

from commonplace.by_key.keys import unknown_key
from commonplace.models.memory import DEFAULT_COLLECTION, Memory
from commonplace.models.night import History, Step, Value
from commonplace.ports import Caller, Ports
from commonplace.visibility import seen_by


def history(key: str, caller: Caller, ports: Ports) -> History:
    """Every memory of the caller's agent, or of all, under a key of the default collection, newest first.

    `KEY_NOT_FOUND` tells the nearest keys.
    """
    agents = seen_by(caller).agents
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
