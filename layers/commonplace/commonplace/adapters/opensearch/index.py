"""Searches the index in a domain, and adds pending writes. One request finds candidates, and another their neighbours.

Facts about a user's memories are aggregated by the domain or read from a cache.
"""

import bisect
import logging
import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property, partial
from typing import Any, Literal, NamedTuple, Protocol

import numpy as np
from opensearchpy import OpenSearch

from commonplace.adapters.opensearch import queries
from commonplace.adapters.opensearch.client import ask
from commonplace.adapters.opensearch.document import ALIAS, OUTLINE, ROW, unpacked
from commonplace.adapters.opensearch.queries import Clause
from commonplace.adapters.record_scan import TagCache, most_used, outlines_of
from commonplace.domain.outline import Outline
from commonplace.ports.index import DEPTHS, Corpus, Depth, Legs, PendingWrites, Retrieved
from commonplace.ports.records import UserFacts
from commonplace.ports.values import MOST_TAGS, Filter, IndexUnavailable, Similar, Statistics, Stored, Vector, Visibility
from commonplace.retrieval import bm25, candidate_rows
from commonplace.retrieval.candidate_rows import NOBODY, Row, counts_of
from commonplace.retrieval.record_scan import RecordScan

_log = logging.getLogger("commonplace")
_NEAR = DEPTHS["thorough"].by_vector  # k, the number of nearest vectors to find, even if fewer hits are returned
Fusion = Literal["own", "engine"]
Rows = dict[str, Row]
Ask = Callable[..., list[dict[str, Any]]]
"""A function that runs several searches in one request."""
MOST = 2_500
"""The maximum number of positions to fetch. If hits are spread over too many sessions, only the best hits get neighbours."""
Answer = Mapping[str, Any]
Sessions = Mapping[str, tuple[int, int]]
_ID, _USER = ROW.index("memory_id"), ROW.index("user_id")


class Hit(NamedTuple):
    """A hit with its values for `ROW`, and with its content if requested. `passes` is True if the hit passes the filter."""

    values: list[Any]
    score: float | None
    order: Sequence[Any]
    passes: bool
    content: str | None

    @property
    def memory_id(self) -> str:
        return str(self.values[_ID])


@dataclass(frozen=True)
class FindRequest:
    """A request to retrieve candidates from the index. `fusion` has the same meaning as in `OpenSearchIndex`."""

    ask: Ask
    visibility: Visibility
    filters: Filter
    terms: Sequence[str]
    vector: Vector | None
    pending: RecordScan
    fusion: Fusion
    pipeline: str
    depth: Depth
    with_legs: bool

    @cached_property
    def _visible(self) -> Clause:
        return queries.visible(self.visibility, self.pending.ids)

    @cached_property
    def _passing(self) -> list[Clause]:
        return queries.passing(self.filters)

    def retrieve(self) -> Retrieved:
        """Return the candidates and their neighbours, including those in pending writes."""
        aside, passing = self.pending.rows(self.visibility, self.filters, self.terms, self.vector)
        searches = self._build_search_legs()
        # Each leg's own scores require another search, because the main searches return cosines or fused scores.
        alone = self._build_legs(alone=True) if self.with_legs else {}
        statistics = queries.statistics(self._visible, self.terms, self.pending.model)
        counted, *legs = self.ask(statistics, *searches, *alone.values())
        own = candidate_rows.corpus_of(list(aside.values()), self.terms)
        corpus = candidate_rows.merged_corpus(_parse_corpus(counted, self.terms), own)
        waiting = {name: aside[name] for name in passing}
        gathered = self._add_neighbours(aside, self._collect_rows(legs[: len(searches)]) | waiting, corpus)
        if counted["aggregations"]["other_model"]["doc_count"] or any(row.other_model for row in aside.values()):
            gathered = replace(gathered, other_model=True)
        if not self.with_legs:
            return gathered
        answers = dict(zip(alone, legs[len(searches) :], strict=True))
        pending = candidate_rows.rankings_of(list(waiting.values()), corpus)
        return replace(gathered, legs=legs_from(answers, self.visibility.user_id, pending))

    @cached_property
    def _filter_clause(self) -> Clause:
        return queries.visible_and(self._visible, self._passing)

    def _build_legs(self, alone: bool = False) -> dict[str, queries.Body]:
        return queries.legs(self._filter_clause, self.terms, self.vector, self.pending.model, self.depth, alone)

    def _build_search_legs(self) -> list[queries.Body]:
        """Return one hybrid search, or a search for each leg. Returns [] if there are neither terms nor a vector."""
        if not self._is_fused or self.vector is None:
            return list(self._build_legs().values())
        model, depth = self.pending.model, self.depth
        return [queries.hybrid(self._filter_clause, self.terms, self.vector, model, self.pipeline, depth)]

    @property
    def _is_fused(self) -> bool:
        return self.fusion == "engine" and bool(self.terms) and self.vector is not None

    def _collect_rows(self, legs: Sequence[Answer]) -> Rows:
        """Return the hits as rows by memory id. Raises `IndexUnavailable` if a hybrid query ran without its pipeline."""
        rows_by_id: Rows = {}
        for leg in legs:
            if self._is_fused and any(hit["_score"] < 0 for hit in leg["hits"]["hits"]):  # the hits would contain duplicates
                _log.error("the hybrid query ran without its search pipeline: run setup, or choose FUSION=own")
                raise IndexUnavailable("the hybrid query ran without its search pipeline")
            rows, _ = self._parse_rows(leg, scored=self.vector is not None and not self._is_fused)
            rows_by_id |= rows
        return rows_by_id

    def _parse_rows(self, answer: Answer, scored: bool) -> tuple[Rows, set[str]]:
        """Return the user's hits as rows by memory id, and the ids of the hits that pass the filter."""
        rows, passing = {}, set()
        for hit in hits_of_user(answer, self.visibility.user_id):
            row = row_of_hit(hit, self.terms, self.pending.model, scored)
            rows[row.memory_id] = row
            if hit.passes:
                passing.add(row.memory_id)
        return rows, passing

    def _add_neighbours(self, aside: Rows, hits: Rows, corpus: Corpus) -> Retrieved:
        """Return `hits`, the pending rows `aside` and their neighbours. Neighbours that pass the filter are ranked."""
        rows, ranked = aside | hits, set(hits)
        everything = len(rows) == corpus.memories
        spans = {} if everything else spans_of(list(hits.values()), corpus, self.terms)
        unscored = set(hits).difference(self.pending.ids) if self._is_fused else set()
        names = {row.session for row in rows.values() if row.session is not None and not everything}
        searches = []
        if spans or unscored:
            searches.append(queries.neighbours_of(self._visible, self._passing, spans, unscored, hits, self.vector))
        if names:
            searches.append(queries.sessions(self._visible, names))
        answers = self.ask(*searches) if searches else []
        sessions: Sessions = candidate_rows.session_lengths_of(rows.values() if everything else aside.values())
        if names:
            sessions = _add_session_lengths(sessions, answers.pop())
        for answer in answers:
            read, passing = self._parse_rows(answer, scored=self.vector is not None)
            rows |= read
            ranked |= passing & within_reach(hits.values(), read.values())
        columns = candidate_rows.columns_of(list(rows.values()), ranked, sessions, self.terms, corpus.speakers)
        return Retrieved(columns, corpus, partial=not self.pending.complete)


class OpenSearchIndex:
    """Searches a user's memories in the index and in pending writes. `fusion="engine"` uses the domain's `hybrid` query."""

    def __init__(
        self, client: OpenSearch, pending: PendingWrites, embedding_model: str, alias: str = ALIAS,
        fusion: Fusion = "own", pipeline: str = queries.PIPELINE, depth: Depth = DEPTHS["thorough"],
    ) -> None:  # fmt: skip
        self._client, self._pending, self._model, self._alias = client, pending, embedding_model, alias
        self._fusion, self._pipeline, self._depth = fusion, pipeline, depth

    def find(
        self, visibility: Visibility, filters: Filter, terms: Sequence[str], vector: Vector | None, with_legs: bool = False
    ) -> Retrieved:
        """Return the best matches by words and by vector with their neighbours, and the counts for BM25."""
        return FindRequest(
            self._build_ask(visibility), visibility, filters, terms, vector, self._load_waiting(visibility), self._fusion,
            self._pipeline, self._depth, with_legs,
        ).retrieve()  # fmt: skip

    def similar(self, visibility: Visibility, terms: Sequence[str], vector: Vector | None, limit: int) -> list[Similar]:
        """Return visible memories that share words with the query or have near vectors, most similar first."""
        words, waiting = sorted(set(terms)), self._load_waiting(visibility)
        visible = queries.visible(visibility, waiting.ids)
        legs = [queries.sharing(visible, words, vector)] if words else []
        if vector is not None:
            legs.append(queries.with_content(queries.nearest(visible, vector, self._model, _NEAR), limit))
        counted, *answers = self._build_ask(visibility)(queries.statistics(visible, words, self._model), *legs)
        rows, texts = {}, {}
        for hit in (hit for answer in answers for hit in hits_of_user(answer, visibility.user_id)):
            rows[hit.memory_id] = row_of_hit(hit, words, self._model, scored=vector is not None)
            texts[hit.memory_id] = hit.content or ""
        newer, _ = waiting.rows(visibility, Filter(), words, vector)
        aside = list(newer.values())
        corpus = candidate_rows.merged_corpus(_parse_corpus(counted, words), candidate_rows.corpus_of(aside, words))
        return candidate_rows.similar_of([*rows.values(), *aside], texts | waiting.texts, corpus, limit)

    def most_important(self, visibility: Visibility, filters: Filter, limit: int) -> tuple[list[str], bool]:
        """Return the ids of visible memories that pass the filter, most important first, and whether ids may be missing."""
        waiting = self._load_waiting(visibility)
        allowed = queries.visible_and(queries.visible(visibility, waiting.ids), queries.passing(filters))
        (answer,) = self._build_ask(visibility)(queries.most_important(allowed, limit))
        ordered = [tuple(hit.order) for hit in hits_of_user(answer, visibility.user_id)]
        ordered += [
            (item.importance, item.happened_at.timestamp(), item.memory_id) for item in waiting.passing(visibility, filters)
        ]
        ordered.sort(reverse=True)
        return [memory_id for *_, memory_id in ordered[:limit]], not waiting.complete

    def _build_ask(self, visibility: Visibility) -> Ask:
        return partial(ask, self._client, self._alias, visibility.user_id)

    def _load_waiting(self, visibility: Visibility) -> RecordScan:
        records, complete = self._pending.pending(visibility.user_id)
        return RecordScan(records, self._model, complete)


def spans_of(rows: Sequence[Row], corpus: Corpus, terms: Sequence[str]) -> dict[str, list[tuple[int, int]]]:
    """Return the spans of positions around the best rows, by session. A span extends `2 * bm25.REACH` positions each way."""
    served: list[Row] = []
    places: set[tuple[str, int]] = set()
    for row in _interleave_rows(rows, corpus, terms):
        if row.session is not None and len(places) < MOST:
            served.append(row)
            places.update((row.session, row.position + step) for step in range(-2 * bm25.REACH, 2 * bm25.REACH + 1))
    return {session: _merge_spans(positions) for session, positions in _collect_positions(served).items()}


def _interleave_rows(rows: Sequence[Row], corpus: Corpus, terms: Sequence[str]) -> list[Row]:
    """Return the rows, alternating between the best keyword matches and the nearest vectors."""
    if not rows:
        return []
    columns = candidate_rows.columns_of(rows, (), candidate_rows.session_lengths_of(rows), terms)
    words = bm25.lexical(columns, corpus, bm25.inverse_document_frequency(corpus), bm25.window(columns))
    by_words = np.argsort(-words, kind="stable")
    by_vector = np.argsort(-np.nan_to_num(columns.cosines, nan=-1.0), kind="stable")
    return [rows[at] for at in dict.fromkeys(np.stack([by_words, by_vector], axis=1).ravel().tolist())]


def within_reach(hits: Iterable[Row], rows: Iterable[Row]) -> set[str]:
    """Return the ids of `rows` that are within `bm25.REACH` positions of a hit in the same session."""
    places = _collect_positions(hits)
    return {row.memory_id for row in rows if row.session in places and _is_near(places[row.session], row.position)}


def _collect_positions(rows: Iterable[Row]) -> dict[str, list[int]]:
    places: dict[str, list[int]] = {}
    for row in rows:
        if row.session is not None:
            bisect.insort(places.setdefault(row.session, []), row.position)
    return places


def _is_near(positions: Sequence[int], position: int) -> bool:
    at = bisect.bisect_left(positions, position - bm25.REACH)
    return at < len(positions) and positions[at] <= position + bm25.REACH


def _merge_spans(positions: Iterable[int]) -> list[tuple[int, int]]:
    """Return the spans around sorted positions, as pairs of first and last position. Overlapping spans are merged."""
    merged: list[tuple[int, int]] = []
    for position in positions:
        first, last = position - 2 * bm25.REACH, position + 2 * bm25.REACH
        if merged and first <= merged[-1][1]:
            merged[-1] = merged[-1][0], last
        else:
            merged.append((first, last))
    return merged


def hits_of_user(answer: Answer, user_id: str) -> Iterator[Hit]:
    """Yield the hits that belong to this user. Raises `IndexUnavailable` if a document has no packed row."""
    hits = answer["hits"]["hits"]
    if any("fields" not in hit for hit in hits):
        raise IndexUnavailable("documents lack what ranking must know: run commonplace reindex")
    for hit, row in zip(hits, unpacked(hit["fields"]["row"][0] for hit in hits), strict=True):
        if row[_USER] == user_id:
            passes = "passes" in hit.get("matched_queries", ())
            yield Hit(row, hit["_score"], hit.get("sort", ()), passes, hit.get("_source", {}).get("content"))


def row_of_hit(hit: Hit, terms: Sequence[str], model: str, scored: bool) -> Row:
    """Convert a hit to a row. If `scored` is true, the hit's score is (1 + cosine) / 2, or 0 if it has no vector."""
    name, _, tokens, labels, length, session, position, speaker, *flags, day, importance, created, made_by = hit.values
    placed = session is not None and position is not None
    return Row(
        memory_id=name,
        counts=counts_of(tokens.split(), labels.split(), terms),
        length=length,
        cosine=cosine(hit.score or 0.0, made_by == model) if scored else math.nan,
        session=session if placed else None,
        position=-1 if position is None else position,
        speaker=speaker,
        question=flags[0],
        instruction=flags[1],
        preference=flags[2],
        day=day,
        importance=importance,
        created=created,
        other_model=made_by not in (None, model),
    )


def legs_from(answers: Mapping[str, Answer], user_id: str, pending: Legs) -> Legs:
    """Return the hits of each leg, merged with pending writes. `answers` are the results of `queries.legs(alone=True)`."""
    hits_by_leg = {name: list(hits_of_user(answer, user_id)) for name, answer in answers.items()}
    words = [(hit.memory_id, hit.score or 0.0) for hit in hits_by_leg.get("lexical", ())]
    near = [(hit.memory_id, cosine(hit.score or 0.0, same_model=True)) for hit in hits_by_leg.get("vector", ())]
    return Legs(candidate_rows.best_first([*words, *pending.lexical]), candidate_rows.best_first([*near, *pending.vector]))


def cosine(score: float, same_model: bool) -> float:
    """Return the cosine for a score, or NaN if there is no vector or the vector comes from another model."""
    return 2 * score - 1 if score > 0 and same_model else math.nan


def _parse_corpus(answer: Answer, terms: Sequence[str]) -> Corpus:
    counted = answer["aggregations"]
    speakers = {bucket["key"] for bucket in counted["speakers"]["buckets"]}
    buckets = counted["held"]["buckets"] if terms else []
    return Corpus(
        memories=int(answer["hits"]["total"]["value"]),
        average_length=counted["length"]["value"] or 1.0,
        frequencies=np.array([bucket["doc_count"] for bucket in buckets], dtype=np.float64),
        speakers=frozenset(speakers) - NOBODY,
        years=tuple(sorted(bucket["key"] for bucket in counted["years"]["buckets"])),
    )


def _add_session_lengths(first: Sessions, answer: Answer) -> Sessions:
    """Add the counts of memories and tokens per session in a response to those in `first`, and return the sums."""
    lengths = dict(first)
    for bucket in answer["aggregations"]["sessions"]["buckets"]:
        memories, tokens = lengths.get(bucket["key"], (0, 0))
        lengths[bucket["key"]] = memories + bucket["doc_count"], tokens + int(bucket["tokens"]["value"])
    return lengths


_ALL_TAGS = 10_000
_RETRY_AFTER = 10.0  # seconds
_IDS_A_FILTER = 5_000
_USED = "used-"
_OUTLINES_A_PAGE = 10_000  # the domain's limit


class UnindexedState(PendingWrites, Protocol):
    """Pending writes and usage, which the index does not contain."""

    def used(self, user_id: str) -> set[str]:
        """Return the ids of memories that searches have returned. Hits that no fold has counted yet are left out."""


class OpenSearchFacts:
    """Returns facts about memories that the domain aggregates, merged with pending writes.

    Tags only help to choose tags for new memories, so they are cached for `seconds`. If the domain is unavailable, the last
    known tags are returned, and statistics and outlines come from `otherwise`.
    """

    def __init__(
        self, client: OpenSearch, pending: UnindexedState, otherwise: UserFacts, alias: str = ALIAS, seconds: float = 60.0
    ) -> None:
        self._client, self._pending, self._otherwise, self._alias = client, pending, otherwise, alias
        self._seconds, self._kept = seconds, TagCache()

    def tags(self, user_id: str) -> dict[str, int]:
        fresh = self._kept.fresh(user_id)
        if fresh is not None:
            return fresh
        try:
            counts, *_ = self._count_tags(user_id, MOST_TAGS)
        except IndexUnavailable as error:
            _log.warning("index unavailable for tags: %s", error)
            return self._kept.keep(user_id, self._kept.last(user_id), min(self._seconds, _RETRY_AFTER))
        return self._kept.keep(user_id, most_used(counts), self._seconds)

    def statistics(self, user_id: str, now: datetime, embedding_model: str) -> Statistics:
        used = self._pending.used(user_id)
        states = {**_build_state_filters(now.timestamp(), embedding_model), **_filter_used(sorted(used), now.timestamp())}
        try:
            tags, counted, waiting = self._count_tags(user_id, _ALL_TAGS, {"states": {"filters": {"filters": states}}})
        except IndexUnavailable as error:
            _log.warning("index unavailable for statistics: %s", error)
            return self._otherwise.statistics(user_id, now, embedding_model)
        live = [stored for stored in waiting if not stored.memory.has_expired(now)]
        made_by = [stored.memory.embedding_model for stored in live if stored.vector is not None]
        indexed: dict[str, int] = {name: bucket["doc_count"] for name, bucket in counted["states"]["buckets"].items()}
        unused_indexed = indexed["live"] - sum(count for name, count in indexed.items() if name.startswith(_USED))
        return Statistics(
            active=indexed["live"] + len(live),
            expired=indexed["lapsed"] + sum(stored.memory.has_lapsed(now) for stored in waiting),
            unused=unused_indexed + sum(stored.memory.memory_id not in used for stored in live),
            without_vector=indexed["without_vector"] + len(live) - len(made_by),
            other_embedding=indexed["other"] + sum(model != embedding_model for model in made_by),
            tags=len(tags),
            single_tags=sum(count == 1 for count in tags.values()),
        )

    def outlines(self, user_id: str, terms: Sequence[str] = ()) -> list[Outline]:
        pending, _ = self._pending.pending(user_id)
        try:
            indexed = list(self._load_outlines(user_id, terms, [stored.memory.memory_id for stored in pending]))
        except IndexUnavailable as error:
            _log.warning("index unavailable for outlines: %s", error)
            return self._otherwise.outlines(user_id, terms)
        own = (stored.memory for stored in pending if stored.memory.user_id == user_id)
        return [*indexed, *outlines_of(own, terms)]

    def _load_outlines(self, user_id: str, terms: Sequence[str], without: Sequence[str]) -> Iterator[Outline]:
        """Yield the outlines of a user's memories. Other users' documents are dropped even if the domain returns them."""
        body = queries.outlines(user_id, terms, without, _OUTLINES_A_PAGE)
        while True:
            (answer,) = ask(self._client, self._alias, user_id, body)
            hits = answer["hits"]["hits"]
            if any("fields" not in hit for hit in hits):
                raise IndexUnavailable("documents lack what is counted of them: run commonplace reindex")
            for owner, *values in unpacked(hit["fields"][OUTLINE][0] for hit in hits):
                if owner == user_id and values:
                    yield Outline.from_values(values)
            if len(hits) < _OUTLINES_A_PAGE:
                return
            body = {**body, "search_after": hits[-1]["sort"]}

    def _count_tags(
        self, user_id: str, most: int, states: Mapping[str, Any] | None = None
    ) -> tuple[Counter[str], dict[str, Any], list[Stored]]:
        """Return the number of memories per tag, the domain's aggregations, and the active memories in pending writes."""
        pending, _ = self._pending.pending(user_id)
        active = [stored for stored in pending if stored.memory.user_id == user_id and stored.memory.status == "active"]
        body = {
            "query": queries.active_of_user(user_id, [stored.memory.memory_id for stored in pending]),
            "size": 0,
            "aggs": {"tags": {"terms": {"field": "tags", "size": most}}, **(states or {})},
        }
        (answer,) = ask(self._client, self._alias, user_id, body)
        aggregations = answer["aggregations"]
        counts = Counter({bucket["key"]: bucket["doc_count"] for bucket in aggregations["tags"]["buckets"]})
        counts.update(tag for stored in active for tag in set(stored.memory.tags))
        return counts, aggregations, active


def _build_state_filters(now: float, embedding_model: str) -> dict[str, Any]:
    expired = {"range": {"expires_at": {"lte": now}}}
    embedded = {"exists": {"field": "embedding_model"}}
    return {
        "live": _build_live(now),
        "lapsed": {"bool": {"filter": [expired, {"term": {"durability": "durable"}}]}},
        "without_vector": {"bool": {"must_not": [expired, embedded]}},
        "other": {"bool": {"filter": [embedded], "must_not": [expired, {"term": {"embedding_model": embedding_model}}]}},
    }


def _filter_used(ids: Sequence[str], now: float) -> dict[str, Any]:
    """Return filters for the unexpired memories among `ids`. Each filter contains at most 5,000 ids."""
    starts = range(0, len(ids), _IDS_A_FILTER)
    return {f"{_USED}{start}": _build_live(now, {"ids": {"values": ids[start : start + _IDS_A_FILTER]}}) for start in starts}


def _build_live(now: float, *also: Mapping[str, Any]) -> dict[str, Any]:
    return {"bool": {"filter": [*also], "must_not": [{"range": {"expires_at": {"lte": now}}}]}}
