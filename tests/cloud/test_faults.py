"""The proxy before the real servers: each fault does what it says, and everything else passes unchanged."""

import http.client
import json
import time
import uuid
from collections.abc import Iterator
from typing import Any

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError
from opensearchpy import ConnectionError as Unreachable
from opensearchpy import ConnectionTimeout, OpenSearch, TransportError

from cloud import faults
from cloud.proxy import FaultProxy

pytestmark = pytest.mark.integration


@pytest.fixture
def proxy(opensearch_url: str) -> Iterator[FaultProxy]:
    with FaultProxy(opensearch_url) as proxy:
        yield proxy


@pytest.fixture
def client(proxy: FaultProxy) -> Iterator[OpenSearch]:
    client = OpenSearch(proxy.url, max_retries=0, timeout=5)
    yield client
    client.close()


@pytest.fixture
def index(opensearch_url: str) -> Iterator[str]:
    name = f"faults-{uuid.uuid4().hex}"
    with OpenSearch(opensearch_url) as straight:
        straight.indices.create(index=name, body={"settings": {"number_of_replicas": 0}})
        yield name
        straight.indices.delete(index=name)


def bulk(index: str, ids: str) -> list[dict[str, Any]]:
    return [line for each in ids for line in ({"index": {"_index": index, "_id": each}}, {"a": each})]


def ids(client: OpenSearch, index: str) -> set[str]:
    client.indices.refresh(index=index)
    return {hit["_id"] for hit in client.search(index=index, body={})["hits"]["hits"]}


def test_without_a_plan_everything_passes(client: OpenSearch, proxy: FaultProxy, index: str) -> None:
    assert client.bulk(body=bulk(index, "abc"))["errors"] is False
    assert client.exists(index=index, id="a")
    assert ids(client, index) == set("abc")
    assert [(request.method, faults.is_bulk(request)) for request in proxy.seen[:2]] == [("POST", True), ("HEAD", False)]


def test_the_nth_request_is_answered_429_and_no_other(client: OpenSearch, proxy: FaultProxy, index: str) -> None:
    proxy.plan(faults.status(429), when=faults.is_bulk, first=2)
    outcomes = []
    for each in "abc":
        client.count(index=index)
        try:
            outcomes.append(client.bulk(body=bulk(index, each))["errors"])
        except TransportError as error:
            outcomes.append(error.status_code)
    assert outcomes == [False, 429, False]
    assert ids(client, index) == {"a", "c"}


@pytest.mark.parametrize("compress", [False, True])
def test_half_a_bulk_is_rejected_item_by_item(proxy: FaultProxy, index: str, compress: bool) -> None:
    with OpenSearch(proxy.url, max_retries=0, http_compress=compress) as client:
        proxy.plan(faults.half_rejected, when=faults.is_bulk, times=2)
        lines = [*bulk(index, "abcd"), {"delete": {"_index": index, "_id": "x"}}, *bulk(index, "f")]
        told = client.bulk(body=lines)
        assert told["errors"] is True
        assert [next(iter(item.values()))["_id"] for item in told["items"]] == list("abcdxf")
        assert [next(iter(item.values()))["status"] for item in told["items"]] == [429, 201, 429, 201, 429, 201]
        assert [item["index"]["status"] for item in client.bulk(body=bulk(index, "g"))["items"]] == [429]
        assert ids(client, index) == set("bdf")


def test_a_rejected_item_looks_as_the_real_server_words_it(opensearch_url: str, proxy: FaultProxy, index: str) -> None:
    """Against an item that the server itself refuses, for want of a way to make it say 429: the same fields."""
    with OpenSearch(opensearch_url) as straight:
        line = [{"index": {"_index": index, "_id": "a", "version": 1, "version_type": "external"}}, {"a": 1}]
        straight.bulk(body=line)
        real = straight.bulk(body=line)["items"][0]["index"]
    with OpenSearch(proxy.url) as client:
        proxy.plan(faults.half_rejected)
        ours = client.bulk(body=line)["items"][0]["index"]
    assert real["status"] == 409
    assert ours.keys() <= real.keys()
    assert ours["error"].keys() <= real["error"].keys()


def test_a_cut_before_leaves_the_server_untouched_and_a_cut_after_does_not(
    client: OpenSearch, proxy: FaultProxy, index: str
) -> None:
    for fault, each in ((faults.cut_before, "a"), (faults.cut_after, "b"), (faults.cut_within, "c")):
        proxy.plan(fault, when=faults.is_bulk)
        with pytest.raises(Unreachable):
            client.bulk(body=bulk(index, each))
        proxy.heal()
    assert ids(client, index) == {"b", "c"}


def test_a_delay_is_as_long_as_it_says(client: OpenSearch, proxy: FaultProxy, index: str) -> None:
    proxy.plan(faults.delay(0.5), times=2)
    began = time.monotonic()
    client.count(index=index)
    assert 0.5 <= time.monotonic() - began < 10
    with pytest.raises(ConnectionTimeout):
        client.count(index=index, request_timeout=0.1)


def test_refused_means_that_nobody_listens_and_healed_that_somebody_does(
    client: OpenSearch, proxy: FaultProxy, index: str
) -> None:
    client.count(index=index)  # an open connection ends, too
    proxy.refuse()
    for _ in range(2):
        with pytest.raises(Unreachable):
            client.count(index=index)
    with pytest.raises(ConnectionRefusedError):
        http.client.HTTPConnection("127.0.0.1", proxy.port).connect()
    proxy.heal()
    assert client.count(index=index)["count"] == 0


def test_a_fault_for_good_lasts_until_it_is_healed(client: OpenSearch, proxy: FaultProxy) -> None:
    proxy.plan(faults.status(503), times=None)
    for _ in range(3):
        with pytest.raises(TransportError) as caught:
            client.info()
        assert caught.value.status_code == 503
    proxy.heal()
    assert client.info()["version"]["number"]


def test_errors_of_dynamodb_arrive_as_boto3_knows_them(dynamodb_url: str) -> None:
    with FaultProxy(dynamodb_url) as proxy:
        client = boto3.client(
            "dynamodb", endpoint_url=proxy.url, region_name="eu-central-1", aws_access_key_id="x", aws_secret_access_key="x",
            config=Config(retries={"total_max_attempts": 1}),
        )  # fmt: skip
        proxy.plan(
            faults.dynamodb_error("ProvisionedThroughputExceededException"),
            when=lambda request: request.operation == "ListTables",
        )
        with pytest.raises(client.exceptions.ProvisionedThroughputExceededException):
            client.list_tables()
        assert "TableNames" in client.list_tables()
        reasons = [{"Code": "None"}, {"Code": "TransactionConflict"}]
        proxy.plan(faults.dynamodb_error("TransactionCanceledException", CancellationReasons=reasons))
        with pytest.raises(ClientError) as caught:
            client.transact_write_items(TransactItems=[{"Delete": {"TableName": "ttt", "Key": {"a": {"S": "1"}}}}])
        assert caught.value.response["CancellationReasons"] == reasons
        assert [request.operation for request in proxy.seen] == ["ListTables", "ListTables", "TransactWriteItems"]


def test_a_server_that_is_down_looks_so_through_the_proxy() -> None:
    with FaultProxy("http://127.0.0.1:1") as proxy:
        connection = http.client.HTTPConnection("127.0.0.1", proxy.port)
        connection.request("POST", "/", json.dumps({}))
        with pytest.raises(http.client.RemoteDisconnected):
            connection.getresponse()
        connection.close()
