"""Find the memories that match a query. All searches use this module."""

import logging
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from time import perf_counter
from typing import TYPE_CHECKING, TypeVar

from commonplace.domain.errors import CommonplaceError, ErrorCode
from commonplace.domain.fields import OTHER_MODEL
from commonplace.memories.tag_names import renamed_tags
from commonplace.ports.bundle import Ports
from commonplace.ports.index import MemoryIndex
from commonplace.ports.values import Caller, Filter, IndexUnavailable, Stored, Vector, Visibility
from commonplace.retrieval import ranking
from commonplace.retrieval.feedback import rated_by_feedback
from commonplace.retrieval.found import Found, Matches
from commonplace.retrieval.newest_first import newest_first
from commonplace.retrieval.query import Query, answerable, parse_query
from commonplace.retrieval.record_scan import is_visible, visibility_of

if TYPE_CHECKING:
    from commonplace.ports.index import Floats

_log = logging.getLogger("commonplace")
_Answer = TypeVar("_Answer")
_DEGRADED = "the index can't be asked just now; this was found by reading the records"
DEFAULT_RELEVANCE = 0.3
"""The default minimum relevance of a hit. It excludes at most 2 % of the correct hits (docs/search.md)."""
GENERAL_RELEVANCE = 0.3
"""The minimum relevance of a memory to a query without a subject. The memory's importance adds up to 0.7."""


@dataclass(frozen=True)
class Search:
    """A search whose query is parsed and embedded. `asked` is the caller's minimum relevance, or None for the default.

    `vector` is None if the model can't embed the query. `rated` maps memory ids to score adjustments from feedback. If
    `with_legs` is True, the keyword hits and the vector hits are also returned separately.
    """

    query: Query
    vector: Vector | None
    visibility: Visibility
    filters: Filter
    limit: int
    asked: float | None
    ports: Ports
    times_ms: Mapping[str, float]
    rated: Mapping[str, float] = field(default_factory=dict)
    with_legs: bool = False

    @property
    def least(self) -> float:
        """The minimum relevance of a hit."""
        return DEFAULT_RELEVANCE if self.asked is None else self.asked

    def found(self, counted: bool = False) -> Found:
        """Run the search, or scan the records if the index is unavailable. If `counted` is True, the hits count as used."""
        find = self._find_most_important if self.query.general else self._find_best_matches
        found, degraded = with_fallback(find, self.ports)
        if counted:
            self.ports.usage.count(self.visibility.user_id, [item.memory_id for item in found.memories], self.visibility.now)
        other_model = found.matches is not None and found.matches.retrieved.other_model
        notes = (_DEGRADED if degraded else None, OTHER_MODEL if other_model else None)
        return replace(found, degraded="; ".join(filter(None, notes)) or None)

    def _find_best_matches(self, index: MemoryIndex) -> Found:
        begun = perf_counter()
        retrieved = index.find(self.visibility, self.filters, self.query.question.terms, self.vector, self.with_legs)
        candidates, corpus = retrieved.candidates, retrieved.corpus
        looked = perf_counter()
        query = self.query.with_known_expansions(corpus.frequencies)
        now = self.visibility.now.timestamp()
        ranked = ranking.rank(query.question, candidates, corpus, self.ports.profile, self.rated, now)
        total = int((ranked.relevance >= self.least).sum())
        related = int((ranked.relevance > 0).sum())
        best_only = self.asked is None and not total and len(ranked.rows) > 0
        shown = ranked.rows[: 1 if best_only else min(total, 2 * self.limit)]
        ids = [candidates.ids[row] for row in shown]
        judged = perf_counter()
        stored, places, shown_at = _order_for_display(ids, ranked.scores, query, self.visibility, self.ports)
        likely, cosines = ranked.probability(len(shown)), candidates.cosines[shown]
        first = slice(self.limit)
        return Found(
            stored=stored[first],
            relevance=[round(float(ranked.relevance[place]), 4) for place in places[first]],
            probabilities=[round(float(likely[place]), 3) for place in places[first]],
            cosines=[None if math.isnan(cosines[place]) else float(cosines[place]) for place in shown_at[first]],
            total=total,
            query=query,
            answerable=answerable(query.question, candidates, corpus, ranked) if stored else 0.0,
            held_back=max(0, related - total - bool(stored) * best_only),
            best_only=best_only,
            partial=retrieved.partial,
            none_at_all=not corpus.memories,
            matches=Matches(retrieved, ranked, places[first], shown_at[first]),
            times_ms=self._time_steps(begun, index=looked, ranking=judged, records=perf_counter()),
        )

    def _find_most_important(self, index: MemoryIndex) -> Found:
        begun = perf_counter()
        ids, partial = index.most_important(self.visibility, self.filters, self.limit)
        looked = perf_counter()
        stored = _load_visible(ids, self.visibility, self.ports)
        relevance = [GENERAL_RELEVANCE + (1 - GENERAL_RELEVANCE) * record.memory.importance for record in stored]
        unknown: list[float | None] = [None] * len(stored)
        return Found(
            stored, relevance, unknown, unknown, len(stored), self.query, 1.0 if stored else 0.0,
            partial=partial, none_at_all=not stored, times_ms=self._time_steps(begun, index=looked, records=perf_counter()),
        )  # fmt: skip

    def _time_steps(self, begun: float, **ends: float) -> dict[str, float]:
        """Return the milliseconds of each step in `ends`, which begins when the one before ends, and of the steps so far."""
        steps = zip(ends, pairwise((begun, *ends.values())), strict=True)
        return {**self.times_ms, **{name: (end - begin) * 1000 for name, (begin, end) in steps}}


def prepared(
    text: str, caller: Caller, ports: Ports, filters: Filter, limit: int, min_relevance: float | None,
    include_expired: bool = False, agent_id: str | None = None,
) -> Search:  # fmt: skip
    """Parse and embed a query. The arguments are the same as for `find`. Raises `EMPTY_TEXT` for a blank query."""
    if not text.strip():
        raise CommonplaceError(ErrorCode.EMPTY_TEXT, "query: is empty", "query")
    begun = perf_counter()
    query = parse_query(text, caller.now, renamed_tags(caller.user_id, ports))
    rated = {} if query.general else rated_by_feedback(text, caller, ports)
    read = perf_counter()
    vector = None if query.general else ports.embedder.embed_question(text)
    times = {"question": (read - begun) * 1000, "embedding": (perf_counter() - read) * 1000}
    visibility = visibility_of(caller, agent_id, include_expired)
    return Search(query, vector, visibility, filters, limit, min_relevance, ports, times, rated)


def find(
    text: str, caller: Caller, ports: Ports, filters: Filter, limit: int, min_relevance: float | None,
    include_expired: bool = False, agent_id: str | None = None, counted: bool = True,
) -> Found:  # fmt: skip
    """Return the memories that match a query, best first. If `counted` is true, the hits count as used.

    `limit` caps the number of hits. `min_relevance` is from 0 to 1. If it is None, the minimum is 0.3, and the best memory is
    returned even if no memory reaches the minimum. Raises `EMPTY_TEXT` for a blank query.
    """
    return prepared(text, caller, ports, filters, limit, min_relevance, include_expired, agent_id).found(counted)


def most_important(caller: Caller, ports: Ports, filters: Filter, limit: int) -> Found:
    """Return the memories that pass the filters, most important first, then newest first. They don't count as used."""
    return Search(parse_query("", caller.now), None, visibility_of(caller), filters, limit, None, ports, {}).found()


def with_fallback(look: Callable[[MemoryIndex], _Answer], ports: Ports) -> tuple[_Answer, bool]:
    """Query the index, or the fallback if the index is unavailable. Also return whether the fallback was used."""
    try:
        return look(ports.index), False
    except IndexUnavailable as error:
        if ports.fallback is None:
            raise CommonplaceError(ErrorCode.STORAGE_UNAVAILABLE, "the index can't be asked just now") from error
        _log.warning("index unavailable: %s", error)
        return look(ports.fallback), True


def _order_for_display(
    ids: Sequence[str], scores: "Floats", query: Query, visibility: Visibility, ports: Ports
) -> tuple[list[Stored], list[int], list[int]]:
    """Return the visible memories in display order. Also return the rank whose relevance each shows, and its own rank.

    If a newer value of an attribute moves up, relevance and probability stay where they were. No memory moves if the query
    repeats the best memory, or if it mentions a time, because the older value may have been true then.
    """
    place_of = {memory_id: place for place, memory_id in enumerate(ids)}
    stored = _load_visible(ids, visibility, ports)
    own = [place_of[record.memory.memory_id] for record in stored]
    settled = ranking.break_ties(scores[own], [record.memory for record in stored], visibility.now.timestamp(), ports.weights)
    records, places = [stored[at] for at in settled], [own[at] for at in settled]
    order = list(range(len(records)))
    if query.time is None and records and not query.repeats(records[0].memory.content):
        order = newest_first(scores[places], records, visibility.now, ports.embedder.name, query.named)
    return [records[at] for at in order], places, [places[at] for at in order]


def _load_visible(ids: Sequence[str], visibility: Visibility, ports: Ports) -> list[Stored]:
    return [record for record in ports.records.stored(visibility.user_id, ids) if is_visible(visibility, record.memory)]
