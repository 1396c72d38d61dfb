"""The local server, asked over sockets by Schemathesis for whatever its own OpenAPI document has, and for what it hasn't."""

from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonplace.contract.formats.openapi import write_local
from commonplace.contract.manifest import rows
from tests.fuzz.asked import ask, operations, stored
from tests.fuzz.conftest import Kept, open_file
from tests.fuzz.effort import MARKS, examples
from tests.integration.http_server import served

pytestmark = MARKS
_ROUTES = operations(write_local(rows(), "http://127.0.0.1"))


@dataclass
class Asked:
    """A server that is asked, and the ids of what it says that it stored."""

    url: str
    ids: set[str] = field(default_factory=set)


@pytest.fixture(scope="module")
def server(kept: Kept) -> Iterator[Asked]:
    """The command itself, over the small memory. It has nothing to complain of, and has lost nothing."""
    with served(kept.file, "--user", "ana") as server:
        asked = Asked(f"http://127.0.0.1:{server.port}")
        yield asked
        code, _, err = server.end(15)
    assert (code, err) == (0, "")
    with open_file(kept.file) as memory:
        known = {record.get(name) for record in memory.export() for name in ("memory_id", "known_as")}
    assert asked.ids <= known


@pytest.mark.parametrize("route", _ROUTES)
@examples(3)
@given(data=st.data())
def test_a_route_answers_as_its_document_says(server: Asked, route: str, data: st.DataObject) -> None:
    server.ids |= stored(ask(_ROUTES[route], server.url, f"local: {route}", data))
