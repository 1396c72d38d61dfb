"""The retriever that every search shares: from a query to the memories that match it."""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeVar

from commonplace.domain.errors import CommonplaceError, ErrorCode
from commonplace.domain.fields import Notes
from commonplace.domain.memory import Memory
from commonplace.ports.bundle import Ports
from commonplace.ports.memory_index import MemoryIndex
from commonplace.ports.record_values import Stored, Vector
from commonplace.ports.values import Caller, Filter, IndexUnavailable, Visibility
from commonplace.retrieval import ranking
from commonplace.retrieval.newest_first import newest_first
from commonplace.retrieval.query import Query, answerable, parse_query
from commonplace.retrieval.record_scan import is_visible, visibility_of

if TYPE_CHECKING:
    from commonplace.ports.candidates import Floats

_log = logging.getLogger("commonplace")
_Answer = TypeVar("_Answer")
_DEGRADED = "the index can't be asked just now; this was found by reading the records"
_NO_VECTOR = "the embedding model can't be asked just now; this was found by words alone"
_PARTIAL = "only the newest memories were looked at, or as they were some seconds ago"
DEFAULT_RELEVANCE = 0.3
"""What a search leaves out below, where the caller says nothing: at most 2 % of the right ones (docs/search.md)."""
_GENERAL_RELEVANCE = 0.3  # what a memory has at least when the query names nothing: importance gives the rest


@dataclass(frozen=True)
class Found:
    """Memories that match, with their vectors, best first, each with relevance, probability of being right, and cosine
    (None without a vector).

    `held_back`: how many share a word or a meaning with the query and are less relevant than asked for; `best_only`: this is
    the best of them, shown because nothing else was found;
    `degraded`: what couldn't be asked, and what was done instead; `partial`: only the newest were looked at, or as they were;
    `none_at_all`: no memory is there that could have matched, whatever was asked.
    """

    stored: list[Stored]
    relevance: list[float]
    probabilities: list[float | None]
    cosines: list[float | None]
    total: int
    query: Query
    answerable: float | None
    held_back: int = 0
    best_only: bool = False
    partial: bool = False
    degraded: str | None = None
    none_at_all: bool = False

    @property
    def memories(self) -> list[Memory]:
        """The memories alone."""
        return [one.memory for one in self.stored]

    def notes(self, redacted: Sequence[str], warnings: list[str] | None = None) -> Notes | None:
        """The notes for the answer: how the memories were found."""
        return (
            Notes(
                degraded=self.degraded,
                partial=_PARTIAL if self.partial else None,
                redacted=list(redacted) or None,
                warnings=warnings,
            )
            or None
        )


def find(
    text: str, caller: Caller, ports: Ports, filters: Filter, limit: int, min_relevance: float | None,
    include_expired: bool = False, agent_id: str | None = None, counted: bool = True,
) -> Found:  # fmt: skip
    """The memories that match a query, best first, checked against the record, and `counted` as used.

    `limit`: the most to give; `min_relevance`: 0-1, those that match less are left out. None: those below .3 are, and where
    that would leave nothing, the best one is shown. Raises `EMPTY_TEXT`.
    """
    if not text.strip():
        raise CommonplaceError(ErrorCode.EMPTY_TEXT, "query: is empty", "query")
    query = parse_query(text, caller.now)
    visibility = visibility_of(caller, agent_id, include_expired)
    vector, blind = (None, None) if query.general else _embedded(text, ports)

    def look(index: MemoryIndex) -> Found:
        if query.general:
            return _most_important(query, visibility, filters, limit, index, ports)
        return _best_matches(query, vector, visibility, filters, limit, min_relevance, index, ports)

    found, degraded = with_fallback(look, ports)
    if counted:
        ports.usage.found(caller.user_id, [memory.memory_id for memory in found.memories], caller.now)
    return replace(found, degraded="; ".join(filter(None, (_DEGRADED if degraded else None, blind))) or None)


def most_important(caller: Caller, ports: Ports, filters: Filter, limit: int) -> Found:
    """The memories that pass the filters, most important first, then newest; they are not counted as used."""
    query, visibility = parse_query("", caller.now), visibility_of(caller)
    found, degraded = with_fallback(lambda index: _most_important(query, visibility, filters, limit, index, ports), ports)
    return replace(found, degraded=_DEGRADED if degraded else None)


def _embedded(text: str, ports: Ports) -> tuple[Vector | None, str | None]:
    """The query's vector, or None and a note where the embedder is unavailable: then only words match."""
    try:
        return ports.embedder.embed_question(text), None
    except CommonplaceError as error:
        if error.code is not ErrorCode.STORAGE_UNAVAILABLE:
            raise
        _log.warning("no vector for a query: %s", error.code.label)
        return None, _NO_VECTOR


def with_fallback(look: Callable[[MemoryIndex], _Answer], ports: Ports) -> tuple[_Answer, bool]:
    """Asks the index, or the records when it is unavailable; returns the answer and whether the records were asked."""
    try:
        return look(ports.index), False
    except IndexUnavailable as error:
        if ports.fallback is None:
            raise CommonplaceError(ErrorCode.STORAGE_UNAVAILABLE, "the index can't be asked just now") from error
        _log.warning("index unavailable: %s", error)
        return look(ports.fallback), True


def _best_matches(
    query: Query, vector: Vector | None, visibility: Visibility, filters: Filter, limit: int, asked: float | None,
    index: MemoryIndex, ports: Ports,
) -> Found:  # fmt: skip
    retrieved = index.find(visibility, filters, query.question.terms, vector)
    candidates, corpus = retrieved.candidates, retrieved.corpus
    query = query.with_known_expansions(corpus.frequencies)
    ranked = ranking.rank(query.question, candidates, corpus, ports.profile)
    least = DEFAULT_RELEVANCE if asked is None else asked
    total = int((ranked.relevance >= least).sum())
    related = int((ranked.relevance > 0).sum())
    best_only = asked is None and not total and len(ranked.rows) > 0
    shown = ranked.rows[: 1 if best_only else min(total, 2 * limit)]
    ids = [candidates.ids[row] for row in shown]
    stored, places, shown_at = _in_order(ids, ranked.scores, query.time is None, visibility, ports)
    likely, cosines = ranked.probability(len(shown)), candidates.cosines[shown]
    return Found(
        stored=stored[:limit],
        relevance=[round(float(ranked.relevance[place]), 4) for place in places[:limit]],
        probabilities=[round(float(likely[place]), 3) for place in places[:limit]],
        cosines=[_number(float(cosines[place])) for place in shown_at[:limit]],
        total=total,
        query=query,
        answerable=answerable(query.question, candidates, corpus, ranked) if stored else 0.0,
        held_back=max(0, related - total - bool(stored) * best_only),
        best_only=best_only,
        partial=retrieved.partial,
        none_at_all=not corpus.memories,
    )


def _in_order(
    ids: Sequence[str], scores: "Floats", asks_of_now: bool, visibility: Visibility, ports: Ports
) -> tuple[list[Stored], list[int], list[int]]:
    """The memories of the ids as they are to be shown, the place among the ids that each stands on, and its own.

    What belongs to the place (relevance, probability) stays there where a newer value of one attribute is put first; none
    is for a question that names a time, which may be that of the older one.
    """
    place_of = {memory_id: place for place, memory_id in enumerate(ids)}
    stored = [one for one in ports.records.stored(visibility.user_id, ids) if is_visible(visibility, one.memory)]
    own = [place_of[one.memory.memory_id] for one in stored]
    settled = ranking.break_ties(scores[own], [one.memory for one in stored], visibility.now.timestamp())
    found, places = [stored[at] for at in settled], [own[at] for at in settled]
    order = list(range(len(found)))
    if asks_of_now:
        order = newest_first(scores[places], found, visibility.now, ports.embedder.name)
    return [found[at] for at in order], places, [places[at] for at in order]


def _most_important(
    query: Query, visibility: Visibility, filters: Filter, limit: int, index: MemoryIndex, ports: Ports
) -> Found:
    ids, partial = index.most_important(visibility, filters, limit)
    stored = [one for one in ports.records.stored(visibility.user_id, ids) if is_visible(visibility, one.memory)]
    relevance = [_GENERAL_RELEVANCE + (1 - _GENERAL_RELEVANCE) * one.memory.importance for one in stored]
    unknown: list[float | None] = [None] * len(stored)
    return Found(
        stored, relevance, unknown, unknown, len(stored), query, 1.0 if stored else 0.0,
        partial=partial, none_at_all=not stored,
    )  # fmt: skip


def _number(cosine: float) -> float | None:
    return None if cosine != cosine else cosine  # NaN: no vector
