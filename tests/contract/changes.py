"""Changes and operations to try on a store: closing, erasing, opening."""

from datetime import timedelta

import pytest

from commonplace.domain.errors import CommonplaceError, ErrorCode
from commonplace.domain.memory import Memory
from commonplace.ports.bundle import Ports
from commonplace.ports.values import Audit, Caller, Change, Fence, Operation
from commonplace.retrieval.record_scan import visibility_of
from tests.conftest import NOON
from tests.contract.conftest import Writer

ANA, BEN = "local|ana", "local|ben"
LATER = NOON + timedelta(days=2)
WORDLESS = {
    "raw_text": "", "normalized_text": "", "tags": (), "concepts": (), "evidence": None, "user_note": None, "key": None,
}  # fmt: skip


def changed(memory: Memory, **fields: object) -> Memory:
    """Its next version."""
    return memory.model_copy(update={"version": memory.version + 1, "updated_at": LATER, **fields})


def closing(memory: Memory, status: str = "superseded", **fields: object) -> Change:
    closed = changed(memory, status=status, valid_to=LATER, **fields)
    return Change(closed, Audit("close", LATER, {"why": "test"}), before=memory)


def erasing(memory: Memory) -> Change:
    audit = Audit("forget", LATER, {"why": "the user wants it"})
    return Change(changed(memory, status="deleted", **WORDLESS), audit, before=memory, erases=True)


def opening(writer: Writer, text: str, user_id: str = ANA, **fields: object) -> Change:
    entry = writer.entry(text, user_id, **fields)
    return Change(entry.memory, entry.audit, entry.vector)


def operation(*closes: Change, opens: Change | None = None, number: int = 1, user_id: str = ANA) -> Operation:
    return Operation(f"op_{number}", user_id, "UPDATE", LATER, opens, closes, "run_1")


def refused(ports: Ports, wanted: Operation, fence: Fence | None = None) -> ErrorCode:
    """The code of an operation that is refused; nothing of it may be there."""
    before = state(ports, wanted.user_id)
    with pytest.raises(CommonplaceError) as caught:
        ports.operations.apply(wanted, fence)
    assert state(ports, wanted.user_id) == before
    assert ports.operations.applied(wanted.user_id, wanted.operation_id) is None
    return caught.value.code


def answer(ports: Ports, wanted: Operation) -> bool | ErrorCode:
    """What applying it gave, or the code of its refusal."""
    try:
        return ports.operations.apply(wanted)
    except CommonplaceError as error:
        return error.code


def state(ports: Ports, user_id: str) -> list[object]:
    """All that an operation may change of a user."""
    memories = list(ports.records.all(user_id))
    audits = [ports.records.audits(user_id, memory.memory_id) for memory in memories]
    return [
        memories,
        audits,
        ports.facts.tags(user_id),
        ports.operations.keys(visibility_of(Caller(user_id, NOON)), "default"),
    ]
