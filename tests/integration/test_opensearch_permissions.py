"""What is really sent to a domain is what the template allows the function that sends it."""

from collections.abc import Iterator
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import Any
from urllib.parse import urlsplit

import pytest
from opensearchpy import OpenSearch

from cloud.proxy import FaultProxy
from commonplace.adapters.opensearch.client import connect
from commonplace.adapters.opensearch.index import OpenSearchFacts, OpenSearchIndex
from commonplace.adapters.opensearch.rebuild import OpenSearchContents, OpenSearchRebuild, OpenSearchWriter, set_up
from commonplace.ports.values import Filter
from commonplace.text.foundation.tokenizer import terms
from tests.conftest import NOON
from tests.integration.test_opensearch_searching import SEEN, WAITING, Otherwise
from tests.integration.test_opensearch_writing import EMBEDDER, stored
from tests.opensearch_indices import LAYOUT
from tests.stack import Stack

pytestmark = pytest.mark.integration

SHARED = {"Search": "endpoint", "SearchEndpoint": "https://mine.example", "SearchDomainName": "mine"}
SEARCHES = ("store", "search", "discover", "write", "read", "summarize", "analysis", "maintenance", "night")
WRITES = ("index", "reconcile")


class Recorded:
    """A client, and every request since it was last asked for them."""

    def __init__(self, proxy: FaultProxy) -> None:
        self.client = connect(proxy.url, seconds=30)
        self._proxy, self._told = proxy, 0

    def sent(self) -> set[tuple[str, str]]:
        new, self._told = self._proxy.seen[self._told :], len(self._proxy.seen)
        return {(request.method, urlsplit(request.path).path) for request in new}


@pytest.fixture
def recorded(opensearch_url: str) -> Iterator[Recorded]:
    with FaultProxy(opensearch_url) as proxy:
        made = Recorded(proxy)
        yield made
        made.client.close()


def refused(sent: set[tuple[str, str]], function: str, alias: str, own: bool) -> set[tuple[str, str]]:
    """Those that the role of a function doesn't allow."""
    allowed = {
        (action, resource.split(":domain/")[1].partition("/")[2])
        for action, resource in Stack(**{**({} if own else SHARED), "IndexAlias": alias}).may(function)
        if action.startswith("es:")
    }
    return {
        (method, path)
        for method, path in sent
        if not any(
            action == f"es:ESHttp{method.title()}" and fnmatchcase(path.removeprefix("/"), pattern)
            for action, pattern in allowed
        )
    }


def none_refused(sent: set[tuple[str, str]], functions: tuple[str, ...], alias: str) -> None:
    assert sent
    for function in functions:
        for own in (True, False):
            assert not refused(sent, function, alias, own), function


def test_writing_is_allowed_with_and_without_a_version_being_filled(recorded: Recorded, new_index: str) -> None:
    writer = OpenSearchWriter(recorded.client, new_index)
    change = stored("a", "green tea")
    assert [outcome.state for outcome in writer.put([change, change])] == ["done", "done"]  # stale: refreshed too
    mapped = {("GET", f"/{new_index}/_mapping"), ("GET", f"/{new_index}-next/_mapping")}
    alone = mapped | {("POST", f"/{new_index}/_bulk"), ("POST", f"/{new_index}/_refresh")}
    sent = recorded.sent()
    assert sent == alone
    none_refused(sent, WRITES, new_index)
    OpenSearchRebuild(recorded.client, LAYOUT, new_index).begin()
    recorded.sent()
    assert [outcome.state for outcome in writer.put([change, change])] == ["done", "done"]
    sent = recorded.sent()
    assert sent == alone | {("POST", f"/{new_index}-next/_bulk"), ("POST", f"/{new_index}-next/_refresh")}
    none_refused(sent, WRITES, new_index)


def test_comparing_and_mending_is_allowed(recorded: Recorded, new_index: str) -> None:
    contents, change = OpenSearchContents(recorded.client, new_index), stored("a", "green tea")
    assert [outcome.state for outcome in contents.mend([change, stored("a", "green tea", 2), change])] == ["done"] * 3
    (found,) = contents.look_up([change])
    assert found is not None
    assert [one.memory_id for one in contents.of_user("local|ana")] == ["a"]
    sent = recorded.sent()
    assert {("POST", f"/{new_index}/{what}") for what in ("_bulk", "_mget", "_search")} < sent
    none_refused(sent, ("maintenance",), new_index)


@pytest.mark.parametrize("fusion", ["own", "engine"])
def test_searching_and_counting_are_allowed(recorded: Recorded, new_index: str, fusion: Any) -> None:
    fields: dict[str, Any] = {"session_id": "s", "tags": ["tea"]}
    OpenSearchWriter(recorded.client, new_index).put([stored(str(at), "tea", **fields, position=at) for at in range(3)])
    recorded.sent()
    index = OpenSearchIndex(recorded.client, WAITING, EMBEDDER.name, new_index, fusion)
    asked, vector = terms("green tea"), EMBEDDER.embed("green tea")
    assert index.find(SEEN, Filter(), asked, vector).candidates.ids
    assert index.similar(SEEN, asked, vector, 3)
    assert index.most_important(SEEN, Filter(), 3)[0]
    facts = OpenSearchFacts(recorded.client, WAITING, Otherwise(), new_index)
    assert facts.tags("local|ana") == {"tea": 3}
    assert facts.statistics("local|ana", NOON, EMBEDDER.name).active == 3
    sent = recorded.sent()
    assert sent == {("POST", f"/{new_index}/_msearch")}
    none_refused(sent, SEARCHES, new_index)


def test_setting_up_is_allowed_whatever_there_is(recorded: Recorded, opensearch_client: OpenSearch, new_index: str) -> None:
    opensearch_client.indices.delete(index=f"{new_index}-v*")
    other = replace(LAYOUT, shards=1)
    assert not set_up(recorded.client, LAYOUT, new_index, lambda: True)  # nothing, and memories are there
    assert set_up(recorded.client, LAYOUT, new_index)  # nothing
    first = recorded.sent()
    assert set_up(recorded.client, LAYOUT, new_index)  # all as it should be
    nothing_to_do = recorded.sent()
    assert ("PUT", f"/{new_index}-v1/_settings") not in nothing_to_do
    assert set_up(recorded.client, replace(LAYOUT, replicas=1), new_index)  # a second node
    copied = recorded.sent()
    assert copied == nothing_to_do | {("PUT", f"/{new_index}-v1/_settings")}
    assert set_up(recorded.client, other, new_index)  # an empty one of another layout
    OpenSearchWriter(opensearch_client, new_index).put([stored("a", "tea")])
    assert not set_up(recorded.client, LAYOUT, new_index)
    none_refused(recorded.sent() | first | copied, ("setup",), new_index)


def test_a_rebuild_is_done_by_somebody_who_may_all_but_sends_it_to_this_index_alone(
    recorded: Recorded, new_index: str
) -> None:
    rebuild = OpenSearchRebuild(recorded.client, LAYOUT, new_index)
    assert rebuild.model() == LAYOUT.embedding_model
    rebuild.begin()
    rebuild.begin()
    assert [outcome.state for outcome in rebuild.fill([stored("a", "tea")])] == ["done"]
    rebuild.finish()
    beside = {
        ("PUT", "/_search/pipeline/commonplace-fusion"),
        ("PUT", f"/_index_template/{new_index}"),
        ("POST", "/_aliases"),
    }
    sent = recorded.sent()
    assert beside < sent
    assert all(path.startswith(f"/{new_index}") for _, path in sent - beside)


def test_what_another_function_sends_is_refused(new_index: str) -> None:
    """The comparison itself: it tells what a role doesn't allow."""
    for own in (True, False):
        assert refused({("POST", f"/{new_index}/_bulk")}, "search", new_index, own)
        assert refused({("POST", "/_msearch"), ("POST", "/others/_msearch")}, "search", new_index, own) == {
            ("POST", "/_msearch"), ("POST", "/others/_msearch"),
        }  # fmt: skip
        assert refused({("GET", f"/{new_index},{new_index}-next")}, "index", new_index, own)
