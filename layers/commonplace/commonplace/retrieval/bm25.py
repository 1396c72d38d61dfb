"""Compute BM25 over a window of neighbours. All functions are pure and take columns that `ports/index.py` defines.

This is BM25F over a window (Robertson & Zaragoza 2009). A memory is scored by its own words and, with a lower weight, by the
words of its neighbours in the session. An answer gains most from the question before it, and long memories gain less.
"""

from dataclasses import dataclass

import numpy as np

from commonplace.ports.index import Candidates, Corpus, Flags, Floats, Integers

REACH = 6
LABEL_WEIGHT = 0.3  # the weight of a term in the labels, relative to a term in the text
_SATURATION = 1.2  # BM25's k1
_LENGTH_WEIGHT = 0.5  # BM25's b
_BEFORE = (0.3, 0.25, 0.2, 0.15, 0.1, 0.1)
_AFTER = (0.4, 0.2, 0.15, 0.1, 0.1, 0.1)
_FROM_QUESTION_BEFORE = 0.6
_FOR_QUESTION_FROM_AFTER = 0.1
_ALONE_FROM = 13.0  # neighbours add less in a session whose memories have more tokens than this, on average
_WINDOW_SHARE = 2.2  # the mean length of a window divided by that of its memory, if neighbours have their full weight


def inverse_document_frequency(corpus: Corpus) -> Floats:
    """Return the inverse document frequency of each term, as in Lucene: log(1 + (N - n + .5) / (n + .5))."""
    counts = corpus.frequencies
    rare: Floats = np.log1p((np.maximum(corpus.memories - counts, 0) + 0.5) / (counts + 0.5))
    return rare


def bm25(counts: Floats, relative_lengths: Floats, weights: Floats) -> Floats:
    """Return for each row the sum over terms of weight * tf (k1 + 1) / (tf + k1 (1 - b + b * relative length))."""
    damping = _SATURATION * (1 - _LENGTH_WEIGHT + _LENGTH_WEIGHT * relative_lengths)
    saturated: Floats = (counts * (_SATURATION + 1) / (counts + damping[:, None])) @ weights
    return saturated


@dataclass(frozen=True)
class Window:
    """The neighbours of the candidates in rows `of`. The row of a missing neighbour is -1. `openness` scales the weights."""

    of: Integers
    rows: Integers
    weights: Floats
    openness: Floats

    @property
    def previous(self) -> Integers:
        """The row of the message before each candidate, or -1."""
        return self.rows[:, 0]

    def lent(self, column: Floats) -> Floats:
        """Return, for each candidate, the weighted sum of a column over its neighbours."""
        total: Floats = np.einsum("ij,ij...->i...", self.weights, np.take(column, self.rows, axis=0))
        return total

    def near(self, flags: Flags) -> Flags:
        """Return, for each candidate, whether the flag is set for any of its neighbours."""
        return np.asarray((np.take(flags, self.rows) & (self.rows >= 0)).any(axis=1))


def window(candidates: Candidates, of: Integers | None = None) -> Window:
    """Find the neighbours of each candidate, up to `REACH` positions away in its session. `of` lists candidates' rows."""
    of = np.arange(len(candidates)) if of is None else of
    rows = _find_neighbours(candidates, of)
    lending = (rows >= 0) * np.stack((_BEFORE, _AFTER), axis=1).ravel()
    is_question = candidates.questions
    lending[:, 0] = np.where(is_question[rows[:, 0]] & (rows[:, 0] >= 0), _FROM_QUESTION_BEFORE, lending[:, 0])
    lending[:, 1] = np.where(is_question[of] & (rows[:, 1] >= 0), _FOR_QUESTION_FROM_AFTER, lending[:, 1])
    openness = np.minimum(1.0, (_ALONE_FROM / np.maximum(candidates.session_lengths[of], 1.0)) ** 2)
    return Window(of, rows, lending * openness[:, None], openness)


def _find_neighbours(candidates: Candidates, of: Integers) -> Integers:
    """Return the rows directly before and after each candidate, then those two positions away, etc. -1 means no row."""
    place = candidates.sessions.astype(np.int64) * 2**33 + candidates.positions
    places, first, which = np.unique(place, return_index=True, return_inverse=True)
    neighbours = np.full((2 * REACH, len(places)), -1)
    outside = int(np.searchsorted(places, 0))  # rows without a session come first and have no neighbours
    places, first, inside = places[outside:], first[outside:], neighbours[:, outside:]
    for step in range(1, REACH + 1):
        steps = places[step:] - places[:-step]
        next_to = steps == step  # the common case, without a gap between positions
        np.copyto(inside[2 * step - 2, step:], first[:-step], where=next_to)
        np.copyto(inside[2 * step - 1, :-step], first[step:], where=next_to)
        at = np.flatnonzero((steps > step) & (steps <= REACH))
        inside[2 * steps[at] - 2, at + step] = first[at]
        inside[2 * steps[at] - 1, at] = first[at + step]
    return np.ascontiguousarray(np.take(neighbours, which[of], axis=1).T)


def lexical(candidates: Candidates, corpus: Corpus, weights: Floats, around: Window) -> Floats:
    """Return the BM25 score of each candidate, from its own and its neighbours' words. `weights` include term rarity."""
    counts = candidates.term_counts[around.of] + around.lent(candidates.term_counts)
    lengths = candidates.lengths[around.of] + around.lent(candidates.lengths)
    in_session = np.where(candidates.sessions[around.of] >= 0, around.openness, 0.0)
    return bm25(counts, lengths / max(corpus.average_length, 1.0) / (1 + _WINDOW_SHARE * in_session), weights)
