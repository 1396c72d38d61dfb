"""Faults: whatever goes wrong, no answered write is missing, none is doubled, and nobody sees another's; counted."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from opensearchpy import OpenSearch
from pytest_socket import _remove_restrictions, socket_allow_hosts

from cloud.dynamodb import DynamoDB
from commonplace.adapters.dynamodb.calls import connect
from commonplace.adapters.dynamodb.table import create_table
from commonplace.interfaces.aws import container
from tests.dynamodb_tables import PATIENT
from tests.faults.world import REGION, World

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

_TOLD = "faults"
Open = Callable[..., World]
Tell = Callable[[str], None]


@pytest.fixture(autouse=True)
def _loopback_only() -> Iterator[None]:
    socket_allow_hosts(["127.0.0.1", "::1", "localhost"])
    yield
    _remove_restrictions()


class Streaming(NamedTuple):
    """A table with a stream, on a server of its own."""

    url: str
    table: str
    stream: str


@pytest.fixture(scope="session")
def streaming(dynamodb_client: "DynamoDBClient") -> Iterator[Streaming]:
    """One for all these tests: each has users of its own. The shared server is slow by the streams of tables that are gone."""
    with DynamoDB() as server:
        client = connect(REGION, server.url, PATIENT)
        create_table(client, "faults")
        told = client.describe_table(TableName="faults")["Table"]
        yield Streaming(server.url, "faults", told["LatestStreamArn"])


@pytest.fixture
def open_world(
    dynamodb_client: "DynamoDBClient", dynamodb_url: str, opensearch_url: str, opensearch_client: OpenSearch,
    new_index: str, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest,
) -> Open:  # fmt: skip
    """Opens the functions' ports as in AWS, by settings alone. By default over the shared servers, a table without a
    stream and an index of its own; `seen_by` is by which address the functions reach each server.
    """

    def opened(
        streaming: Streaming | None = None, index: OpenSearch = opensearch_client, alias: str = new_index, **seen_by: str
    ) -> World:
        url = streaming.url if streaming else dynamodb_url
        table = streaming.table if streaming else str(request.getfixturevalue("table_name"))
        monkeypatch.setenv("AWS_ENDPOINT_URL_DYNAMODB", seen_by.get("dynamodb", url))
        world = World(table, seen_by.get("opensearch", opensearch_url), alias, index, url, request.node.name)
        monkeypatch.setattr(container, "settings", lambda: world.settings)
        monkeypatch.setattr(container, "ports", lambda: world.ports)
        monkeypatch.setattr(container, "projector", lambda: world.upkeep)
        return world

    return opened


@pytest.fixture
def tell(request: pytest.FixtureRequest) -> Tell:
    """Keeps a line with counts for the end of the run."""
    name = request.node.name.removeprefix("test_")
    return lambda line: request.node.user_properties.append((_TOLD, f"{name}: {line}"))


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """What was counted, by whichever worker."""
    reports = [report for outcome in ("passed", "failed") for report in terminalreporter.stats.get(outcome, [])]
    told = [line for report in reports if report.when == "call" for name, line in report.user_properties if name == _TOLD]
    if told:
        terminalreporter.write_sep("-", "faults")
    for line in told:
        terminalreporter.write_line(line)
