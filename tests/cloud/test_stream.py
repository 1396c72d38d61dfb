"""The poller over the streams of a real DynamoDB Local."""

import base64
import json
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import boto3
import pytest
from botocore.config import Config

from cloud import faults, stream
from cloud.batches import Source
from cloud.dynamodb import DynamoDB
from cloud.proxy import Fault, FaultProxy
from cloud.stream import Poller

pytestmark = pytest.mark.integration


def client(service: Any, url: str) -> Any:
    """A client that tries once, so that a test sees each failure."""
    return boto3.client(
        service, endpoint_url=url, region_name="eu-central-1", aws_access_key_id="x", aws_secret_access_key="x",
        config=Config(retries={"total_max_attempts": 1}),
    )  # fmt: skip


class Table:
    """A table with a stream, and pollers over it."""

    def __init__(self, url: str) -> None:
        self.client = client("dynamodb", url)
        self.streams = client("dynamodbstreams", url)
        self.name = f"stream-{uuid.uuid4().hex}"
        told = self.client.create_table(
            TableName=self.name, BillingMode="PAY_PER_REQUEST", KeySchema=[{"AttributeName": "item", "KeyType": "HASH"}],
            AttributeDefinitions=[{"AttributeName": "item", "AttributeType": "S"}],
            StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"},
        )  # fmt: skip
        self.stream: str = told["TableDescription"]["LatestStreamArn"]

    def put(self, item: str, **more: Any) -> None:
        self.client.put_item(TableName=self.name, Item={"item": {"S": item}, **more})

    def poller(self, handler: Callable[[dict[str, Any], Any], Any], **source: Any) -> Poller:
        return Poller(self.streams, self.stream, handler, Source(**source))


class Seen:
    """A handler that remembers, fails as it is told, and can be waited for."""

    def __init__(self, *script: Exception | None) -> None:
        self.records: list[dict[str, Any]] = []
        self.calls = 0
        self._script = list(script)
        self._changed = threading.Condition()

    def __call__(self, event: dict[str, Any], context: Any) -> None:
        assert context.get_remaining_time_in_millis() > 0
        json.dumps(event)  # as it would travel
        said = self._script.pop(0) if self._script else None
        with self._changed:
            self.calls += 1
            self.records += [] if said else event["Records"]
            self._changed.notify_all()
        if said:
            raise said

    def items(self, count: int) -> list[str]:
        """The keys of the records seen, once there are so many."""
        with self._changed:
            assert self._changed.wait_for(lambda: len(self.records) >= count, timeout=60), self.records
        return [record["dynamodb"]["Keys"]["item"]["S"] for record in self.records]


@pytest.fixture
def table(dynamodb_url: str) -> Iterator[Table]:
    table = Table(dynamodb_url)
    yield table
    table.client.delete_table(TableName=table.name)


def test_changes_arrive_in_order_soon_and_as_lambda_has_them(table: Table) -> None:
    seen = Seen()
    table.put("a", vector={"B": b"\x00\xff"})
    with table.poller(seen):
        assert seen.items(1) == ["a"]
        began = time.monotonic()
        for number in range(20):
            table.put(f"b{number}")
        table.client.delete_item(TableName=table.name, Key={"item": {"S": "a"}})
        assert seen.items(22) == ["a", *(f"b{number}" for number in range(20)), "a"]
        assert time.monotonic() - began < 20
    first, last = seen.records[0], seen.records[-1]
    assert (first["eventName"], first["eventSource"], first["eventSourceARN"]) == ("INSERT", "aws:dynamodb", table.stream)
    assert base64.b64decode(first["dynamodb"]["NewImage"]["vector"]["B"]) == b"\x00\xff"
    assert abs(first["dynamodb"]["ApproximateCreationDateTime"] - time.time()) < 120
    assert (last["eventName"], last["dynamodb"]["OldImage"]["item"]) == ("REMOVE", {"S": "a"})


def test_what_failed_comes_again_before_anything_else(table: Table) -> None:
    seen = Seen(RuntimeError(), RuntimeError())
    for each in "abc":
        table.put(each)
    with table.poller(seen, batch_size=2):
        assert seen.items(3) == ["a", "b", "c"]
    assert seen.calls == 4


def test_filters_keep_records_away_from_the_function(table: Table) -> None:
    seen = Seen()
    for each in ("audit#1", "memory#1", "audit#2", "memory#2"):
        table.put(each)
    with table.poller(seen, filters=[{"dynamodb": {"Keys": {"item": {"S": [{"prefix": "memory#"}]}}}}]):
        assert seen.items(2) == ["memory#1", "memory#2"]


def test_a_window_gathers_records_into_one_batch(table: Table) -> None:
    seen = Seen()
    with table.poller(seen, window=6.0):
        for each in "abc":
            table.put(each)
            time.sleep(0.3)
        assert seen.items(3) == ["a", "b", "c"]
    assert seen.calls == 1


def test_another_poller_goes_on_where_one_stopped(table: Table) -> None:
    first, second = Seen(), Seen()
    table.put("a")
    with table.poller(first) as poller:
        first.items(1)
    table.put("b")
    with Poller(table.streams, table.stream, second, Source(), checkpoints=poller.checkpoints):
        assert second.items(1) == ["b"]


def test_a_poller_outlives_the_servers_death(dynamodb_url: str, tmp_path: Path) -> None:
    seen = Seen()
    with DynamoDB(data=tmp_path) as server:
        table = Table(server.url)
        table.put("a")
        with table.poller(seen):
            seen.items(1)
            server.kill()
            server.start()
            table.put("b")
            assert seen.items(2)[:2] == ["a", "b"]


@pytest.mark.parametrize(
    ("operation", "fault"),
    [
        ("GetRecords", faults.dynamodb_error("ExpiredIteratorException")),
        ("GetRecords", faults.cut_after),
        ("GetRecords", faults.cut_within),
        ("GetRecords", faults.status(503)),
        ("GetShardIterator", faults.dynamodb_error("TrimmedDataAccessException")),
        ("DescribeStream", faults.dynamodb_error("LimitExceededException")),
        ("DescribeStream", faults.cut_before),
    ],
)
def test_trouble_with_the_stream_loses_nothing_and_doubles_nothing(
    table: Table, dynamodb_url: str, operation: str, fault: Fault, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stream, "_LOOK", 0.25)  # seconds until it looks at the list of shards again
    seen = Seen()
    with FaultProxy(dynamodb_url) as proxy:
        streams = client("dynamodbstreams", proxy.url)
        proxy.plan(fault, when=lambda request: request.operation == operation, times=2)
        with Poller(streams, table.stream, seen, Source(batch_size=7)):
            for number in range(20):
                table.put(f"{number}")
            assert seen.items(20) == [str(number) for number in range(20)]
            table.put("last")
            assert seen.items(21)[20:] == ["last"]
        assert [request.operation for request in proxy.seen].count(operation) > 2
