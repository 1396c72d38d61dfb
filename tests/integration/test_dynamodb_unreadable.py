"""Records that this version can't read whole, or not at all: each stops itself and nothing else."""

import json
import logging
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest

from commonplace.adapters.dynamodb.calls import Table
from commonplace.adapters.dynamodb.pending import DynamoPending
from commonplace.adapters.dynamodb.records import DynamoEverything, DynamoRecords
from commonplace.domain.memory import Memory
from commonplace.ports.values import Stored
from tests.dynamodb_entries import USER, entry

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

pytestmark = pytest.mark.integration
LATER = datetime(2100, 1, 1, tzinfo=UTC)


@pytest.fixture
def written(dynamodb_table: Table) -> list[Memory]:
    return [memory for memory, _ in DynamoRecords(dynamodb_table).add([entry(text) for text in ("tea", "coffee", "milk")])]


def kept(client: "DynamoDBClient", table: str, memory: Memory, record: str) -> None:
    """What another version may have left there."""
    key: Any = {"user": {"S": USER}, "item": {"S": f"memory#{memory.memory_id}"}}
    client.update_item(
        TableName=table, Key=key, UpdateExpression="SET #r = :r",
        ExpressionAttributeNames={"#r": "record"}, ExpressionAttributeValues={":r": {"S": record}},
    )  # fmt: skip


def every_way(table: Table, ids: list[str]) -> list[list[Memory]]:
    """The memories in their order, by each way of reading them."""
    records, waiting = DynamoRecords(table), DynamoPending(table)
    stored: list[list[Stored]] = [
        waiting.pending(USER)[0],
        list(waiting.pending_since(LATER)),
        list(DynamoEverything(table).every()),
        records.newest(USER, 10)[0],
    ]
    found = [[one.memory for one in each] for each in stored] + [list(records.all(USER)), records.get(USER, ids)]
    return [sorted(each, key=lambda memory: memory.memory_id) for each in found]


def test_a_field_of_a_newer_version_is_left_out(
    dynamodb_client: "DynamoDBClient", dynamodb_table: Table, table_name: str, written: list[Memory]
) -> None:
    newer = {**json.loads(written[1].model_dump_json()), "mood": "of another version"}
    kept(dynamodb_client, table_name, written[1], json.dumps(newer))
    assert every_way(dynamodb_table, [memory.memory_id for memory in written]) == [written] * 6


@pytest.mark.parametrize("record", ['{"raw_text": "a secret"', '{"raw_text": "a secret"}', "[]"])
def test_a_record_that_cannot_be_read_is_left_out_and_told_by_its_key(
    dynamodb_client: "DynamoDBClient", dynamodb_table: Table, table_name: str, written: list[Memory], record: str,
    caplog: pytest.LogCaptureFixture,
) -> None:  # fmt: skip
    kept(dynamodb_client, table_name, written[1], record)
    fine = [written[0], written[2]]
    with caplog.at_level(logging.ERROR, "commonplace"):
        assert every_way(dynamodb_table, [memory.memory_id for memory in written]) == [fine] * 6
    told = [one.getMessage() for one in caplog.records]
    assert len(told) == 6
    assert all(USER in line and f"memory#{written[1].memory_id}" in line for line in told)
    assert "secret" not in caplog.text
