"""Bringing changes into the index: any order, any part twice, some of it refused."""

import random
from collections.abc import Iterator

import numpy as np
import pytest
from opensearchpy import OpenSearch, RequestError

from cloud import faults
from cloud.proxy import Fault, FaultProxy
from commonplace.adapters.opensearch import rebuild
from commonplace.adapters.opensearch.client import connect
from commonplace.adapters.opensearch.rebuild import OpenSearchContents, OpenSearchWriter
from commonplace.domain.memory import Memory
from commonplace.ports.values import IndexChange, Stored, Tombstone
from tests.conftest import NOON
from tests.word_vectors import WordVectors

pytestmark = pytest.mark.integration

EMBEDDER = WordVectors()


def stored(name: str, text: str, version: int = 1, user_id: str = "local|ana", **fields: object) -> Stored:
    vector = EMBEDDER.embed(text)
    whole = {
        "memory_id": name, "user_id": user_id, "raw_text": text, "normalized_text": text, "memory_type": "fact",
        "category": "contexts", "section": "personal_context", "created_at": NOON, "updated_at": NOON, "version": version,
        "embedding_model": EMBEDDER.name if vector is not None else None, **fields,
    }  # fmt: skip
    return Stored(Memory.model_validate(whole), vector)


def documents(client: OpenSearch, alias: str) -> dict[str, dict[str, object]]:
    hits = client.search(index=alias, body={"size": 1000, "version": True})["hits"]["hits"]
    return {hit["_id"]: {**hit["_source"], "_version": hit["_version"]} for hit in hits}


def states(writer: OpenSearchWriter, *changes: IndexChange) -> list[str]:
    return [outcome.state for outcome in writer.put(changes)]


@pytest.fixture
def writer(opensearch_client: OpenSearch, new_index: str) -> OpenSearchWriter:
    return OpenSearchWriter(opensearch_client, new_index)


@pytest.fixture
def proxy(opensearch_url: str) -> Iterator[FaultProxy]:
    with FaultProxy(opensearch_url) as proxy:
        yield proxy


def test_whatever_the_order_the_end_is_the_same(
    writer: OpenSearchWriter, opensearch_client: OpenSearch, new_index: str
) -> None:
    history: list[IndexChange] = [
        stored("a", "tea"),
        stored("a", "coffee", 2),
        stored("b", "bread"),
        stored("b", "bread", 2, status="deleted"),
        Tombstone("local|ana", "b", 2),
        stored("c", "kept"),
    ]
    chance = random.Random(3)
    for _ in range(4):
        events = [*history, *chance.sample(history, 3)]
        chance.shuffle(events)
        assert set(states(writer, *events)) == {"done"}
    found = documents(opensearch_client, new_index)
    assert {name: (kept["status"], kept["version"]) for name, kept in found.items()} == {
        "a": ("active", 2), "b": ("purged", 2), "c": ("active", 1),
    }  # fmt: skip
    assert found["a"]["content"] == "coffee"
    assert set(found["b"]) == {"user_id", "status", "version", "_version"}


def test_what_is_done_is_found_at_once(writer: OpenSearchWriter, opensearch_client: OpenSearch, new_index: str) -> None:
    change = stored("a", "tea")
    for _ in range(2):  # the second time somebody else has written it
        assert states(writer, change) == ["done"]
        assert set(documents(opensearch_client, new_index)) == {"a"}


def test_a_change_that_is_refused_for_good_stops_no_other(
    writer: OpenSearchWriter, opensearch_client: OpenSearch, new_index: str
) -> None:
    poison = stored("b", "a secret of the user")
    poison = Stored(poison.memory, np.ones(7, dtype=np.float32))
    outcomes = writer.put([stored("a", "tea"), poison, stored("c", "bread")])
    assert [outcome.state for outcome in outcomes] == ["done", "failed", "done"]
    assert "400" in outcomes[1].reason
    assert "secret" not in outcomes[1].reason
    assert set(documents(opensearch_client, new_index)) == {"a", "c"}


def test_a_vector_of_another_model_stays_out(writer: OpenSearchWriter, opensearch_client: OpenSearch, new_index: str) -> None:
    assert states(writer, stored("a", "tea"), stored("b", "tea", embedding_model="another")) == ["done", "done"]
    with_vector = {"query": {"exists": {"field": "vector"}}}
    assert [hit["_id"] for hit in opensearch_client.search(index=new_index, body=with_vector)["hits"]["hits"]] == ["a"]


def test_of_a_bulk_answered_half_429_the_rejected_half_is_tried_again(
    proxy: FaultProxy, opensearch_client: OpenSearch, new_index: str
) -> None:
    writer = OpenSearchWriter(connect(proxy.url), new_index)
    changes = [stored(f"m{number}", f"memory {number}") for number in range(10)]
    proxy.plan(faults.half_rejected, faults.is_bulk)
    outcomes = writer.put(changes)
    assert [outcome.state for outcome in outcomes] == ["retry", "done"] * 5
    assert len(documents(opensearch_client, new_index)) == 5
    again = [change for change, outcome in zip(changes, outcomes, strict=True) if outcome.state == "retry"]
    assert set(states(writer, *again)) == {"done"}
    assert len(documents(opensearch_client, new_index)) == 10


@pytest.mark.parametrize("fault", [faults.status(429), faults.status(503), faults.cut_within, faults.cut_after])
def test_an_outage_is_told_for_each_change(proxy: FaultProxy, new_index: str, fault: Fault) -> None:
    writer = OpenSearchWriter(connect(proxy.url), new_index)
    proxy.plan(fault, faults.is_bulk, times=None)
    assert states(writer, stored("a", "tea"), stored("b", "bread")) == ["retry", "retry"]
    proxy.heal()
    assert states(writer, stored("a", "tea"), stored("b", "bread")) == ["done", "done"]


def test_without_an_index_everything_waits(opensearch_client: OpenSearch) -> None:
    assert states(OpenSearchWriter(opensearch_client, "test-nowhere"), stored("a", "tea")) == ["retry"]


def test_more_than_one_request_holds_is_put_in_parts(
    proxy: FaultProxy, opensearch_client: OpenSearch, new_index: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rebuild, "_BYTES", 50_000)
    changes = [stored(f"m{at}", f"{at} " + "word " * 1_000) for at in range(12)]
    assert set(states(OpenSearchWriter(connect(proxy.url), new_index), *changes)) == {"done"}
    bulks = [request for request in proxy.seen if faults.is_bulk(request)]
    assert len(bulks) > 1
    assert max(len(request.body) for request in bulks) < 51_000
    assert len(documents(opensearch_client, new_index)) == len(changes)


def test_a_field_that_nobody_laid_out_is_refused(opensearch_client: OpenSearch, new_index: str) -> None:
    with pytest.raises(RequestError, match="strict_dynamic_mapping_exception"):
        opensearch_client.index(index=new_index, body={"user_id": "local|ana", "surprise": 1})


def test_longest_texts_are_taken(writer: OpenSearchWriter, opensearch_client: OpenSearch, new_index: str) -> None:
    long = [stored("a", "x" * 8_000), stored("b", "𝕳𐍈" * 4_000), stored("c", "寿司" * 4_000), stored("d", "ﷺ" * 8_000)]
    assert set(states(writer, *long)) == {"done"}
    assert OpenSearchContents(opensearch_client, new_index).look_up(long) != [None] * 4
