"""What is kept of an operation: enough to take it back, and never a word."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest

from commonplace.bootstrap.local import OpenStore
from commonplace.domain.memory import Memory
from commonplace.memories.vectors import rounded
from commonplace.ports.bundle import Ports
from commonplace.ports.values import AppliedChange, Audit, Caller, Change
from commonplace.retrieval.record_scan import visibility_of
from tests.conftest import NOON
from tests.contract.changes import ANA, LATER, changed, closing, erasing, opening, operation
from tests.contract.conftest import Writer


@pytest.fixture
def ports(opened: OpenStore) -> Ports:
    return opened.ports


def test_what_was_made_is_told_without_a_word_of_it(ports: Ports, writer: Writer) -> None:
    tea = writer.write("Ana likes tea", key="drink", tags=("tea",), evidence="I love tea")
    new = opening(writer, "Ana likes coffee", key="drink")
    assert ports.operations.apply(operation(closing(tea, superseded_by=new.memory.memory_id), opens=new))
    applied = ports.operations.applied(ANA, "op_1")
    assert applied is not None
    assert (applied.kind, applied.at, applied.run_id) == ("UPDATE", LATER, "run_1")
    replaced = {"status": "active", "valid_to": None, "superseded_by": None}
    assert applied.made == (AppliedChange(tea.memory_id, 2, replaced), AppliedChange(new.memory.memory_id, 1, None))
    assert ports.operations.applied(ANA, "op_2") is None


def test_what_is_kept_is_enough_to_take_it_back(ports: Ports, writer: Writer) -> None:
    old = writer.write("Ana likes tea", key="drink", expires_at=LATER + timedelta(days=1), tags=("tea",))
    new = opening(writer, "Ana likes coffee", key="drink")
    close = closing(old, superseded_by=new.memory.memory_id, purge_at=LATER + timedelta(days=30), expires_at=None)
    assert ports.operations.apply(operation(close, opens=new))
    applied = ports.operations.applied(ANA, "op_1")
    assert applied is not None
    assert applied.made[0].before is not None
    back = Memory.model_validate({**changed(close.memory).model_dump(mode="json"), **applied.made[0].before})
    restored = Change(back, Audit("undo", LATER, {}), before=close.memory)
    assert ports.operations.apply(operation(closing(new.memory, "deleted"), opens=restored, number=2))
    (stored,), _ = ports.records.newest(ANA, 5)
    assert stored.memory.model_copy(update={"version": old.version, "updated_at": old.updated_at}) == old
    expected = rounded(ports.embedder.embed("Ana likes tea"))
    assert stored.vector is not None
    assert expected is not None
    assert stored.vector.tolist() == expected.tolist()
    assert ports.facts.tags(ANA) == {"tea": 1}
    assert ports.operations.holder(ANA, "default", "drink", LATER) == stored.memory


def test_what_is_erased_leaves_times_and_ids(ports: Ports, writer: Writer) -> None:
    tea = writer.write("Ana likes tea", key="drink", tags=("tea",), evidence="I love tea")
    ports.records.update(changed(tea, importance=0.9), Audit("change", NOON, {"words": "Ana likes tea"}))
    (tea,) = ports.records.get(ANA, [tea.memory_id])
    audits = ports.records.audits(ANA, tea.memory_id)
    erase = erasing(tea)
    assert ports.operations.apply(operation(erase))
    (left,) = ports.records.get(ANA, [tea.memory_id])
    assert left == erase.memory
    first, second, last = ports.records.audits(ANA, tea.memory_id)
    assert [first, second] == [replace(audit, detail={"erased": True}) for audit in audits]
    assert last == erase.audit
    applied = ports.operations.applied(ANA, "op_1")
    assert applied is not None
    assert applied.made == (AppliedChange(tea.memory_id, 3, {}, erased=True),)
    assert ports.facts.tags(ANA) == {}
    assert ports.operations.keys(visibility_of(Caller(ANA, NOON)), "default") == []
    assert writer.write("Ana likes tea", key="drink").memory_id != tea.memory_id


def test_what_is_erased_goes_out_of_the_counts_and_of_what_operations_replaced(ports: Ports, writer: Writer) -> None:
    tea, milk = writer.write("Ana likes tea", key="drink"), writer.write("Ana likes milk", key="white")
    renamed = Change(changed(tea, key="drinks", importance=0.9), Audit("edit", LATER, {}), before=tea)
    other = Change(changed(milk, key="whiter"), Audit("edit", LATER, {}), before=milk)
    assert ports.operations.apply(operation(other, opens=renamed))
    ports.usage.count(ANA, [tea.memory_id, milk.memory_id], NOON)
    ports.usage.fold(ANA)
    gone = operation(erasing(renamed.memory), number=2)
    assert ports.operations.apply(gone)
    assert not ports.operations.apply(gone)
    applied = ports.operations.applied(ANA, "op_1")
    assert applied is not None
    assert applied.made == (
        AppliedChange(milk.memory_id, 2, {"key": "white"}), AppliedChange(tea.memory_id, 2, {"importance": tea.importance}),
    )  # fmt: skip
    assert [memory.access_count for memory in ports.records.get(ANA, [tea.memory_id, milk.memory_id])] == [0, 1]


@pytest.mark.parametrize("change", [erasing, lambda memory: closing(memory, "deleted", purge_at=LATER + timedelta(days=30))])
def test_memories_of_many_versions_close_like_any(ports: Ports, writer: Writer, change: Callable[[Memory], Change]) -> None:
    sources = [writer.write(text) for text in ("Ana drinks tea", "Ana drinks green tea")]
    for times in range(70):
        sources = [one.model_copy(update={"version": one.version + 1, "importance": times / 100}) for one in sources]
        for one in sources:
            ports.records.update(one, Audit("change", LATER, {"quoted": one.content}))
    assert ports.operations.apply(operation(*map(change, sources)))
    for one in sources:
        told = ports.records.audits(ANA, one.memory_id)
        assert len(told) == 72
        assert (change is erasing) == (one.content not in str(told))
