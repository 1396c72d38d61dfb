"""The index of a domain: candidates and counts in one request, neighbours in a second; pending writes are joined in."""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, Literal

from opensearchpy import OpenSearch

from commonplace.adapters.opensearch import hits, queries
from commonplace.adapters.opensearch.client import ask
from commonplace.adapters.opensearch.document import ALIAS
from commonplace.adapters.opensearch.queries import Clause
from commonplace.ports.candidates import DEPTHS, Corpus, Depth, Retrieved
from commonplace.ports.pending_writes import PendingWrites
from commonplace.ports.record_values import Vector
from commonplace.ports.values import Filter, IndexUnavailable, Similar, Visibility
from commonplace.retrieval import candidate_rows
from commonplace.retrieval.candidate_rows import Row
from commonplace.retrieval.record_scan import RecordScan

_log = logging.getLogger("commonplace")
_NEAR = DEPTHS["thorough"].by_vector  # k: how far the graph is searched, whatever is shown
Fusion = Literal["own", "engine"]
Rows = dict[str, Row]
Ask = Callable[..., list[dict[str, Any]]]
"""Bodies of searches to their answers, in one request."""


@dataclass(frozen=True)
class FindRequest:
    """One retrieval from the index. `fusion`: as in `OpenSearchIndex`."""

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
        """The candidates and their neighbours, with what waits to be indexed among them."""
        aside, passing = self.pending.rows(self.visibility, self.filters, self.terms, self.vector)
        searches = self._search_legs()
        # the scores of the leg by words are replaced by cosines, and a fused leg is none of both: to tell them costs two more
        told = self._legs(alone=True) if self.with_legs else {}
        counted, *legs = self.ask(queries.statistics(self._visible, self.terms), *searches, *told.values())
        own = candidate_rows.corpus_of(list(aside.values()), self.terms)
        corpus = candidate_rows.merged_corpus(hits.corpus(counted, self.terms), own)
        waiting = {name: aside[name] for name in passing}
        gathered = self._with_neighbours(aside, self._found(legs[: len(searches)]) | waiting, corpus)
        if not self.with_legs:
            return gathered
        answers = dict(zip(told, legs[len(searches) :], strict=True))
        beside = candidate_rows.legs_of(list(waiting.values()), corpus)
        return replace(gathered, legs=hits.legs(answers, self.visibility.user_id, beside))

    @cached_property
    def _allowed(self) -> Clause:
        return queries.visible_and(self._visible, self._passing)

    def _legs(self, alone: bool = False) -> dict[str, queries.Body]:
        return queries.legs(self._allowed, self.terms, self.vector, self.pending.model, self.depth, alone)

    def _search_legs(self) -> list[queries.Body]:
        if not self._is_fused or self.vector is None:
            return list(self._legs().values())
        model, depth = self.pending.model, self.depth
        return [queries.hybrid(self._allowed, self.terms, self.vector, model, self.pipeline, depth)]

    @property
    def _is_fused(self) -> bool:
        """Whether the domain fuses both legs; its scores are no cosines then."""
        return self.fusion == "engine" and bool(self.terms) and self.vector is not None

    def _found(self, legs: Sequence[hits.Answer]) -> Rows:
        found: Rows = {}
        for leg in legs:
            if self._is_fused:
                _refuse_unfused(leg)
            rows, _ = self._rows(leg, scored=self.vector is not None and not self._is_fused)
            found |= rows
        return found

    def _rows(self, answer: hits.Answer, scored: bool) -> tuple[Rows, set[str]]:
        """The rows of an answer, and which of them are marked as passing the filter."""
        rows, passing = {}, set()
        for hit in hits.hits_of_user(answer, self.visibility.user_id):
            row = hits.row_of_hit(hit, self.terms, self.pending.model, scored)
            rows[row.memory_id] = row
            if hit.passes:
                passing.add(row.memory_id)
        return rows, passing

    def _with_neighbours(self, aside: Rows, found: Rows, corpus: Corpus) -> Retrieved:
        """The candidates with who stands beside the best of them, unless all there is is here already."""
        rows, ranked = aside | found, set(found)
        everything = len(rows) == corpus.memories
        spans = {} if everything else hits.spans(list(found.values()), corpus, self.terms)
        unscored = set(found).difference(self.pending.ids) if self._is_fused else set()
        names = {} if everything else hits.session_names(rows.values())
        searches = []
        if spans or unscored:
            searches.append(queries.neighbours_of(self._visible, self._passing, spans, unscored, found, self.vector))
        if names:
            searches.append(queries.sessions(self._visible, names))
        answers = self.ask(*searches) if searches else []
        sessions = candidate_rows.session_lengths_of(rows.values() if everything else aside.values())
        if names:
            sessions = hits.added_lengths(sessions, hits.session_lengths(answers.pop()))
        for answer in answers:
            read, passing = self._rows(answer, scored=self.vector is not None)
            rows |= read
            ranked |= passing & hits.within_reach(found.values(), read.values())
        columns = candidate_rows.columns_of(list(rows.values()), ranked, sessions, self.terms, corpus.speakers)
        return Retrieved(columns, corpus, partial=not self.pending.complete)


def _refuse_unfused(answer: hits.Answer) -> None:
    """Refuses answers of a `hybrid` query without its pipeline: scores far below zero, and doubled hits."""
    if any(hit["_score"] < 0 for hit in answer["hits"]["hits"]):
        _log.error("the hybrid query ran without its search pipeline: run setup, or choose FUSION=own")
        raise IndexUnavailable("the hybrid query ran without its search pipeline")


def similar(
    ask: Ask, visibility: Visibility, terms: Sequence[str], vector: Vector | None, waiting: RecordScan, limit: int
) -> list[Similar]:
    """Memories that share words in their own text, and the nearest by vector."""
    asked = sorted(set(terms))
    may_be_seen = queries.visible(visibility, waiting.ids)
    legs = [queries.sharing(may_be_seen, asked, vector)] if asked else []
    near = [] if vector is None else [queries.nearest(may_be_seen, vector, waiting.model, _NEAR)]
    legs += [queries.with_content(body, limit) for body in near]
    counted, *answers = ask(queries.statistics(may_be_seen, asked), *legs)
    rows, texts = {}, {}
    for hit in (hit for answer in answers for hit in hits.hits_of_user(answer, visibility.user_id)):
        rows[hit.memory_id] = hits.row_of_hit(hit, asked, waiting.model, scored=vector is not None)
        texts[hit.memory_id] = hit.content or ""
    found, _ = waiting.rows(visibility, Filter(), asked, vector)
    aside = list(found.values())
    corpus = candidate_rows.merged_corpus(hits.corpus(counted, asked), candidate_rows.corpus_of(aside, asked))
    return candidate_rows.similar_of([*rows.values(), *aside], texts | waiting.texts, corpus, limit)


class OpenSearchIndex:
    """A user's memories in the domain, and those that it may not hold yet.

    `fusion`: whether the candidates are the best of each leg, or those that the domain's own `hybrid` query puts first.
    """

    def __init__(
        self, client: OpenSearch, pending: PendingWrites, embedding_model: str, alias: str = ALIAS,
        fusion: Fusion = "own", pipeline: str = queries.PIPELINE, depth: Depth = DEPTHS["thorough"],
    ) -> None:  # fmt: skip
        self._client, self._pending, self._model, self._alias = client, pending, embedding_model, alias
        self._fusion, self._pipeline, self._depth = fusion, pipeline, depth

    def find(
        self, visibility: Visibility, filters: Filter, terms: Sequence[str], vector: Vector | None, with_legs: bool = False
    ) -> Retrieved:
        return FindRequest(
            self._ask(visibility), visibility, filters, terms, vector, self._waiting(visibility), self._fusion,
            self._pipeline, self._depth, with_legs,
        ).retrieve()  # fmt: skip

    def similar(self, visibility: Visibility, terms: Sequence[str], vector: Vector | None, limit: int) -> list[Similar]:
        return similar(self._ask(visibility), visibility, terms, vector, self._waiting(visibility), limit)

    def most_important(self, visibility: Visibility, filters: Filter, limit: int) -> tuple[list[str], bool]:
        waiting = self._waiting(visibility)
        allowed = queries.visible_and(queries.visible(visibility, waiting.ids), queries.passing(filters))
        (answer,) = self._ask(visibility)(queries.most_important(allowed, limit))
        ordered = [tuple(hit.order) for hit in hits.hits_of_user(answer, visibility.user_id)]
        ordered += [
            (memory.importance, memory.happened_at.timestamp(), memory.memory_id)
            for memory in waiting.passing(visibility, filters)
        ]
        ordered.sort(reverse=True)
        return [memory_id for *_, memory_id in ordered[:limit]], not waiting.complete

    def _ask(self, visibility: Visibility) -> Ask:
        return partial(ask, self._client, self._alias, visibility.user_id)

    def _waiting(self, visibility: Visibility) -> RecordScan:
        records, complete = self._pending.pending(visibility.user_id)
        return RecordScan(records, self._model, complete)
