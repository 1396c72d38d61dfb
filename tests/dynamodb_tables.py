"""Tables on the real DynamoDB Local, a fresh one for each test that asks."""

import functools
import uuid
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from botocore.loaders import JSONFileLoader

from commonplace.adapters.dynamodb.calls import Table, connect
from commonplace.adapters.dynamodb.table import create_table

PATIENT = 30.0  # seconds: a busy machine is no failure

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

# Hundreds of tests make a client, and each client reads these long files. A process reads each file once.
_load_file = functools.cache(JSONFileLoader().load_file)
JSONFileLoader.load_file = lambda _loader, file_path: _load_file(file_path)  # type: ignore[method-assign, assignment]


@pytest.fixture(scope="session")
def dynamodb_client(dynamodb_url: str) -> Iterator["DynamoDBClient"]:
    """A client of the server; it takes any credentials."""
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("AWS_ACCESS_KEY_ID", "test")
        environment.setenv("AWS_SECRET_ACCESS_KEY", "test")
        yield connect("eu-central-1", dynamodb_url, PATIENT)


@pytest.fixture
def table_name(dynamodb_client: "DynamoDBClient") -> Iterator[str]:
    """A table of its own, with no stream: those of tables that are gone make the server slow."""
    name = f"commonplace-{uuid.uuid4().hex}"
    create_table(dynamodb_client, name, stream=False)
    yield name
    dynamodb_client.delete_table(TableName=name)


@pytest.fixture
def dynamodb_table(dynamodb_client: "DynamoDBClient", table_name: str) -> Table:
    """The same as the adapters want it."""
    return Table(dynamodb_client, table_name, lambda: PATIENT)
