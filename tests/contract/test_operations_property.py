"""Any sequence of operations, right and wrong ones, against a model of a few lines: whole, or not there."""

import itertools
from datetime import timedelta

from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from commonplace.bootstrap.local import OpenStore
from commonplace.domain.errors import ErrorCode
from commonplace.domain.memory import Memory
from commonplace.ports.values import Audit, Caller, Change, Operation
from commonplace.retrieval.record_scan import visibility_of
from tests.conftest import NOON
from tests.contract.changes import answer
from tests.contract.conftest import Writer
from tests.examples import examples

TEXTS, KEYS = st.sampled_from(["tea", "coffee", "milk"]), st.sampled_from([None, "drink", "food"])
WANTED = st.tuples(
    st.lists(st.tuples(st.integers(0, 5), st.booleans()), max_size=3, unique_by=lambda close: close[0]),  # which, stale
    st.none() | st.tuples(TEXTS, KEYS),
    st.integers(0, 9),  # its number: one that comes again was applied before
)
USERS = itertools.count()
Memories = dict[str, Memory]


def wanted_of(writer: Writer, there: Memories, user: str, drawn: tuple[object, ...]) -> tuple[Operation, bool]:
    """An operation on what is there, and whether what it closes was read before somebody else changed it."""
    closes, opens, number = drawn
    memories, changes, stale = list(there.values()), [], False
    for place, is_stale in closes:  # type: ignore[attr-defined]
        if place < len(memories):
            old = memories[place].model_copy(update={"version": memories[place].version + is_stale})
            closed = old.model_copy(update={"status": "deleted", "version": old.version + 1})
            changes.append(Change(closed, Audit("close", NOON, {}), before=old))
            stale |= is_stale
    opened = None
    if opens is not None:
        entry = writer.entry(opens[0], user, key=opens[1])  # type: ignore[index]
        opened = Change(entry.memory, entry.audit, entry.vector)
    return Operation(f"op_{number}", user, "UPDATE", NOON + timedelta(days=1), opened, tuple(changes)), stale


def after(there: Memories, operation: Operation) -> Memories | None:
    """What is there after it; None if what it opens is in the way of something that it doesn't close."""
    left = there | {change.memory.memory_id: change.memory for change in operation.closes}
    if operation.opens is None:
        return left
    new = operation.opens.memory
    for other in left.values():
        if other.status == "active" and (other.raw_text == new.raw_text or (new.key is not None and other.key == new.key)):
            return None
    return left | {new.memory_id: new}


@examples(40, HealthCheck.function_scoped_fixture)
@given(all_drawn=st.lists(WANTED, max_size=8))
def test_each_operation_is_whole_or_not_there(opened: OpenStore, all_drawn: list[tuple[object, ...]]) -> None:
    user, there, done, ports = f"local|user{next(USERS)}", Memories(), set[str](), opened.ports
    writer = Writer(ports)
    for drawn in all_drawn:
        operation, stale = wanted_of(writer, there, user, drawn)
        then = None if stale else after(there, operation)
        known = operation.operation_id in done
        answered = answer(ports, operation)
        assert answered == (False if known else ErrorCode.CONFLICT if then is None else True)
        if answered is True and then is not None:
            there = then
            done.add(operation.operation_id)
        assert {memory.memory_id: memory for memory in ports.records.all(user)} == there
        active = {memory.key for memory in there.values() if memory.status == "active" and memory.key is not None}
        assert ports.operations.keys(visibility_of(Caller(user, NOON)), "default") == sorted(active)
    for memory in there.values():
        assert len(ports.records.audits(user, memory.memory_id)) == memory.version
    for number in range(10):
        assert (ports.operations.applied(user, f"op_{number}") is not None) == (f"op_{number}" in done)
