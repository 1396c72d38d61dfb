"""Builds the bodies of search requests with pure functions. Every leg is restricted to visible memories."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from commonplace.adapters.opensearch.client import integer, numbers
from commonplace.ports.index import Depth
from commonplace.ports.values import Filter, Vector, Visibility

Clause = dict[str, Any]

NEIGHBOURS, SIMILAR = 5_000, 20
PIPELINE = "commonplace-fusion"
Body = dict[str, Any]
_TERMS_IN_A_QUERY = 500  # maximum terms per field; a query searches two fields, and statistics count all terms
_LABELS = 0.3
_SPEAKERS = _YEARS = 1_000
Spans = Mapping[str, Sequence[tuple[int, int]]]


def visible(visibility: Visibility, without: Iterable[str] = ()) -> Clause:
    """Match the user's active, currently valid, unexpired memories for the given agents, except the ids in `without`."""
    now = visibility.now.timestamp()
    hidden: list[Clause] = [{"range": {"valid_from": {"gt": now}}}, {"range": {"valid_to": {"lte": now}}}]
    if not visibility.include_expired:
        hidden.append({"range": {"expires_at": {"lte": now}}})
    own = active_of_user(visibility.user_id, without)["bool"]
    mine = [*own["filter"], {"terms": {"agent_id": list(visibility.agents)}}]
    return {"bool": {"filter": mine, "must_not": [*hidden, *own["must_not"]]}}


def active_of_user(user_id: str, without: Iterable[str] = ()) -> Clause:
    """Match the user's active memories for all agents, except the ids in `without`."""
    ids = sorted(without)
    return {
        "bool": {
            "filter": [{"term": {"user_id": user_id}}, {"term": {"status": "active"}}],
            "must_not": [{"ids": {"values": ids}}] if ids else [],
        }
    }


def passing(filters: Filter) -> list[Clause]:
    """Return the clauses for a filter. They don't check whether a memory is visible."""
    clauses: list[Clause] = [{"term": {name: value}} for name, value in filters.equal.items()]
    if filters.types is not None:
        clauses.append({"terms": {"memory_type": list(filters.types)}})
    if filters.importance_min is not None:
        clauses.append({"range": {"importance": {"gte": filters.importance_min}}})
    if filters.after is not None:
        clauses.append({"range": {"happened_at": {"gte": filters.after.timestamp()}}})
    if filters.before is not None:
        clauses.append({"range": {"happened_at": {"lt": filters.before.timestamp()}}})
    return clauses


def visible_and(seen: Clause, clauses: Sequence[Clause]) -> Clause:
    """Match visible memories that meet all clauses."""
    return {"bool": {"filter": [seen, *clauses]}}


def by_words(allowed: Clause, terms: Sequence[str], vector: Vector | None, most: int) -> Body:
    """Find the memories with the best keyword matches. If a vector is given, compute the returned scores from cosines."""
    body = _list_rows({"bool": {"filter": [allowed], "must": [_match_words(terms)]}}, most)
    return body if vector is None else {**body, "rescore": _build_rescoring(vector, most)}


def nearest(allowed: Clause, vector: Vector, model: str, most: int) -> Body:
    """Find the memories with the nearest vectors from `model`. The filter is part of the k-NN query."""
    return _list_rows(_match_nearest(allowed, vector, model, most), most)


def legs(
    allowed: Clause, terms: Sequence[str], vector: Vector | None, model: str, depth: Depth, alone: bool = False
) -> dict[str, Body]:
    """Return the search for each leg, by name. If `alone` is true, each leg returns its own scores, which are for display."""
    words = {"lexical": by_words(allowed, terms, None if alone else vector, depth.by_words)} if terms else {}
    return words if vector is None else {**words, "vector": nearest(allowed, vector, model, depth.by_vector)}


def hybrid(allowed: Clause, terms: Sequence[str], vector: Vector, model: str, pipeline: str, depth: Depth) -> Body:
    """Find the memories with the best keyword matches or the nearest vectors. The domain merges both rankings."""
    words = {"bool": {"filter": [allowed], "must": [_match_words(terms)]}}
    queries = [words, _match_nearest(allowed, vector, model, depth.by_vector)]
    body = {**_list_rows({"hybrid": {"queries": queries}}, depth.by_words), "search_pipeline": pipeline}
    return {name: value for name, value in body.items() if name != "track_total_hits"}


def statistics(seen: Clause, terms: Sequence[str], model: str) -> Body:
    """Count all memories and those with each term, list speakers and years, and compute the mean length. Return no hits.

    Also count memories with a vector from another model, including vectors that the index leaves out for that reason.
    """
    searched = {"bool": {"filter": [{"term": {"embedding_model": model}}, {"exists": {"field": "vector"}}]}}
    counts: dict[str, Clause] = {
        "length": {"avg": {"field": "length"}},
        "speakers": {"terms": {"field": "speaker", "size": _SPEAKERS}},
        "years": {"terms": {"field": "year", "size": _YEARS}},
        "other_model": {"filter": {"bool": {"filter": [{"exists": {"field": "embedding_model"}}], "must_not": [searched]}}},
    }
    return _build_count(seen, {**counts, **({"held": {"filters": {"filters": _match_terms(terms)}}} if terms else {})})


def neighbours_of(
    seen: Clause, passing: Sequence[Clause], spans: Spans, ids: Collection[str], known: Collection[str], vector: Vector | None
) -> Body:
    """Find memories in `spans` that are not `known`, and memories with `ids`. Mark hits that pass the filter as `passes`."""
    places: list[Clause] = [
        {
            "bool": {
                "filter": [
                    {"term": {"session_id": name}},
                    {"range": {"position": {"gte": integer(first), "lte": integer(last)}}},
                ],
                "must_not": [{"ids": {"values": sorted(known)}}],
            }
        }
        for name, ranges in spans.items()
        for first, last in ranges
    ]
    if ids:
        places.append({"ids": {"values": sorted(ids)}})
    mark = {"bool": {"filter": [*passing, {"match_all": {}}], "_name": "passes"}}
    query = {"bool": {"filter": [seen, {"bool": {"should": places, "minimum_should_match": 1}}], "should": [mark]}}
    return _list_rows(query if vector is None else _score_by_cosine(query, vector), NEIGHBOURS)


def sessions(seen: Clause, names: Collection[str]) -> Body:
    """Count the memories and tokens in each session."""
    conditions = [{"terms": {"session_id": sorted(names)}}, {"exists": {"field": "position"}}]
    each = {"terms": {"field": "session_id", "size": len(names)}, "aggs": {"tokens": {"sum": {"field": "length"}}}}
    return _build_count({"bool": {"filter": [seen, *conditions]}}, {"sessions": each})


def sharing(seen: Clause, terms: Sequence[str], vector: Vector | None) -> Body:
    """Find memories whose own text shares words with the query, and return their texts."""
    body = with_content(_list_rows({"bool": {"filter": [seen], "must": [_match_field("tokens", terms)]}}, SIMILAR), SIMILAR)
    return body if vector is None else {**body, "rescore": _build_rescoring(vector, SIMILAR)}


def outlines(user_id: str, terms: Sequence[str], without: Iterable[str], size: int) -> Body:
    """Find a page of outlines for memories that contain all terms. Closed memories count, but those in `without` do not."""
    hidden: list[Clause] = [{"term": {"status": "purged"}}, {"ids": {"values": sorted(without)}}]
    query = {"bool": {"filter": [{"term": {"user_id": user_id}}, *_match_terms(terms)], "must_not": hidden}}
    return {**_list_rows(query, size), "docvalue_fields": ["outline"], "sort": [{"memory_id": "asc"}]}


def with_content(body: Body, size: int) -> Body:
    """Return a copy of a search that returns only the first `size` hits, with their texts."""
    fields = {name: value for name, value in body.items() if name != "stored_fields"}  # this option would suppress the source
    return {**fields, "size": size, "_source": ["content"]}


def most_important(allowed: Clause, limit: int) -> Body:
    """Find the most important memories. Among equally important memories, the newest comes first."""
    return {**_list_rows(allowed, limit), "sort": [{name: "desc"} for name in ("importance", "happened_at", "memory_id")]}


def _list_rows(query: Clause, size: int) -> Body:
    """Return a search whose hits contain only their packed rows."""
    rows = {"_source": False, "stored_fields": "_none_", "docvalue_fields": ["row"]}
    return {"query": query, "size": size, "track_total_hits": False, **rows}


def _build_count(query: Clause, aggregations: Mapping[str, Clause]) -> Body:
    return {"query": query, "size": 0, "track_total_hits": True, "aggs": dict(aggregations)}


def _match_terms(terms: Sequence[str]) -> list[Clause]:
    return [{"bool": {"should": [{"term": {"tokens": term}}, {"term": {"labels": term}}]}} for term in terms]


def _match_words(terms: Sequence[str]) -> Clause:
    return {"bool": {"should": [_match_field("tokens", terms), _match_field("labels", terms, _LABELS)]}}


def _match_field(field: str, terms: Sequence[str], boost: float = 1.0) -> Clause:
    return {"match": {field: {"query": " ".join(terms[:_TERMS_IN_A_QUERY]), "boost": boost}}}


def _match_nearest(allowed: Clause, vector: Vector, model: str, most: int) -> Clause:
    inside = {"bool": {"filter": [allowed, {"term": {"embedding_model": model}}]}}
    return {"knn": {"vector": {"vector": numbers(vector), "k": most, "filter": inside}}}


def _score_by_cosine(query: Clause, vector: Vector) -> Clause:
    """Score each match by (1 + cosine) / 2, or by 0 if it has no vector."""
    script = {"field": "vector", "query_value": numbers(vector), "space_type": "cosinesimil"}
    return {"script_score": {"query": query, "script": {"lang": "knn", "source": "knn_score", "params": script}}}


def _build_rescoring(vector: Vector, window: int) -> Clause:
    only = {"rescore_query": _score_by_cosine({"match_all": {}}, vector), "query_weight": 0, "rescore_query_weight": 1}
    return {"window_size": window, "query": only}
