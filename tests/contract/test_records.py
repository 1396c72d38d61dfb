"""The laws of the record store."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import numpy as np
import pytest

from commonplace.domain.errors import CommonplaceError, ErrorCode
from commonplace.indexing.rebuild import EmbeddingRenewal
from commonplace.memories.vectors import rounded
from commonplace.ports.bundle import Ports
from commonplace.ports.values import Audit
from tests.conftest import NOON
from tests.contract.conftest import Writer

LATER = NOON + timedelta(days=2)
CLOSE = Audit("delete", LATER, {"why": "test"})


def test_what_is_written_is_read_back_whole(ports: Ports, writer: Writer) -> None:
    entry = writer.entry("Ana likes tea", tags=("tea",), key="drink", event_time=NOON, session_id="s", position=3)
    ((stored, created),) = ports.records.add([entry])
    assert created
    assert stored == entry.memory
    assert ports.records.get("local|ana", [stored.memory_id]) == [stored]


def test_the_same_memory_again_is_the_same_memory(ports: Ports, writer: Writer) -> None:
    first = writer.write("Ana likes  TEA")
    ((again, created),) = ports.records.add([writer.entry("ana likes tea")])
    assert not created
    assert again == first
    assert [memory.memory_id for memory in ports.records.all("local|ana")] == [first.memory_id]


@pytest.mark.parametrize(
    "different",
    [{"collection": "work"}, {"agent_id": "travel"}, {"session_id": "s1", "position": 1}, {"user_id": "local|ben"}],
)
def test_collection_agent_place_and_owner_make_another_memory(writer: Writer, different: dict[str, str]) -> None:
    first = writer.write("Ana likes tea")
    second = writer.write("Ana likes tea", **different)
    assert first.memory_id != second.memory_id


def test_the_same_twice_in_one_batch_is_stored_once(ports: Ports, writer: Writer) -> None:
    results = ports.records.add([writer.entry("tea"), writer.entry("tea")])
    assert [created for _, created in results] == [True, False]


def test_asked_ten_times_at_once_one_is_stored(ports: Ports, writer: Writer) -> None:
    entries = [writer.entry("Ana likes tea") for _ in range(10)]
    with ThreadPoolExecutor(10) as pool:
        results = list(pool.map(lambda entry: ports.records.add([entry])[0], entries))
    assert sum(created for _, created in results) == 1
    assert len({memory.memory_id for memory, _ in results}) == 1


def test_after_its_expiry_it_is_a_new_memory(ports: Ports, writer: Writer) -> None:
    first = writer.write("voucher", expires_at=NOON + timedelta(hours=1))
    entry = writer.entry("voucher")
    later = entry.memory.model_copy(update={"created_at": LATER})
    ((second, created),) = ports.records.add([type(entry)(later, entry.vector, entry.audit)])
    assert created
    assert second.memory_id != first.memory_id
    (closed,) = ports.records.get("local|ana", [first.memory_id])
    assert closed.status == "archived"
    assert [audit.operation for audit in ports.records.audits("local|ana", first.memory_id)] == ["store", "archive"]


def test_after_its_deletion_it_is_a_new_memory(ports: Ports, writer: Writer) -> None:
    first = writer.write("Ana likes tea")
    ports.records.update(first.model_copy(update={"status": "deleted", "version": 2}), CLOSE)
    assert writer.write("Ana likes tea").memory_id != first.memory_id


def test_closed_records_are_added_as_they_are_beside_an_active_one(ports: Ports, writer: Writer) -> None:
    active = writer.write("Ana likes tea", key="drink", tags=("tea",))
    closed = [
        writer.entry("Ana likes tea", key="drink", tags=("tea",), status=status, version=4, superseded_by=active.memory_id)
        for status in ("superseded", "deleted", "archived")
    ]
    assert ports.records.add(closed) == [(entry.memory, True) for entry in closed]
    ids = [active.memory_id, *(entry.memory.memory_id for entry in closed)]
    assert [memory.memory_id for memory in ports.records.all("local|ana")] == ids
    assert ports.facts.tags("local|ana") == {"tea": 1}
    again = closed[0].memory.model_copy(update={"version": 5, "importance": 0.9})
    assert ports.records.update(again, CLOSE) == again
    assert [audit.operation for audit in ports.records.audits("local|ana", again.memory_id)] == ["store", "delete"]


def test_an_update_of_another_version_is_a_conflict(ports: Ports, writer: Writer) -> None:
    first = writer.write("Ana likes tea")
    ports.records.update(first.model_copy(update={"importance": 0.9, "version": 2}), CLOSE)
    with pytest.raises(CommonplaceError) as caught:
        ports.records.update(first.model_copy(update={"importance": 0.1, "version": 2}), CLOSE)
    assert caught.value.code is ErrorCode.CONFLICT
    assert ports.records.get("local|ana", [first.memory_id])[0].importance == 0.9


def test_an_update_of_somebody_elses_memory_finds_nothing(ports: Ports, writer: Writer) -> None:
    first = writer.write("Ana likes tea")
    with pytest.raises(CommonplaceError) as caught:
        ports.records.update(first.model_copy(update={"user_id": "local|ben", "version": 2}), CLOSE)
    assert caught.value.code is ErrorCode.NOT_FOUND


def test_each_change_leaves_an_audit_row(ports: Ports, writer: Writer) -> None:
    first = writer.write("Ana likes tea")
    ports.records.update(first.model_copy(update={"importance": 0.9, "version": 2}), CLOSE)
    audits = ports.records.audits("local|ana", first.memory_id)
    assert [audit.operation for audit in audits] == ["store", "delete"]
    assert audits[1].detail == {"why": "test"}
    assert ports.records.audits("local|ben", first.memory_id) == []


def test_get_gives_only_the_users_own_in_the_order_asked(ports: Ports, writer: Writer) -> None:
    one, two = writer.write("one"), writer.write("two")
    other = writer.write("three", user_id="local|ben")
    ids = [two.memory_id, other.memory_id, "mem_unknown", one.memory_id]
    assert [memory.raw_text for memory in ports.records.get("local|ana", ids)] == ["two", "one"]


def test_stored_gives_the_same_with_their_vectors(ports: Ports, writer: Writer) -> None:
    one, two = writer.write("tea with milk"), writer.write("मुझे चाय पसंद है")
    other = writer.write("coffee", user_id="local|ben")
    ports.usage.count("local|ana", [one.memory_id], NOON)
    ports.usage.fold("local|ana")
    ids = [two.memory_id, other.memory_id, "mem_unknown", one.memory_id]
    found = ports.records.stored("local|ana", ids)
    assert [each.memory for each in found] == ports.records.get("local|ana", ids)
    vector = rounded(ports.embedder.embed("tea with milk"))
    assert vector is not None
    assert [None if each.vector is None else each.vector.tolist() for each in found] == [None, vector.tolist()]
    assert ports.records.stored("local|ana", []) == []


def test_a_vector_is_read_back_as_the_float16_that_was_stored(ports: Ports, writer: Writer) -> None:
    entries = [writer.entry(f"Ana drinks tea number {number}") for number in range(20)]
    ports.records.add(entries)
    stored = ports.records.stored("local|ana", [entry.memory.memory_id for entry in entries])
    for entry, record in zip(entries, stored, strict=True):
        assert entry.vector is not None
        assert record.vector is not None
        assert record.vector.dtype == np.float32
        assert record.vector.astype(np.float16).tolist() == entry.vector.astype(np.float16).tolist()
        assert record.vector.tolist() == rounded(entry.vector).tolist()  # type: ignore[union-attr]


def test_a_memory_that_is_embedded_again_goes_to_the_index_as_its_record(ports: Ports, writer: Writer) -> None:
    memory = writer.write("Ana drinks green tea", embedding_model="another")
    renewal = EmbeddingRenewal(ports.records, ports.embedder, lambda: LATER)
    (renewed,) = renewal.renewed(ports.records.stored("local|ana", [memory.memory_id]))
    (kept,) = ports.records.stored("local|ana", [memory.memory_id])
    assert renewed.memory == kept.memory
    assert renewed.vector is not None
    assert kept.vector is not None
    assert renewed.vector.tolist() == kept.vector.tolist()


def test_a_batch_is_stored_whole_or_not_at_all(ports: Ports, writer: Writer) -> None:
    broken = writer.entry("broken")
    broken = type(broken)(broken.memory, broken.vector, Audit("store", NOON, {"not json": object()}))
    with pytest.raises(TypeError):
        ports.records.add([writer.entry("fine"), broken])
    assert list(ports.records.all("local|ana")) == []


def test_all_gives_hundreds_oldest_first(ports: Ports, writer: Writer) -> None:
    ports.records.add([writer.entry(f"memory {number}") for number in range(520)])
    texts = [memory.raw_text for memory in ports.records.all("local|ana")]
    assert texts == [f"memory {number}" for number in range(520)]


def test_a_change_into_a_memory_that_is_there_is_a_conflict(ports: Ports, writer: Writer) -> None:
    tea, coffee = writer.write("tea"), writer.write("coffee")
    same = coffee.model_copy(update={"raw_text": "Tea", "version": 2})
    with pytest.raises(CommonplaceError) as caught:
        ports.records.update(same, CLOSE)
    assert caught.value.code is ErrorCode.CONFLICT
    assert tea.memory_id in caught.value.message
    assert ports.records.get("local|ana", [coffee.memory_id]) == [coffee]
    closed = same.model_copy(update={"status": "deleted"})
    assert ports.records.update(closed, CLOSE) == closed


def test_a_change_into_an_expired_memory_takes_its_place(ports: Ports, writer: Writer) -> None:
    voucher, coffee = writer.write("voucher", expires_at=NOON + timedelta(hours=1)), writer.write("coffee")
    changed = coffee.model_copy(update={"raw_text": "voucher", "version": 2, "updated_at": LATER})
    ports.records.update(changed, CLOSE)
    assert [memory.status for memory in ports.records.all("local|ana")] == ["archived", "active"]
    assert [audit.operation for audit in ports.records.audits("local|ana", voucher.memory_id)] == ["store", "archive"]


def test_the_vector_stays_while_content_and_model_do(ports: Ports, writer: Writer) -> None:
    memory = writer.write("tea with milk")
    first, second = (rounded(ports.embedder.embed(f"{drink} with milk")) for drink in ("tea", "coffee"))
    assert first is not None
    assert second is not None
    changes: list[tuple[dict[str, object], list[float] | None]] = [
        ({"importance": 0.9}, first.tolist()),
        ({"raw_text": "coffee with milk"}, second.tolist()),
        ({"importance": 0.1}, second.tolist()),
        ({"embedding_model": "another"}, second.tolist()),
        ({"raw_text": "寿司が好き", "embedding_model": None}, None),
    ]
    for version, (fields, expected) in enumerate(changes, 2):
        memory = memory.model_copy(update={"version": version, **fields})
        ports.records.update(memory, CLOSE, None if expected is None else second)
        ((stored,), whole) = ports.records.newest("local|ana", 5)
        assert (stored.memory, whole) == (memory, True)
        assert (None if stored.vector is None else stored.vector.tolist()) == expected


def test_the_newest_are_the_active_ones_newest_first(ports: Ports, writer: Writer) -> None:
    memories = [writer.write(f"memory {number}") for number in range(6)]
    writer.write("elsewhere", user_id="local|ben")
    ports.records.update(memories[4].model_copy(update={"status": "deleted", "version": 2}), CLOSE)
    found, whole = ports.records.newest("local|ana", 3)
    assert [stored.memory for stored in found] == [memories[5], memories[3], memories[2]]
    assert not whole
    assert ports.records.newest("local|ana", 5)[1]
    assert ports.records.newest("local|nobody", 5) == ([], True)
