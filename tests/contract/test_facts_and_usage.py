"""What is known of a user as a whole, and the counting of what was found."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest

from commonplace.adapters import record_scan
from commonplace.domain.requests import DiscoverRequest
from commonplace.ports.bundle import Ports
from commonplace.ports.values import Audit, Caller
from commonplace.use_cases.discover import discover_tools
from tests.conftest import NOON
from tests.contract.conftest import Writer


def test_tags_are_counted_over_active_memories(ports: Ports, writer: Writer) -> None:
    writer.write("one", tags=("tea", "green"))
    second = writer.write("two", tags=("tea",))
    writer.write("three", user_id="local|ben", tags=("tea",))
    assert ports.facts.tags("local|ana") == {"tea": 2, "green": 1}
    ports.records.update(second.model_copy(update={"status": "deleted", "version": 2}), Audit("delete", NOON, {}))
    assert ports.facts.tags("local|ana") == {"tea": 1, "green": 1}
    assert ports.facts.tags("local|nobody") == {}


def test_the_state_is_measured(ports: Ports, writer: Writer) -> None:
    writer.write("The user likes tea", tags=("tea", "drink"))
    writer.write("मुझे चाय पसंद है", tags=("tea",))
    writer.write("voucher", expires_at=NOON + timedelta(minutes=1))
    writer.write("a note of the day", durability="daily", expires_at=NOON + timedelta(minutes=1))
    writer.write("of another time", embedding_model="older")
    state = ports.facts.statistics("local|ana", NOON + timedelta(hours=1), ports.embedder.name)
    assert (state.active, state.expired, state.without_vector, state.other_embedding) == (3, 1, 1, 1)
    assert (state.unused, state.tags, state.single_tags) == (3, 2, 1)


def test_a_state_counted_over_the_newest_only_says_so(ports: Ports, writer: Writer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(record_scan, "NEWEST", 2)
    for text in ("tea", "milk", "sugar"):
        writer.write(text)
    told = discover_tools(DiscoverRequest(), Caller("local|ana", NOON + timedelta(hours=1)), ports)
    counted = told.current_system_state.total_memories
    assert (counted, told.notes and told.notes.partial) in ((3, None), (2, "only the newest 2 memories were counted"))


def test_each_finding_is_counted(ports: Ports, writer: Writer) -> None:
    memory = writer.write("tea")
    ports.usage.count("local|ana", [memory.memory_id], NOON)
    ports.usage.count("local|ana", [memory.memory_id], NOON + timedelta(hours=1))
    ports.usage.fold("local|ana")
    (read,) = ports.records.get("local|ana", [memory.memory_id])
    assert read.access_count == 2
    assert read.last_accessed == NOON + timedelta(hours=1)
    assert read.version == 1


def test_a_memory_that_comes_with_a_count_is_counted_on_from_there(ports: Ports, writer: Writer) -> None:
    one = writer.write("Ana drinks tea", access_count=7, last_accessed=NOON)
    ports.usage.count(one.user_id, [one.memory_id], NOON + timedelta(days=1))
    ports.usage.fold(one.user_id)
    (found,) = ports.records.get(one.user_id, [one.memory_id])
    assert (found.access_count, found.last_accessed) == (8, NOON + timedelta(days=1))


def test_what_was_found_is_no_longer_unused(ports: Ports, writer: Writer) -> None:
    over = writer.write("voucher", expires_at=NOON + timedelta(minutes=1))
    kept = [writer.write(text) for text in ("tea", "coffee", "milk", "water")]
    gone = writer.write("juice")
    others = writer.write("tea", user_id="local|ben")

    def unused(user_id: str) -> int:
        return ports.facts.statistics(user_id, NOON + timedelta(hours=1), ports.embedder.name).unused

    assert unused("local|ana") == 5
    for left, memory in zip((4, 3, 2, 1), kept, strict=True):
        ports.usage.count("local|ana", [over.memory_id, memory.memory_id], NOON)
        ports.usage.fold("local|ana")
        assert unused("local|ana") == left
    assert unused("local|ben") == 1
    ports.usage.count("local|ana", [gone.memory_id], NOON)
    ports.usage.fold("local|ana")
    ports.records.update(gone.model_copy(update={"status": "deleted", "version": 2}), Audit("delete", NOON, {}))
    assert unused("local|ana") == 0
    ports.usage.count("local|ben", [others.memory_id], NOON)
    ports.usage.fold("local|ben")
    assert unused("local|ben") == 0


def test_ten_at_once_lose_no_count(ports: Ports, writer: Writer) -> None:
    ids = [writer.write(text).memory_id for text in ("tea", "coffee")]
    with ThreadPoolExecutor(10) as pool:
        list(pool.map(lambda _: ports.usage.count("local|ana", ids, NOON), range(100)))
    ports.usage.fold("local|ana")
    assert [memory.access_count for memory in ports.records.get("local|ana", ids)] == [100, 100]
