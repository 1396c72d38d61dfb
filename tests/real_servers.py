"""Real servers for tests: started at the first use, once a session; or left out, and said so in one line at the end."""

import os
import re
from collections.abc import Iterator
from typing import Any

import pytest

from cloud.dynamodb import DynamoDB
from cloud.fetch import CannotRun
from cloud.opensearch import OpenSearch
from cloud.process import Server

_REQUIRED = ("CI", "COMMONPLACE_REQUIRE_SERVERS")
_LEFT_OUT = re.compile(r"left out: (\w+): (.*)")


@pytest.fixture(scope="session")
def opensearch_url() -> Iterator[str]:
    """An OpenSearch with k-NN that tests share: each makes indices under names of its own."""
    yield from _url("OPENSEARCH_URL", OpenSearch)


@pytest.fixture(scope="session")
def dynamodb_url() -> Iterator[str]:
    """A DynamoDB with streams that tests share: each makes tables under names of its own; any credentials will do."""
    yield from _url("DYNAMODB_URL", DynamoDB)


def _url(variable: str, kind: type[OpenSearch] | type[DynamoDB]) -> Iterator[str]:
    given = os.environ.get(variable)
    if given:
        yield given.rstrip("/")
        return
    with _started(kind, variable) as server:
        yield server.url


def _started(kind: type[OpenSearch] | type[DynamoDB], variable: str) -> Server:
    server = kind()
    try:
        server.command()
    except CannotRun as error:
        server.close()
        words = f"left out: {kind.__name__}: {error}; or set {variable}"
        if any(os.environ.get(name, "").lower() in ("1", "true") for name in _REQUIRED):
            pytest.fail(f"{words}; {' or '.join(_REQUIRED)} says that it must not be", pytrace=False)
        pytest.skip(words)
    return server


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """One line: how many tests were left out, and what to do about it."""
    skipped = [str(report.longrepr) for report in terminalreporter.stats.get("skipped", [])]
    found = [match for match in map(_LEFT_OUT.search, skipped) if match]
    if found:
        servers = " and ".join(sorted({match[1] for match in found}))
        why = found[0][2].removesuffix("')")
        terminalreporter.write_line(f"{len(found)} tests were left out, those with a real {servers}: {why}", yellow=True)
