"""Searching a real node that is slow, away or wrongly set up, and what never leaves it."""

import hashlib
import socket
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest
from opensearchpy import OpenSearch

from cloud import faults
from cloud.process import free_port
from cloud.proxy import Fault, FaultProxy
from commonplace.adapters.opensearch import index as opensearch
from commonplace.adapters.opensearch.client import connect, routing_of
from commonplace.adapters.opensearch.document import OUTLINE, properties, settings
from commonplace.adapters.opensearch.index import OpenSearchFacts, OpenSearchIndex, UnindexedState
from commonplace.adapters.opensearch.rebuild import OpenSearchWriter, switch
from commonplace.adapters.record_scan import outlines_of
from commonplace.domain.memory import GLOBAL_AGENT
from commonplace.domain.outline import Outline
from commonplace.ports.values import Filter, IndexOutcome, IndexUnavailable, Statistics, Stored, Visibility
from commonplace.text.foundation.tokenizer import terms
from tests.conftest import NOON
from tests.integration.test_opensearch_writing import EMBEDDER, stored
from tests.opensearch_indices import LAYOUT

pytestmark = pytest.mark.integration

SEEN = Visibility("local|ana", (GLOBAL_AGENT,), NOON + timedelta(hours=1))
QUERY = "green tea"


class NothingWaits:
    """All that was written is in the index."""

    def pending(self, _user_id: str) -> tuple[list[Stored], bool]:
        return [], True

    def has_more_than(self, _most: int, _user_id: str) -> bool:
        return False

    def mark_reported(self, user_id: str, memory_id: str, version: int, told: bool = True) -> bool:  # noqa: ARG002
        return False

    def confirm(self, user_id: str, memory_id: str, version: int) -> None: ...

    def pending_since(self, _before: object) -> Iterator[Stored]:
        return iter(())

    def oldest_pending(self) -> None: ...

    def used(self, _user_id: str) -> set[str]:
        return set()


WAITING: UnindexedState = NothingWaits()


class Otherwise:
    """Facts that are told when the domain can't be asked."""

    STATE = Statistics(1, 2, 3, 4, 5, 6, 7)

    def tags(self, _user_id: str) -> dict[str, int]:
        return {}

    def statistics(self, _user_id: str, _now: object, _embedding_model: str) -> Statistics:
        return self.STATE

    def outlines(self, user_id: str, terms: Sequence[str] = ()) -> list[Outline]:
        return outlines_of([stored("otherwise", "tea", user_id=user_id).memory], terms)


@pytest.fixture
def proxy(opensearch_url: str) -> Iterator[FaultProxy]:
    with FaultProxy(opensearch_url) as proxy:
        yield proxy


@pytest.fixture
def filled(opensearch_client: OpenSearch, new_index: str) -> str:
    """Three memories that share words, and two of others that do so too."""
    texts = ("green tea in the morning", "black tea", "tea with Mia")
    changes = [stored(f"a{at}", text, tags=("tea",)) for at, text in enumerate(texts)]
    changes += [stored("b0", QUERY, user_id="local|ben"), stored("c0", QUERY, user_id="local|ana,local|ben")]
    assert {outcome.state for outcome in OpenSearchWriter(opensearch_client, new_index).put(changes)} == {"done"}
    return new_index


def found(index: OpenSearchIndex, visibility: Visibility = SEEN) -> set[str]:
    return set(index.find(visibility, Filter(), terms(QUERY), EMBEDDER.embed(QUERY)).candidates.ids)


def test_nobody_finds_what_is_anothers(opensearch_client: OpenSearch, filled: str) -> None:
    index = OpenSearchIndex(opensearch_client, WAITING, EMBEDDER.name, filled)
    assert found(index) == {"a0", "a1", "a2"}
    assert found(index, replace(SEEN, user_id="local|ben")) == {"b0"}
    assert found(index, replace(SEEN, user_id="local|ana,local|ben")) == {"c0"}
    assert index.find(replace(SEEN, user_id="local|ben"), Filter(), terms(QUERY), None).corpus.memories == 1


def test_a_hit_of_another_is_dropped_even_if_the_domain_hands_it_over(opensearch_client: OpenSearch, filled: str) -> None:
    """A document that names one user to be found by and another as its owner."""
    kept = opensearch_client.get(index=filled, id="b0", params={"routing": routing_of("local|ben")})["_source"]
    row = opensearch_client.search(index=filled, body={"query": {"ids": {"values": ["b0"]}}, "docvalue_fields": ["row"]})
    packed = row["hits"]["hits"][0]["fields"]["row"][0]
    strange = {**kept, "user_id": "local|ana", "row": packed + "=" * (-len(packed) % 4)}
    params = {"routing": routing_of("local|ana"), "refresh": "true"}
    opensearch_client.index(index=filled, id="strange", body=strange, params=params)
    index = OpenSearchIndex(opensearch_client, WAITING, EMBEDDER.name, filled)
    assert found(index) == {"a0", "a1", "a2"}
    assert set(index.most_important(SEEN, Filter(), 10)[0]) == {"a0", "a1", "a2"}
    shared = index.similar(SEEN, terms(QUERY), None, 10)
    assert {one.memory_id for one in shared} == {"a0", "a1", "a2"}


def test_a_node_that_is_away_is_told_at_once(filled: str) -> None:
    index = OpenSearchIndex(connect(f"http://127.0.0.1:{free_port()}"), WAITING, EMBEDDER.name, filled)
    began = time.monotonic()
    for ask in (lambda: found(index), lambda: index.similar(SEEN, ["tea"], None, 5)):
        with pytest.raises(IndexUnavailable):
            ask()
    with pytest.raises(IndexUnavailable):
        index.most_important(SEEN, Filter(), 5)
    assert time.monotonic() - began < 8


def test_a_node_that_says_nothing_is_waited_for_no_longer_than_agreed(filled: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        index = OpenSearchIndex(connect(url, seconds=0.5), WAITING, EMBEDDER.name, filled)
        began = time.monotonic()
        with pytest.raises(IndexUnavailable, match="Timeout"):
            found(index)
        assert 0.4 < time.monotonic() - began < 8


@pytest.mark.parametrize("fault", [faults.status(429), faults.status(503), faults.cut_within], ids=["429", "503", "cut"])
def test_an_answer_that_is_none_is_unavailable_and_then_it_is_back(proxy: FaultProxy, filled: str, fault: Fault) -> None:
    index = OpenSearchIndex(connect(proxy.url, seconds=10), WAITING, EMBEDDER.name, filled)
    proxy.plan(fault, times=None)
    with pytest.raises(IndexUnavailable):
        found(index)
    proxy.heal()
    assert found(index) == {"a0", "a1", "a2"}


def test_a_connection_that_went_stale_costs_no_answer(proxy: FaultProxy, filled: str) -> None:
    index = OpenSearchIndex(connect(proxy.url, seconds=10), WAITING, EMBEDDER.name, filled)
    proxy.plan(faults.cut_before, times=1)
    assert found(index) == {"a0", "a1", "a2"}


def test_with_a_region_each_request_is_signed_as_it_leaves(
    proxy: FaultProxy, filled: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "of a test")
    index = OpenSearchIndex(connect(proxy.url, "eu-central-1", seconds=10), WAITING, EMBEDDER.name, filled)
    assert found(index) == {"a0", "a1", "a2"}
    for request in proxy.seen:
        headers = {name.lower(): value for name, value in request.headers.items()}
        assert headers["authorization"].startswith("AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/")
        assert "/eu-central-1/es/aws4_request" in headers["authorization"]
        assert headers["x-amz-content-sha256"] == hashlib.sha256(request.body).hexdigest()


def test_without_the_index_it_is_unavailable(opensearch_client: OpenSearch) -> None:
    with pytest.raises(IndexUnavailable, match="index_not_found"):
        found(OpenSearchIndex(opensearch_client, WAITING, EMBEDDER.name, "test-nowhere"))


def test_an_index_that_lacks_what_ranking_must_know_is_unavailable(opensearch_client: OpenSearch, filled: str) -> None:
    """Such as a copy by the domain's own `_reindex`, which knows the stored source only."""
    copy = f"{filled}-v9"
    opensearch_client.indices.create(index=copy)
    opensearch_client.reindex(body={"source": {"index": filled}, "dest": {"index": copy}}, params={"refresh": "true"})
    index = OpenSearchIndex(opensearch_client, WAITING, EMBEDDER.name, copy)
    with pytest.raises(IndexUnavailable, match="reindex"):
        found(index)
    with pytest.raises(IndexUnavailable, match="reindex"):
        index.similar(SEEN, terms(QUERY), None, 10)


def test_the_engines_fusion_finds_the_same_with_their_cosines(opensearch_client: OpenSearch, filled: str) -> None:
    own = OpenSearchIndex(opensearch_client, WAITING, EMBEDDER.name, filled)
    engine = OpenSearchIndex(opensearch_client, WAITING, EMBEDDER.name, filled, fusion="engine")
    asked = (SEEN, Filter(), terms(QUERY), EMBEDDER.embed(QUERY))
    one, other = own.find(*asked).candidates, engine.find(*asked).candidates
    assert set(other.ids) == {"a0", "a1", "a2"}
    cosines = dict(zip(one.ids, one.cosines, strict=True))
    assert np.allclose([cosines[name] for name in other.ids], other.cosines, atol=1e-6)
    assert found_without_vector(engine) == {"a0", "a1", "a2"}


def found_without_vector(index: OpenSearchIndex) -> set[str]:
    return set(index.find(SEEN, Filter(), terms(QUERY), None).candidates.ids)


def test_the_engines_fusion_without_its_pipeline_is_refused(
    opensearch_client: OpenSearch, filled: str, caplog: pytest.LogCaptureFixture
) -> None:
    index = OpenSearchIndex(opensearch_client, WAITING, EMBEDDER.name, filled, fusion="engine", pipeline="_none")
    with pytest.raises(IndexUnavailable, match="pipeline"):
        found(index)
    assert "run setup" in caplog.text
    with pytest.raises(IndexUnavailable):
        found(OpenSearchIndex(opensearch_client, WAITING, EMBEDDER.name, filled, fusion="engine", pipeline="nowhere"))


def test_a_question_of_eight_thousand_characters_is_answered(opensearch_client: OpenSearch, filled: str) -> None:
    index = OpenSearchIndex(opensearch_client, WAITING, EMBEDDER.name, filled)
    words = [*(f"w{number}" for number in range(1_500)), "tea"]
    gathered = index.find(SEEN, Filter(), words, EMBEDDER.embed("tea"))
    assert gathered.corpus.frequencies[-1] == 3
    assert len(index.similar(SEEN, words[-400:], None, 5)) == 3


def test_those_that_were_used_are_counted_however_many_there_are(
    opensearch_client: OpenSearch, filled: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Used(NothingWaits):
        def used(self, _user_id: str) -> set[str]:
            return {"a0", "a2", "b0", "mem_purged", "mem_gone"}

    monkeypatch.setattr(opensearch, "_IDS_A_FILTER", 2)
    state = OpenSearchFacts(opensearch_client, Used(), Otherwise(), filled).statistics("local|ana", NOON, EMBEDDER.name)
    assert (state.active, state.unused) == (3, 1)


def test_what_is_counted_comes_page_by_page(
    opensearch_client: OpenSearch, filled: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = OpenSearchFacts(opensearch_client, WAITING, Otherwise(), filled)
    for size in (1, 2, 3, 10):
        monkeypatch.setattr(opensearch, "_OUTLINES_A_PAGE", size)
        assert [one.memory_id for one in known.outlines("local|ana")] == ["a0", "a1", "a2"]
    assert [one.memory_id for one in known.outlines("local|ana", terms("green tea"))] == ["a0"]
    assert [one.memory_id for one in known.outlines("local|ben")] == ["b0"]


def test_the_records_are_counted_where_an_index_keeps_no_outlines(opensearch_client: OpenSearch, filled: str) -> None:
    without = {name: what for name, what in properties(LAYOUT).items() if name != OUTLINE}
    metadata = {"embedding_model": EMBEDDER.name, "layout": "other"}
    name = f"other-{filled}"  # the template of the alias is not for it
    opensearch_client.indices.create(
        index=name,
        body={
            "settings": {"index": settings(LAYOUT)},
            "mappings": {"dynamic": "false", "_meta": metadata, "properties": without},
        },
    )
    try:
        switch(opensearch_client, filled, None, name, {"remove": {"index": f"{filled}-v1", "alias": filled}})
        assert OpenSearchWriter(opensearch_client, filled).put([stored("a0", "tea")]) == [IndexOutcome("done")]
        told = OpenSearchFacts(opensearch_client, WAITING, Otherwise(), filled).outlines("local|ana", ["tea"])
        assert [one.memory_id for one in told] == ["otherwise"]
    finally:
        opensearch_client.indices.delete(index=name)


def test_tags_are_kept_a_while_and_do_when_the_node_is_away(proxy: FaultProxy, filled: str) -> None:
    known = OpenSearchFacts(connect(proxy.url, seconds=10), WAITING, Otherwise(), filled, seconds=0.3)
    assert known.tags("local|ana") == {"tea": 3}
    asked = len(proxy.seen)
    assert known.tags("local|ana") == {"tea": 3}
    assert len(proxy.seen) == asked
    proxy.refuse()
    time.sleep(0.35)
    assert known.tags("local|ana") == {"tea": 3}
    assert known.tags("local|ben") == {}
    assert known.statistics("local|ana", NOON, EMBEDDER.name) == Otherwise.STATE
