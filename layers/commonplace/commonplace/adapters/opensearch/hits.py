"""Responses of the domain as rows and corpus, and which neighbours to read. Pure functions over rows."""

import bisect
import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from commonplace.adapters.opensearch.document import ROW, unpacked
from commonplace.ports.candidates import Corpus, Legs
from commonplace.ports.values import IndexUnavailable
from commonplace.retrieval import bm25, candidate_rows
from commonplace.retrieval.candidate_rows import NOBODY, Row, counts_of

MOST = 2_500
"""Places that are looked at, at the most. Only hits in many sessions of many turns come that far: their best are served."""

Answer = Mapping[str, Any]
Sessions = Mapping[str, tuple[int, int]]
_ID, _USER = ROW.index("memory_id"), ROW.index("user_id")


def spans(rows: Sequence[Row], corpus: Corpus, terms: Sequence[str]) -> dict[str, list[tuple[int, int]]]:
    """The positions, by session, that can lend to what stands around a row: twice the reach to either side."""
    served: list[Row] = []
    places: set[tuple[str, int]] = set()
    for row in _best_first(rows, corpus, terms):
        if row.session is not None and len(places) < MOST:
            served.append(row)
            places.update((row.session, row.position + away) for away in range(-2 * bm25.REACH, 2 * bm25.REACH + 1))
    return {session: _merged(positions) for session, positions in _positions(served).items()}


def _best_first(rows: Sequence[Row], corpus: Corpus, terms: Sequence[str]) -> list[Row]:
    """By turns the best by words, their windows among the rows counted, and the nearest by vector."""
    if not rows:
        return []
    columns = candidate_rows.columns_of(rows, (), candidate_rows.session_lengths_of(rows), terms)
    words = bm25.lexical(columns, corpus, bm25.inverse_document_frequency(corpus), bm25.window(columns))
    by_words = np.argsort(-words, kind="stable")
    by_vector = np.argsort(-np.nan_to_num(columns.cosines, nan=-1.0), kind="stable")
    return [rows[at] for at in dict.fromkeys(np.stack([by_words, by_vector], axis=1).ravel().tolist())]


def within_reach(hits: Iterable[Row], others: Iterable[Row]) -> set[str]:
    """Ids of the others that stand up to `bm25.REACH` positions from a hit of their session."""
    places = _positions(hits)
    return {row.memory_id for row in others if row.session in places and _near(places[row.session], row.position)}


def session_names(rows: Collection[Row]) -> set[str]:
    """The sessions that the rows stand in."""
    return {row.session for row in rows if row.session is not None}


def _positions(rows: Iterable[Row]) -> dict[str, list[int]]:
    places: dict[str, list[int]] = {}
    for row in rows:
        if row.session is not None:
            bisect.insort(places.setdefault(row.session, []), row.position)
    return places


def _near(positions: Sequence[int], position: int) -> bool:
    at = bisect.bisect_left(positions, position - bm25.REACH)
    return at < len(positions) and positions[at] <= position + bm25.REACH


def _merged(positions: Iterable[int]) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    for position in positions:
        first, last = position - 2 * bm25.REACH, position + 2 * bm25.REACH
        if found and first <= found[-1][1]:
            found[-1] = found[-1][0], last
        else:
            found.append((first, last))
    return found


class Hit(NamedTuple):
    """A document of a response: the values of `ROW`, and its content if requested. `passes`: it passes the filter."""

    kept: list[Any]
    score: float | None
    order: Sequence[Any]
    passes: bool
    content: str | None

    @property
    def memory_id(self) -> str:
        """The id of its memory."""
        return str(self.kept[_ID])


def hits_of_user(answer: Answer, user_id: str) -> Iterator[Hit]:
    """The hits, each checked once more to be this user's: routing and filter are not all that stands between users.

    Raises `IndexUnavailable` for one without its row, as a copy by the domain's own `_reindex` has none.
    """
    hits = answer["hits"]["hits"]
    if any("fields" not in hit for hit in hits):
        raise IndexUnavailable("documents lack what ranking must know: run commonplace reindex")
    for hit, kept in zip(hits, unpacked(hit["fields"]["row"][0] for hit in hits), strict=True):
        if kept[_USER] == user_id:
            passes = "passes" in hit.get("matched_queries", ())
            yield Hit(kept, hit["_score"], hit.get("sort", ()), passes, hit.get("_source", {}).get("content"))


def row_of_hit(hit: Hit, terms: Sequence[str], model: str, scored: bool) -> Row:
    """One hit as a row. `scored`: its score is (1 + cosine) / 2, 0 without a vector, and not a score of words."""
    name, _, tokens, labels, length, session, position, speaker, *flags, day, importance, created, made_by = hit.kept
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
    )


def legs(answers: Mapping[str, Answer], user_id: str, beside: Legs) -> Legs:
    """What each leg found, with what waits to be indexed. `answers`: of `queries.legs_alone`."""
    found = {name: list(hits_of_user(answer, user_id)) for name, answer in answers.items()}
    words = [(hit.memory_id, hit.score or 0.0) for hit in found.get("lexical", ())]
    near = [(hit.memory_id, cosine(hit.score or 0.0, same_model=True)) for hit in found.get("vector", ())]
    return Legs(candidate_rows.best_first([*words, *beside.lexical]), candidate_rows.best_first([*near, *beside.vector]))


def cosine(score: float, same_model: bool) -> float:
    """The cosine behind a score, NaN without a vector or of another model's."""
    return 2 * score - 1 if score > 0 and same_model else math.nan


def corpus(answer: Answer, terms: Sequence[str]) -> Corpus:
    """The statistics of all visible memories."""
    counted = answer["aggregations"]
    speakers = {bucket["key"] for bucket in counted["speakers"]["buckets"]}
    return Corpus(
        memories=memories(answer),
        average_length=counted["length"]["value"] or 1.0,
        frequencies=frequencies(answer, terms),
        speakers=frozenset(speakers) - NOBODY,
        years=tuple(sorted(bucket["key"] for bucket in counted["years"]["buckets"])),
    )


def memories(answer: Answer) -> int:
    """The number of visible memories."""
    return int(answer["hits"]["total"]["value"])


def frequencies(answer: Answer, terms: Sequence[str]) -> "np.ndarray[tuple[int], np.dtype[np.float64]]":
    """The number of visible memories with each term."""
    buckets = answer["aggregations"]["held"]["buckets"] if terms else []
    return np.array([bucket["doc_count"] for bucket in buckets], dtype=np.float64)


def session_lengths(answer: Answer) -> dict[str, tuple[int, int]]:
    """Memories and tokens of each session."""
    buckets = answer["aggregations"]["sessions"]["buckets"]
    return {bucket["key"]: (bucket["doc_count"], int(bucket["tokens"]["value"])) for bucket in buckets}


def added_lengths(one: Sessions, other: Sessions) -> dict[str, tuple[int, int]]:
    """Memories and tokens of sessions of which each side holds a part."""
    nothing = (0, 0)
    return {
        name: (
            one.get(name, nothing)[0] + other.get(name, nothing)[0],
            one.get(name, nothing)[1] + other.get(name, nothing)[1],
        )
        for name in {*one, *other}
    }
