"""One search: candidates and counts in one trip, neighbours of the best in a second."""

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from commonplace import gathering
from commonplace.adapters.opensearch import filters, hits, neighbours, queries
from commonplace.adapters.opensearch.filters import Clause
from commonplace.candidates import Corpus, Gathered
from commonplace.gathering import Row
from commonplace.in_hand import InHand
from commonplace.ports import Filter, IndexUnavailable, Vector, Visibility

_log = logging.getLogger("commonplace")
Fusion = Literal["own", "engine"]
Rows = dict[str, Row]
Sessions = Mapping[str, tuple[int, int]]
Ask = Callable[..., list[dict[str, Any]]]
"""Bodies of searches to their answers, in one request."""


@dataclass(frozen=True)
class Finding:
    """What is asked of the index, and how. `fusion`: as in `OpenSearchIndex`."""

    ask: Ask
    seen: Visibility
    wanted: Filter
    terms: Sequence[str]
    vector: Vector | None
    waiting: InHand
    fusion: Fusion
    pipeline: str

    @cached_property
    def _visible(self) -> Clause:
        return filters.visible(self.seen, self.waiting.ids)

    @cached_property
    def _passing(self) -> list[Clause]:
        return filters.passing(self.wanted)

    def gathered(self) -> Gathered:
        """The candidates and their neighbours, with what waits to be indexed among them."""
        aside, passing = self.waiting.rows(self.seen, self.wanted, self.terms, self.vector)
        counted, *legs = self.ask(queries.statistics(self._visible, self.terms), *self._legs())
        own = gathering.corpus_of(list(aside.values()), self.terms)
        corpus = gathering.together(hits.corpus(counted, self.terms), own)
        found = self._found(legs) | {name: aside[name] for name in passing}
        return self._beside(aside, found, corpus)

    def _legs(self) -> list[queries.Body]:
        allowed = filters.both(self._visible, self._passing)
        if self._fused and self.vector is not None:
            return [queries.hybrid(allowed, self.terms, self.vector, self.waiting.model, self.pipeline)]
        legs = [queries.by_words(allowed, self.terms, self.vector)] if self.terms else []
        return legs if self.vector is None else [*legs, queries.nearest(allowed, self.vector, self.waiting.model)]

    @property
    def _fused(self) -> bool:
        """Whether the domain fuses the legs; its scores tell no cosine then."""
        return self.fusion == "engine" and bool(self.terms) and self.vector is not None

    def _found(self, legs: Sequence[hits.Answer]) -> Rows:
        found: Rows = {}
        for leg in legs:
            if self._fused:
                _refuse_unfused(leg)
            rows, _ = self._rows(leg, scored=self.vector is not None and not self._fused)
            found |= rows
        return found

    def _rows(self, answer: hits.Answer, scored: bool) -> tuple[Rows, set[str]]:
        """The rows of an answer, and which of them are marked as passing the filter."""
        rows, passing = {}, set()
        for hit in hits.own(answer, self.seen.user_id):
            row = hits.row(hit, self.terms, self.waiting.model, scored)
            rows[row.memory_id] = row
            if hit.passes:
                passing.add(row.memory_id)
        return rows, passing

    def _beside(self, aside: Rows, found: Rows, corpus: Corpus) -> Gathered:
        """The candidates with who stands beside the best of them, unless all there is is here already."""
        rows, ranked = aside | found, set(found)
        everything = len(rows) == corpus.memories
        spans = {} if everything else neighbours.spans(list(found.values()), corpus, self.terms)
        unscored = set(found).difference(self.waiting.ids) if self._fused else set()
        names = {} if everything else neighbours.session_names(rows.values())
        searches = []
        if spans or unscored:
            searches.append(queries.around(self._visible, self._passing, spans, unscored, found, self.vector))
        if names:
            searches.append(queries.sessions(self._visible, names))
        answers = self.ask(*searches) if searches else []
        sessions = gathering.session_lengths_of(rows.values() if everything else aside.values())
        if names:
            sessions = _added(sessions, hits.session_lengths(answers.pop()))
        for answer in answers:
            read, passing = self._rows(answer, scored=self.vector is not None)
            rows |= read
            ranked |= passing & neighbours.within_reach(found.values(), read.values())
        columns = gathering.columns_of(list(rows.values()), ranked, sessions, self.terms, corpus.speakers)
        return Gathered(columns, corpus, partial=not self.waiting.complete)


def _added(one: Sessions, other: Sessions) -> dict[str, tuple[int, int]]:
    """Memories and tokens of sessions of which each side holds a part."""
    nothing = (0, 0)
    return {
        name: (
            one.get(name, nothing)[0] + other.get(name, nothing)[0],
            one.get(name, nothing)[1] + other.get(name, nothing)[1],
        )
        for name in {*one, *other}
    }


def _refuse_unfused(answer: hits.Answer) -> None:
    """Without its pipeline a `hybrid` query answers 200 with scores far below zero (`max_score` isn't) and hits doubled."""
    if any(hit["_score"] < 0 for hit in answer["hits"]["hits"]):
        _log.error("the hybrid query ran without its search pipeline: run setup, or choose FUSION=own")
        raise IndexUnavailable("the hybrid query ran without its search pipeline")
