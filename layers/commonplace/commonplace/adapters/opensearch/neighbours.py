"""Whose neighbours are read, and where these stand. Pure functions over rows."""

import bisect
from collections.abc import Collection, Iterable, Sequence

import numpy as np

from commonplace import gathering, scoring
from commonplace.candidates import Corpus
from commonplace.gathering import Row

MOST = 2_500
"""Places that are looked at, at the most. Only hits in many sessions of many turns come that far: their best are served."""


def spans(rows: Sequence[Row], corpus: Corpus, terms: Sequence[str]) -> dict[str, list[tuple[int, int]]]:
    """The positions, by session, that can lend to what stands around a row: twice the reach to either side."""
    served: list[Row] = []
    places: set[tuple[str, int]] = set()
    for row in _best_first(rows, corpus, terms):
        if row.session is not None and len(places) < MOST:
            served.append(row)
            places.update((row.session, row.position + away) for away in range(-2 * scoring.REACH, 2 * scoring.REACH + 1))
    return {session: _merged(positions) for session, positions in _positions(served).items()}


def _best_first(rows: Sequence[Row], corpus: Corpus, terms: Sequence[str]) -> list[Row]:
    """By turns the best by words, their windows among the rows counted, and the nearest by vector."""
    if not rows:
        return []
    columns = gathering.columns_of(rows, (), gathering.session_lengths_of(rows), terms)
    words = scoring.lexical(columns, corpus, scoring.rarity(corpus), scoring.window(columns))
    by_words = np.argsort(-words, kind="stable")
    by_vector = np.argsort(-np.nan_to_num(columns.cosines, nan=-1.0), kind="stable")
    return [rows[at] for at in dict.fromkeys(np.stack([by_words, by_vector], axis=1).ravel().tolist())]


def within_reach(hits: Iterable[Row], others: Iterable[Row]) -> set[str]:
    """Ids of the others that stand up to `scoring.REACH` positions from a hit of their session."""
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
    at = bisect.bisect_left(positions, position - scoring.REACH)
    return at < len(positions) and positions[at] <= position + scoring.REACH


def _merged(positions: Iterable[int]) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    for position in positions:
        first, last = position - 2 * scoring.REACH, position + 2 * scoring.REACH
        if found and first <= found[-1][1]:
            found[-1] = found[-1][0], last
        else:
            found.append((first, last))
    return found
