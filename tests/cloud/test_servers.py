"""The real servers: what they offer, that their data outlives a kill, and that none is left behind."""

import json
import signal
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from typing import Any

import boto3
import pytest

from cloud.dynamodb import DynamoDB
from cloud.opensearch import OpenSearch

pytestmark = pytest.mark.integration


def ask(url: str, method: str = "GET", body: object = None) -> Any:
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"Content-Type": "application/json"}, method=method)
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


def dynamodb(url: str, region: str = "eu-central-1") -> Any:
    return boto3.client(
        "dynamodb", endpoint_url=url, region_name=region, aws_access_key_id=region[:2], aws_secret_access_key="x"
    )


def test_opensearch_has_both_plugins(opensearch_url: str) -> None:
    plugins = {row["component"].rsplit(".", 1)[-1] for row in ask(f"{opensearch_url}/_cat/plugins?format=json")}
    if "KNNPlugin" not in plugins:  # the distribution names them otherwise than the runner
        plugins = {
            {"opensearch-knn": "KNNPlugin", "opensearch-neural-search": "NeuralSearch"}.get(name, name) for name in plugins
        }
    assert {"KNNPlugin", "NeuralSearch"} <= plugins


def test_dynamodb_lists_tables(dynamodb_url: str) -> None:
    assert "TableNames" in dynamodb(dynamodb_url).list_tables()


def test_data_without_a_folder_goes_with_its_server() -> None:
    server = OpenSearch()
    assert server.data.exists()
    server.close()
    assert not server.data.exists()


def test_dynamodb_with_a_folder_has_what_it_confirmed_after_a_kill(dynamodb_url: str, tmp_path: Path) -> None:
    with DynamoDB(data=tmp_path / "data") as server:
        dynamodb(server.url).create_table(
            TableName="kept", BillingMode="PAY_PER_REQUEST", KeySchema=[{"AttributeName": "a", "KeyType": "HASH"}],
            AttributeDefinitions=[{"AttributeName": "a", "AttributeType": "S"}],
        )  # fmt: skip
        dynamodb(server.url).put_item(TableName="kept", Item={"a": {"S": "1"}})
        server.kill()
        server.start()
        assert dynamodb(server.url, "us-east-1").get_item(TableName="kept", Key={"a": {"S": "1"}})["Item"] == {
            "a": {"S": "1"}
        }
    assert (tmp_path / "data").exists()


def test_a_port_that_the_runner_would_not_take_is_refused() -> None:
    with pytest.raises(ValueError, match="9201 to 9299"):
        OpenSearch(port=9200)


def test_a_server_that_ends_at_once_is_told_with_its_last_words(dynamodb_url: str, tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="does not answer"):
        DynamoDB(data=tmp_path, heap="1k").start()


@pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")
def test_no_server_outlives_us_even_when_we_are_killed(dynamodb_url: str, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "cloud.dynamodb", "--port", "0", "--data", str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as ours:
        assert ours.stdout is not None
        assert "DynamoDB on http://127.0.0.1:" in ours.stdout.readline()
        servers = [
            int(path.parent.name) for path in Path("/proc").glob("[0-9]*/cmdline") if str(tmp_path).encode() in _read(path)
        ]
        assert len(servers) == 2, "our command and its server"
        ours.send_signal(signal.SIGKILL)
    for pid in servers:
        until = time.monotonic() + 5
        while _lives(pid):
            assert time.monotonic() < until
            time.sleep(0.05)


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


def _lives(pid: int) -> bool:
    return b"java" in _read(Path(f"/proc/{pid}/cmdline"))
