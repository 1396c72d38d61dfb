"""What a write leaves in the table: record, markers of uniqueness, audit row, PENDING row, and when they go."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

from commonplace.adapters.dynamodb.calls import Table
from commonplace.adapters.dynamodb.records import DynamoRecords
from commonplace.adapters.dynamodb.usage import DynamoUsage
from commonplace.domain.errors import CommonplaceError, ErrorCode
from commonplace.domain.memory import Memory
from commonplace.memories.vectors import rounded
from commonplace.ports.values import Audit
from commonplace.retrieval.documents import fingerprint
from tests.conftest import NOON
from tests.dynamodb_entries import USER, entry
from tests.dynamodb_faults import Faults
from tests.word_vectors import WordVectors

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

pytestmark = pytest.mark.integration
LATER = datetime(2100, 1, 1, tzinfo=UTC)
CHANGE = Audit("change", NOON, {})


@pytest.fixture
def records(dynamodb_table: Table) -> DynamoRecords:
    return DynamoRecords(dynamodb_table)


class Rows:
    """The table's rows as they are."""

    def __init__(self, client: "DynamoDBClient", name: str) -> None:
        self._client, self._name = client, name

    def __iter__(self) -> Iterator[dict[str, Any]]:
        for page in self._client.get_paginator("scan").paginate(TableName=self._name, ConsistentRead=True):
            yield from page["Items"]

    def names(self) -> set[str]:
        return {row["item"]["S"] for row in self}

    def kinds(self) -> list[str]:
        return sorted(name.split("#")[0] for name in self.names())


@pytest.fixture
def rows(dynamodb_client: "DynamoDBClient", table_name: str) -> Rows:
    return Rows(dynamodb_client, table_name)


def changed(memory: Memory, **fields: object) -> Memory:
    return memory.model_copy(update={"version": memory.version + 1, **fields})


def test_a_store_leaves_exactly_its_rows(records: DynamoRecords, rows: Rows) -> None:
    new = entry("tea", key="drink")
    records.add([new])
    one = new.memory.memory_id
    content, key = f"content#{fingerprint(new.memory).hex()}", next(name for name in rows.names() if name[:4] == "key#")
    assert rows.names() == {f"memory#{one}", content, key, f"audit#{one}#0000000001", f"pending#{one}"}
    assert {row["user"]["S"] for row in rows} == {USER}


def test_without_an_index_nothing_waits_for_one(dynamodb_table: Table, rows: Rows) -> None:
    records = DynamoRecords(dynamodb_table, indexed=False)
    records.add([entry("tea")])
    assert rows.kinds() == ["audit", "content", "memory"]


def test_an_import_takes_few_transactions(records: DynamoRecords, dynamodb_client: "DynamoDBClient", rows: Rows) -> None:
    faults = Faults(dynamodb_client, "TransactWriteItems", iter(()))
    done = records.add([entry(f"memory {number}") for number in range(100)])
    assert all(created for _, created in done)
    assert faults.asked == 4  # of 25 entries with four rows each
    assert len(rows.names()) == 400


def test_an_import_again_stores_only_what_is_new(records: DynamoRecords) -> None:
    first = [entry(f"memory {number}") for number in range(60)]
    records.add(first)
    again = [entry(f"memory {number}") for number in range(0, 120, 2)]
    done = records.add(again)
    assert [created for _, created in done] == [False] * 30 + [True] * 30
    assert [memory.memory_id for memory, _ in done[:30]] == [one.memory.memory_id for one in first[::2]]
    assert len(list(records.all(USER))) == 90


def test_very_long_memories_are_spread_over_transactions(records: DynamoRecords) -> None:
    texts = [f"{number} " + "\U0001f375" * 7_990 for number in range(80)]
    done = records.add([entry(text, evidence=text) for text in texts])  # 7 MB in all
    assert [memory.raw_text for memory, created in done if created] == texts


def test_the_same_said_many_times_in_one_call_is_one_memory(records: DynamoRecords) -> None:
    done = records.add([entry("tea") for _ in range(50)])
    assert [created for _, created in done] == [True] + [False] * 49
    assert len({memory.memory_id for memory, _ in done}) == 1


def test_said_again_in_one_call_after_its_expiry_it_is_new(records: DynamoRecords) -> None:
    first = entry("voucher", expires_at=NOON + timedelta(hours=1))
    second = entry("voucher", created_at=NOON + timedelta(hours=2))
    done = records.add([first, second])
    assert [created for _, created in done] == [True, True]
    assert [memory.status for memory in records.all(USER)] == ["archived", "active"]


@pytest.mark.parametrize("status", ["deleted", "superseded", "archived"])
def test_markers_go_when_their_memory_is_closed_and_come_back_with_it(
    records: DynamoRecords, rows: Rows, status: str
) -> None:
    ((memory, _),) = records.add([entry("tea", key="drink")])
    closed = records.update(changed(memory, status=status), CHANGE)
    assert "content" not in rows.kinds()
    assert "key" not in rows.kinds()
    records.update(changed(closed, status="active"), CHANGE)
    assert {"content", "key"} <= set(rows.kinds())
    assert records.add([entry("tea")]) == [(records.get(USER, [memory.memory_id])[0], False)]


def test_markers_move_with_content_and_key(records: DynamoRecords, rows: Rows) -> None:
    ((memory, _),) = records.add([entry("tea", key="drink")])
    before = rows.names()
    records.update(changed(memory, raw_text="coffee", key="hot drink"), CHANGE)
    gone = {name.split("#")[0] for name in before - rows.names()}
    assert gone == {"content", "key"}
    ((_, tea),) = records.add([entry("tea", key="drink")])
    ((_, coffee),) = records.add([entry("coffee")])
    assert (tea, coffee) == (True, False)


def test_a_key_belongs_to_one_active_memory_of_a_collection(records: DynamoRecords) -> None:
    ((memory, _),) = records.add([entry("tea", key="drink")])
    with pytest.raises(CommonplaceError) as caught:
        records.add([entry("coffee", key="drink")])
    assert caught.value.code is ErrorCode.CONFLICT
    assert memory.memory_id in caught.value.message
    ((elsewhere, created),) = records.add([entry("coffee", key="drink", collection="work")])
    assert created
    with pytest.raises(CommonplaceError) as caught:
        records.update(changed(elsewhere, collection="default"), CHANGE)
    assert caught.value.code is ErrorCode.CONFLICT


def test_the_key_of_an_expired_memory_is_free(records: DynamoRecords) -> None:
    old = entry("tea", key="drink", expires_at=NOON + timedelta(minutes=1))
    records.add([old])
    ((new, created),) = records.add([entry("coffee", key="drink", created_at=NOON + timedelta(hours=1))])
    assert created
    assert [memory.status for memory in records.get(USER, [old.memory.memory_id])] == ["archived"]
    assert records.add([entry("tea", created_at=NOON + timedelta(hours=1))])[0][1]
    with pytest.raises(CommonplaceError):
        records.add([entry("milk", key="drink", created_at=NOON + timedelta(hours=1))])
    assert new.key == "drink"


def test_a_marker_whose_memory_was_purged_is_in_nobodys_way(
    records: DynamoRecords, dynamodb_client: "DynamoDBClient", table_name: str
) -> None:
    ((memory, _),) = records.add([entry("tea")])
    key: Any = {"user": {"S": USER}, "item": {"S": f"memory#{memory.memory_id}"}}
    dynamodb_client.delete_item(TableName=table_name, Key=key)  # TTL takes rows one by one, in any order
    ((again, created),) = records.add([entry("tea")])
    assert created
    assert records.add([entry("tea")]) == [(again, False)]


def test_a_memory_without_its_marker_is_closed_without_harm_to_the_new_holder(
    records: DynamoRecords, dynamodb_client: "DynamoDBClient", table_name: str, rows: Rows
) -> None:
    ((old, _),) = records.add([entry("tea")])
    marker = next(name for name in rows.names() if name.startswith("content#"))
    key: Any = {"user": {"S": USER}, "item": {"S": marker}}
    dynamodb_client.delete_item(TableName=table_name, Key=key)
    ((new, created),) = records.add([entry("tea")])
    assert created
    records.update(changed(old, status="deleted"), CHANGE)
    assert records.add([entry("tea")]) == [(new, False)]


def test_all_rows_of_a_memory_go_at_the_same_time(records: DynamoRecords, dynamodb_table: Table, rows: Rows) -> None:
    ((memory, _),) = records.add([entry("tea", key="drink")])
    DynamoUsage(dynamodb_table).count(USER, [memory.memory_id], NOON)
    DynamoUsage(dynamodb_table).fold(USER)
    for _ in range(3):
        memory = records.update(changed(memory), CHANGE)
    assert not [row for row in rows if "purge_at" in row]
    memory = records.update(changed(memory, status="deleted", purge_at=LATER), CHANGE)
    assert {row["purge_at"]["N"] for row in rows} == {str(int(LATER.timestamp()))}
    assert rows.kinds() == ["audit"] * 5 + ["memory", "pending", "used"]
    records.update(changed(memory, status="active", purge_at=None), CHANGE)
    assert not [row for row in rows if "purge_at" in row]


def test_a_memory_changed_hundreds_of_times_goes_whole(records: DynamoRecords, rows: Rows) -> None:
    ((memory, _),) = records.add([entry("tea")])
    for _ in range(120):
        memory = records.update(changed(memory), CHANGE)
    records.update(changed(memory, status="deleted", purge_at=LATER), CHANGE)
    assert {row.get("purge_at", {}).get("N") for row in rows} == {str(int(LATER.timestamp()))}


def test_an_expiring_memory_says_from_the_start_when_it_goes(records: DynamoRecords, rows: Rows) -> None:
    records.add([entry("voucher", expires_at=LATER - timedelta(days=30), purge_at=LATER)])
    assert {row["purge_at"]["N"] for row in rows} == {str(int(LATER.timestamp()))}
    assert len(rows.names()) == 4


def test_the_vector_stays_while_the_content_does(records: DynamoRecords) -> None:
    embedder = WordVectors()
    ((memory, _),) = records.add([entry("I like tea")])
    memory = records.update(changed(memory, importance=0.9), CHANGE)
    ((kept,), _) = records.newest(USER, 5)
    assert kept.vector is not None
    assert kept.vector.tolist() == rounded(embedder.embed("I like tea")).tolist()  # type: ignore[union-attr]
    memory = records.update(changed(memory, raw_text="I like coffee"), CHANGE, embedder.embed("I like coffee"))
    ((replaced,), _) = records.newest(USER, 5)
    assert replaced.vector is not None
    assert replaced.vector.tolist() == rounded(embedder.embed("I like coffee")).tolist()  # type: ignore[union-attr]
    records.update(changed(memory, raw_text="寿司が好き", embedding_model=None), CHANGE)
    assert records.newest(USER, 5)[0][0].vector is None


def test_newest_reads_on_past_a_page(records: DynamoRecords) -> None:
    texts = [f"{number} " + "x" * 7_900 for number in range(150)]  # 2.5 MB, and a page is 1 MB
    done = records.add([entry(text) for text in texts])
    records.update(changed(done[149][0], status="deleted"), CHANGE)
    found, whole = records.newest(USER, 2_000)
    assert [one.memory.raw_text for one in found] == texts[148::-1]
    assert whole
    found, whole = records.newest(USER, 100)
    assert [one.memory.raw_text for one in found] == texts[148:48:-1]
    assert not whole
    assert records.newest(USER, 149)[1]


def test_get_reads_on_past_a_request(records: DynamoRecords) -> None:
    done = records.add([entry(f"{number} " + "x" * 7_900) for number in range(150)])
    ids = [memory.memory_id for memory, _ in done]
    assert [memory.memory_id for memory in records.get(USER, ids[::-1])] == ids[::-1]
    assert records.get(USER, []) == []
    assert len(records.get(USER, [ids[0], ids[0]])) == 2
