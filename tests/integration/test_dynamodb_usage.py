"""Counting what was found: each finding once, whoever folds and however often."""

import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from commonplace.adapters.dynamodb.calls import Table
from commonplace.adapters.dynamodb.pending import DynamoPending
from commonplace.adapters.dynamodb.records import DynamoRecords
from commonplace.adapters.dynamodb.usage import DynamoUsage
from commonplace.ports.values import Audit
from tests.conftest import NOON
from tests.dynamodb_entries import USER, entry
from tests.examples import examples

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

pytestmark = pytest.mark.integration


@pytest.fixture
def records(dynamodb_table: Table) -> DynamoRecords:
    return DynamoRecords(dynamodb_table)


@pytest.fixture
def usage(dynamodb_table: Table) -> DynamoUsage:
    return DynamoUsage(dynamodb_table)


def stored(records: DynamoRecords, count: int, user_id: str = USER) -> list[str]:
    return [memory.memory_id for memory, _ in records.add([entry(f"tea {number}", user_id) for number in range(count)])]


def counts(records: DynamoRecords, ids: list[str], user_id: str = USER) -> list[int]:
    return [memory.access_count for memory in records.get(user_id, ids)]


def rows(client: "DynamoDBClient", name: str, kind: str) -> int:
    found = client.scan(TableName=name, ConsistentRead=True)["Items"]
    return sum(item["user"]["S"].startswith(kind) or item["item"]["S"].startswith(kind) for item in found)


def test_searches_and_folds_all_at_once_lose_and_double_nothing(
    records: DynamoRecords, usage: DynamoUsage, dynamodb_table: Table, dynamodb_client: "DynamoDBClient", table_name: str
) -> None:
    ids, over = stored(records, 12), threading.Event()

    def fold() -> None:
        folding = DynamoUsage(dynamodb_table)
        while not over.is_set():
            folding.fold(USER)

    with ThreadPoolExecutor(13) as pool:
        folds = [pool.submit(fold) for _ in range(3)]
        list(pool.map(lambda _: usage.count(USER, ids, NOON), range(60)))
        over.set()
        for each in folds:
            each.result()
    usage.fold(USER)
    assert counts(records, ids) == [60] * 12
    assert rows(dynamodb_client, table_name, "usage#") == 0


def test_counts_do_not_meet_the_users_writes(records: DynamoRecords, usage: DynamoUsage) -> None:
    (memory_id,) = stored(records, 1)
    usage.count(USER, [memory_id], NOON)
    (read,) = records.get(USER, [memory_id])
    usage.fold(USER)
    records.update(read.model_copy(update={"version": 2}), Audit("change", NOON, {}))
    (after,) = records.get(USER, [memory_id])
    assert (after.version, after.access_count, after.last_accessed) == (2, 1, NOON)
    assert list(records.all(USER)) == [after]


def test_the_last_access_is_the_latest_in_whatever_order_they_come(records: DynamoRecords, usage: DynamoUsage) -> None:
    (memory_id,) = stored(records, 1)
    elsewhere = (NOON + timedelta(minutes=3)).astimezone(UTC)  # later, though its letters sort before
    for at in (NOON + timedelta(minutes=2), elsewhere, NOON):
        usage.count(USER, [memory_id], at)
        usage.fold(USER)
    (memory,) = records.get(USER, [memory_id])
    assert (memory.access_count, memory.last_accessed) == (3, elsewhere)


def test_what_was_purged_is_not_counted(
    records: DynamoRecords, usage: DynamoUsage, dynamodb_client: "DynamoDBClient", table_name: str
) -> None:
    usage.count(USER, ["mem_gone"], NOON)
    usage.fold(USER)
    assert rows(dynamodb_client, table_name, "us") == 0


def test_which_were_used_is_told_for_each_user(records: DynamoRecords, usage: DynamoUsage, dynamodb_table: Table) -> None:
    waiting = DynamoPending(dynamodb_table)
    first, second, third = stored(records, 3)
    (other,) = stored(records, 1, "local|ben")
    assert waiting.used(USER) == set()
    usage.count(USER, [first, second], NOON)
    usage.count("local|ben", [other], NOON)
    assert waiting.used(USER) == set()
    for user in (USER, "local|ben"):
        usage.fold(user)
    (memory,) = records.get(USER, [third])  # its row of counts is written, and there are none
    gone = memory.model_copy(update={"status": "deleted", "version": 2, "purge_at": NOON + timedelta(days=9_000)})
    records.update(gone, Audit("delete", NOON, {}))
    assert waiting.used(USER) == {first, second}
    assert waiting.used("local|ben") == {other}


def test_a_search_with_many_hits_is_counted_whole(records: DynamoRecords, usage: DynamoUsage) -> None:
    ids = stored(records, 250)
    usage.count(USER, ids, NOON)
    usage.count(USER, ids[:100], NOON)
    usage.fold(USER)
    assert counts(records, ids) == [2] * 100 + [1] * 150


def test_who_was_not_folded_is_known(records: DynamoRecords, dynamodb_table: Table) -> None:
    now = datetime.now(UTC)
    early = DynamoUsage(dynamodb_table, clock=lambda: now - timedelta(hours=1))
    for name in ("ana", "ben", "ana"):
        early.count(f"local|{name}", ["mem_1"], NOON)
    DynamoUsage(dynamodb_table).count("local|cleo", ["mem_1"], NOON)
    assert sorted(early.unfolded(now - timedelta(minutes=1))) == ["local|ana", "local|ben"]
    early.fold("local|ana")
    assert list(early.unfolded(now - timedelta(minutes=1))) == ["local|ben"]


@examples(15, HealthCheck.function_scoped_fixture)
@given(doings=st.lists(st.none() | st.lists(st.integers(0, 4), min_size=1, max_size=5), max_size=12))
def test_any_order_of_searches_and_folds_counts_each_finding_once(
    records: DynamoRecords, usage: DynamoUsage, doings: list[list[int] | None]
) -> None:
    user = f"local|{entry('').memory.memory_id}"
    ids, expected = stored(records, 5, user), [0] * 5
    for doing in doings:
        if doing is None:
            usage.fold(user)
            continue
        usage.count(user, [ids[place] for place in doing], NOON)
        for place in doing:
            expected[place] += 1
    usage.fold(user)
    assert counts(records, ids, user) == expected
