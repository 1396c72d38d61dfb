"""What is asked of OpenSearch: every search of every leg names its user, and no vector of another model is compared."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import numpy as np
import pytest

from commonplace.adapters.opensearch import index, queries
from commonplace.adapters.opensearch.client import routing_of
from commonplace.adapters.opensearch.document import ROW, Layout, mark, packed, properties, source, unpacked
from commonplace.adapters.opensearch.index import FindRequest, Fusion
from commonplace.domain.memory import Memory
from commonplace.domain.outline import Outline
from commonplace.memories.transitions import erased
from commonplace.ports.index import DEPTHS, Corpus, Legs
from commonplace.ports.values import Filter, Stored, Vector, Visibility
from commonplace.retrieval import bm25
from commonplace.retrieval.candidate_rows import Row
from commonplace.retrieval.record_scan import RecordScan
from tests.conftest import NOON

SEEN = Visibility("issuer|ana", ("global", "travel"), NOON)
VECTOR = np.full(4, 0.5, dtype=np.float32)
ALLOWED = queries.visible(SEEN, ["mem_pending"])
PASSING = queries.passing(Filter(collection="work", before=NOON + timedelta(days=1)))
TERMS = ["tea", "green"]
BODIES = {
    "words": queries.by_words(ALLOWED, TERMS, VECTOR, 200),
    "nearest": queries.nearest(ALLOWED, VECTOR, "model", 100),
    "hybrid": queries.hybrid(ALLOWED, TERMS, VECTOR, "model", "pipeline", DEPTHS["thorough"]),
    **{
        f"{name} alone": body
        for name, body in queries.legs(ALLOWED, TERMS, VECTOR, "model", DEPTHS["fast"], alone=True).items()
    },
    "statistics": queries.statistics(ALLOWED, TERMS, "model"),
    "around": queries.neighbours_of(ALLOWED, PASSING, {"s": [(0, 24)]}, {"mem_1"}, {"mem_2"}, VECTOR),
    "around without vector": queries.neighbours_of(ALLOWED, PASSING, {"s": [(0, 24)]}, set(), {"mem_2"}, None),
    "sessions": queries.sessions(ALLOWED, {"s"}),
    "sharing": queries.sharing(ALLOWED, TERMS, None),
    "most important": queries.most_important(queries.visible_and(ALLOWED, PASSING), 10),
}


def test_each_leg_is_as_long_as_its_depth() -> None:
    fast, most = DEPTHS["fast"], DEPTHS["thorough"]
    assert (most, fast) == ((200, 100), (50, 50))
    words, near = BODIES["words"], BODIES["nearest"]
    assert (words["size"], words["rescore"]["window_size"]) == (200, 200)
    assert (near["size"], _k(near["query"])) == (100, 100)
    fused = queries.hybrid(ALLOWED, TERMS, VECTOR, "model", "pipeline", fast)
    assert (fused["size"], _k(fused["query"]["hybrid"]["queries"][1])) == (50, 50)
    assert [body["size"] for body in queries.legs(ALLOWED, TERMS, VECTOR, "model", fast).values()] == [50, 50]


def _k(query: Any) -> int:
    found: int = query["knn"]["vector"]["k"]
    return found


def test_what_is_counted_is_asked_of_one_user_without_what_waits_and_what_is_purged() -> None:
    body = queries.outlines("issuer|ana", ["tea"], ["mem_b", "mem_a"], 10)
    (leg,) = legs(body)
    met = list(required(leg))
    assert {"term": {"user_id": "issuer|ana"}} in met
    assert {"not": {"ids": {"values": ["mem_a", "mem_b"]}}} in met
    assert {"not": {"term": {"status": "purged"}}} in met
    assert leg["bool"]["filter"][1] == {"bool": {"should": [{"term": {"tokens": "tea"}}, {"term": {"labels": "tea"}}]}}
    assert (body["docvalue_fields"], body["_source"], body["sort"]) == (["outline"], False, [{"memory_id": "asc"}])


@pytest.mark.parametrize("erases", [False, True])
def test_an_outline_comes_back_as_it_was(erases: bool) -> None:
    memory = Memory(
        memory_id="mem_1", user_id="issuer|ana", raw_text="green tea", normalized_text="green tea", memory_type="fact",
        category="contexts", section="personal_context", created_at=NOON, updated_at=NOON, tags=("tea",), concepts=("茶",),
    )  # fmt: skip
    memory = erased(memory, NOON) if erases else memory
    kept = source(Stored(memory, None), mark(Layout("model", 4)))
    assert kept.keys() <= properties(Layout("model", 4)).keys()
    ((owner, *told),) = unpacked([kept["outline"].rstrip("=").translate(str.maketrans("+/", "-_"))])
    assert owner == "issuer|ana"
    outline = Outline.of(memory)
    assert (Outline.from_values(told) if told else None) == outline


def legs(body: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The queries that each find documents on their own."""
    query = body["query"]
    for leg in query["hybrid"]["queries"] if "hybrid" in query else [query]:
        yield leg["knn"]["vector"]["filter"] if "knn" in leg else leg


def required(query: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The clauses that every document found must meet, or must not (under `not`)."""
    if "script_score" in query:
        yield from required(query["script_score"]["query"])
    elif "bool" in query:
        for inner in query["bool"].get("filter", []):
            yield from required(inner)
        yield from ({"not": inner} for inner in query["bool"].get("must_not", []))
    else:
        yield query


@pytest.mark.parametrize("name", BODIES)
def test_every_leg_names_its_user_and_what_may_be_seen(name: str) -> None:
    for leg in legs(BODIES[name]):
        met = list(required(leg))
        for clause in (
            {"term": {"user_id": "issuer|ana"}},
            {"term": {"status": "active"}},
            {"terms": {"agent_id": ["global", "travel"]}},
            {"not": {"range": {"expires_at": {"lte": NOON.timestamp()}}}},
            {"not": {"ids": {"values": ["mem_pending"]}}},
        ):
            assert clause in met


@pytest.mark.parametrize("name", ["nearest", "hybrid"])
def test_only_vectors_of_the_same_model_are_near(name: str) -> None:
    *_, near = legs(BODIES[name])
    assert {"term": {"embedding_model": "model"}} in list(required(near))


def test_a_route_is_one_whatever_the_name() -> None:
    routes = {routing_of(name) for name in ("a", "b", "a,b", "issuer|ana", "ユーザー")}
    assert len(routes) == 5
    assert not any("," in route for route in routes)


def test_a_row_comes_back_as_it_went() -> None:
    values = {"memory_id": "m", "user_id": "u", "tokens": "寿司 tea", "labels": "", "length": 2, "session_id": None,
              "position": None, "speaker": "mia", "question": False, "instruction": True, "preference": False, "day": 739_000,
              "importance": 0.1, "created_at": 1779271200.123456, "embedding_model": "model"}  # fmt: skip
    fields = [packed(values).rstrip("="), packed(values | {"tokens": "a"}).rstrip("=")]
    one, other = unpacked(fields)
    assert dict(zip(ROW, one, strict=True)) == values
    assert other[ROW.index("tokens")] == "a"
    assert unpacked([]) == []


def row(number: int, session: str | None, position: int, count: float = 0.0, cosine: float = 0.0) -> Row:
    return Row(
        f"m{number}", (count,), 10, cosine, session, position, None, False, False, False, 1, 0.5, 0.0, other_model=False
    )


CORPUS = Corpus(10_000, 10.0, np.array([20.0]), frozenset(), ())


def test_neighbours_are_read_twice_the_reach_around_each_hit() -> None:
    twice = 2 * bm25.REACH
    rows = [row(1, "s", 50, 1.0), row(2, "s", 52), row(3, "s", 200), row(4, "t", 1), row(5, None, -1, 9.0)]
    assert index.spans_of(rows, CORPUS, ["tea"]) == {
        "s": [(50 - twice, 52 + twice), (200 - twice, 200 + twice)], "t": [(1 - twice, 1 + twice)],
    }  # fmt: skip
    assert index.spans_of([], CORPUS, ["tea"]) == {}


def test_of_too_many_hits_the_best_by_words_and_by_vector_are_served() -> None:
    rows = [row(number, f"s{number}", 50) for number in range(300)]
    rows += [row(300, "words", 50, count=3.0), row(301, "vector", 50, cosine=0.9)]
    served = index.spans_of(rows, CORPUS, ["tea"])
    assert {"words", "vector"} <= set(served)
    assert sum(last - first + 1 for spans in served.values() for first, last in spans) <= index.MOST + 25


def test_those_within_reach_of_a_hit_stand_in_its_session() -> None:
    found = [row(1, "s", 10), row(2, None, -1)]
    others = [row(3, "s", 10 + bm25.REACH), row(4, "s", 11 + bm25.REACH), row(5, "t", 10), row(6, None, -1)]
    assert index.within_reach(found, others) == {"m3"}


def kept(memory_id: str, user_id: str = "issuer|ana") -> str:
    fields = dict.fromkeys(ROW) | {"memory_id": memory_id, "user_id": user_id, "tokens": "tea", "labels": "", "length": 1}
    return packed(fields).rstrip("=")


def answer(**scores: float) -> dict[str, Any]:
    found = [{"_score": score, "fields": {"row": [kept(name)]}} for name, score in scores.items()]
    others = [{"_score": 9.0, "fields": {"row": [kept("hers", "issuer|mia")]}}]
    return {"hits": {"hits": [*found, *others]}}


def test_legs_hold_the_scores_of_words_and_cosines_with_what_waits_beside_them() -> None:
    told = {"lexical": answer(one=3.0, two=1.0), "vector": answer(two=0.75)}
    legs = index.legs_from(told, "issuer|ana", Legs(lexical=[("waits", 2.0)], vector=[("waits", 0.9)]))
    assert legs.lexical == [("one", 3.0), ("waits", 2.0), ("two", 1.0)]
    assert legs.vector == [("waits", 0.9), ("two", 0.5)]


@pytest.mark.parametrize("fusion", ["own", "engine"])
@pytest.mark.parametrize("vector", [VECTOR, None], ids=["vector", "words"])
def test_only_who_wants_to_see_the_legs_asks_for_more(fusion: Fusion, vector: Vector | None) -> None:
    sent: list[Any] = []

    def ask(*bodies: dict[str, Any]) -> list[dict[str, Any]]:
        sent.append(bodies)
        counted = {
            "length": {"value": 1.0},
            "speakers": {"buckets": []},
            "years": {"buckets": []},
            "other_model": {"doc_count": 0},
        }
        held = {"held": {"buckets": [{"doc_count": 0}] * 2}}
        nothing = {"hits": {"hits": [], "total": {"value": 0}}, "aggregations": counted | held}
        return [nothing for _ in bodies]

    def asked(with_legs: bool) -> int:
        sent.clear()
        pending = RecordScan([], "model")
        request = FindRequest(ask, SEEN, Filter(), TERMS, vector, pending, fusion, "pipeline", DEPTHS["fast"], with_legs)
        assert (request.retrieve().legs == Legs([], [])) == with_legs
        assert len(sent) == 1
        return len(sent[0])

    assert asked(with_legs=True) - asked(with_legs=False) == (1 if vector is None else 2)
