"""PENDING rows: what the index has not confirmed yet, for one user and for all."""

import logging
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

from commonplace.adapters.dynamodb import pending
from commonplace.adapters.dynamodb.calls import Table
from commonplace.adapters.dynamodb.pending import DynamoPending
from commonplace.adapters.dynamodb.records import DynamoEverything, DynamoRecords
from commonplace.domain.memory import Memory
from commonplace.ports.values import Audit, Stored
from tests.conftest import NOON
from tests.dynamodb_entries import USER, entry

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

pytestmark = pytest.mark.integration
WRITTEN = datetime(2026, 5, 20, 10, 0, tzinfo=UTC)
CHANGE = Audit("change", NOON, {})


class Hands:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.now = WRITTEN

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def clock() -> Hands:
    return Hands()


@pytest.fixture
def records(dynamodb_table: Table, clock: Hands) -> DynamoRecords:
    return DynamoRecords(dynamodb_table, clock=clock)


@pytest.fixture
def waiting(dynamodb_table: Table) -> DynamoPending:
    return DynamoPending(dynamodb_table)


def stored(records: DynamoRecords, text: str, user_id: str = USER) -> Memory:
    ((memory, _),) = records.add([entry(text, user_id)])
    return memory


def changed(records: DynamoRecords, memory: Memory, **fields: object) -> Memory:
    return records.update(memory.model_copy(update={"version": memory.version + 1, **fields}), CHANGE)


def memories(found: list[Stored]) -> list[Memory]:
    return sorted((one.memory for one in found), key=lambda memory: memory.memory_id)


def test_every_write_waits_until_it_is_confirmed(records: DynamoRecords, waiting: DynamoPending) -> None:
    tea, coffee = stored(records, "tea"), stored(records, "coffee")
    stored(records, "milk", "local|ben")
    assert memories(waiting.pending(USER)[0]) == [tea, coffee]
    assert all(one.vector is not None for one in waiting.pending(USER)[0])
    waiting.confirm(USER, tea.memory_id, 1)
    waiting.confirm(USER, tea.memory_id, 1)
    assert memories(waiting.pending(USER)[0]) == [coffee]


def test_whether_very_many_wait_is_told_without_reading_them(records: DynamoRecords, waiting: DynamoPending) -> None:
    for text in ("tea", "coffee", "water"):
        stored(records, text)
    stored(records, "milk", "local|ben")
    assert [waiting.has_more_than(most, USER) for most in (0, 2, 3)] == [True, True, False]
    assert not waiting.has_more_than(0, "local|nobody")


def test_a_confirmation_of_an_older_version_leaves_the_newer_waiting(records: DynamoRecords, waiting: DynamoPending) -> None:
    first = stored(records, "tea")
    deleted = changed(records, first, status="deleted")
    waiting.confirm(USER, first.memory_id, 1)
    assert memories(waiting.pending(USER)[0]) == [deleted]
    waiting.confirm(USER, first.memory_id, 2)
    assert waiting.pending(USER)[0] == []
    changed(records, deleted, status="active")
    waiting.confirm(USER, first.memory_id, 2)
    assert len(waiting.pending(USER)[0]) == 1


def test_what_waits_longer_is_found_over_all_users(records: DynamoRecords, waiting: DynamoPending, clock: Hands) -> None:
    old = [stored(records, f"tea {number}", f"local|user{number % 7}") for number in range(30)]
    clock.now += timedelta(minutes=10)
    new = stored(records, "coffee")
    limit = WRITTEN + timedelta(minutes=5)
    assert memories(list(waiting.pending_since(limit))) == old
    assert memories(list(waiting.pending_since(clock.now + timedelta(seconds=1)))) == [*old, new]
    assert waiting.oldest_pending() == WRITTEN
    for memory in old:
        waiting.confirm(memory.user_id, memory.memory_id, 1)
    assert list(waiting.pending_since(limit)) == []
    assert waiting.oldest_pending() == WRITTEN + timedelta(minutes=10)
    waiting.confirm(USER, new.memory_id, 1)
    assert waiting.oldest_pending() is None


def test_what_is_changed_again_and_again_does_not_become_young(
    records: DynamoRecords, waiting: DynamoPending, clock: Hands
) -> None:
    memory = stored(records, "tea")
    for _ in range(5):
        clock.now += timedelta(minutes=3)
        memory = changed(records, memory)
    assert memories(list(waiting.pending_since(WRITTEN + timedelta(seconds=1)))) == [memory]


def test_an_archived_one_waits_with_its_successor(records: DynamoRecords, waiting: DynamoPending) -> None:
    old = entry("voucher", expires_at=NOON + timedelta(minutes=1))
    records.add([old])
    waiting.confirm(USER, old.memory.memory_id, 1)
    records.add([entry("voucher", created_at=NOON + timedelta(hours=1))])
    assert [memory.status for memory in memories(waiting.pending(USER)[0])] == ["archived", "active"]


def test_a_purged_record_waits_for_nobody(
    records: DynamoRecords, waiting: DynamoPending, dynamodb_client: "DynamoDBClient", table_name: str
) -> None:
    memory = stored(records, "tea")
    key: Any = {"user": {"S": USER}, "item": {"S": f"memory#{memory.memory_id}"}}
    dynamodb_client.delete_item(TableName=table_name, Key=key)
    assert waiting.pending(USER)[0] == []
    assert list(waiting.pending_since(WRITTEN + timedelta(days=1))) == []


def test_records_that_wait_are_read_once_however_many_there_are(
    records: DynamoRecords, waiting: DynamoPending, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[int] = []
    from_table = pending._load_records

    def counted(calls: Any, rows: list[Any]) -> list[Stored]:
        read.append(len(rows))
        return from_table(calls, rows)

    monkeypatch.setattr(pending, "_CACHE_SIZE", 2)
    monkeypatch.setattr(pending, "_load_records", counted)
    found = [stored(records, text) for text in ("tea", "coffee", "milk")]
    for _ in range(3):
        assert memories(waiting.pending(USER)[0]) == found
    found.append(stored(records, "water"))
    for _ in range(2):
        assert memories(waiting.pending(USER)[0]) == found
    assert read == [3, 0, 0, 1, 0]


def test_of_very_many_that_wait_the_newest_are_told(
    records: DynamoRecords, waiting: DynamoPending, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(pending, "_AT_MOST", 3)
    found = [stored(records, text) for text in ("tea", "coffee", "milk")]
    stored(records, "water", "local|ben")
    with caplog.at_level(logging.WARNING, "commonplace"):
        assert memories(waiting.pending(USER)[0]) == found
        assert not caplog.records
        found.append(stored(records, "juice"))
        read, complete = waiting.pending(USER)
        assert (memories(read), complete) == (found[1:], False)
    assert [one.getMessage() for one in caplog.records] == ["more than 3 writes of a user wait for the index"]
    waiting.confirm(USER, found[3].memory_id, 1)
    read, complete = waiting.pending(USER)
    assert (memories(read), complete) == (found[:3], True)
    assert memories(list(waiting.pending_since(WRITTEN + timedelta(days=1)))[:9])[:3] == found[:3]


def test_everybody_s_records_are_read_page_by_page(records: DynamoRecords, dynamodb_table: Table) -> None:
    done = records.add([entry(f"{number} " + "x" * 7_900, f"local|user{number % 5}") for number in range(150)])
    expected = [memory for memory, _ in done]
    expected[0] = changed(records, expected[0], status="deleted")
    assert memories(list(DynamoEverything(dynamodb_table).every())) == expected


def test_of_each_version_it_is_noted_once_that_somebody_was_told(records: DynamoRecords, waiting: DynamoPending) -> None:
    memory = stored(records, "tea")
    assert waiting.mark_reported(USER, memory.memory_id, 1)
    assert not waiting.mark_reported(USER, memory.memory_id, 1)
    assert waiting.mark_reported(USER, memory.memory_id, 1, confirmed=False)
    assert waiting.mark_reported(USER, memory.memory_id, 1)
    changed(records, memory, importance=0.9)
    assert waiting.mark_reported(USER, memory.memory_id, 2)
    waiting.confirm(USER, memory.memory_id, 2)
    assert not waiting.mark_reported(USER, memory.memory_id, 2)
    assert waiting.pending(USER) == ([], True)
