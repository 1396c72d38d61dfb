"""Real servers for tests: started at the first use, once a session; or left out, and said so in one line at the end."""

import os
import re
from collections.abc import Iterator
from typing import Any, NoReturn

import pytest

from cloud.dynamodb import DynamoDB
from cloud.fetch import CannotRun
from cloud.opensearch import OpenSearch
from cloud.process import Server

_REQUIRED = ("CI", "COMMONPLACE_REQUIRE_SERVERS")
_LEFT_OUT = re.compile(r"left out: (\w+): ([^;]*)(.*)")


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
        left_out(kind.__name__, f"{error}; or set {variable}")
    return server


def left_out(name: str, why: str) -> NoReturn:
    """Leaves the test out for want of what it runs with, by name; or has it fail where it must run."""
    words = f"left out: {name}: {why}"
    if any(os.environ.get(variable, "").lower() in ("1", "true") for variable in _REQUIRED):
        pytest.fail(f"{words}; {' or '.join(_REQUIRED)} says that it must not be", pytrace=False)
    pytest.skip(words)


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """One line for each reason: how many tests were left out, and what to do about it."""
    skipped = [str(report.longrepr).removesuffix("')") for report in terminalreporter.stats.get("skipped", [])]
    found = [match for match in map(_LEFT_OUT.search, skipped) if match]
    for reason in sorted({match[2] for match in found}):
        same = [match for match in found if match[2] == reason]
        servers = " and ".join(sorted({match[1] for match in same}))
        words = f"{len(same)} tests were left out, those with a real {servers}: {reason}{same[0][3]}"
        terminalreporter.write_line(words, yellow=True)
