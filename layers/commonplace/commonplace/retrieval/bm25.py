"""BM25 and the window of neighbours: how well words match. Pure functions over the columns of `ports/candidates.py`.

BM25F over a window (Robertson & Zaragoza 2009): a memory is scored on its own words and, for less, on those of its
neighbours in the same session; an answer borrows most from the question before it. Long entries stand alone.
"""

from dataclasses import dataclass

import numpy as np

from commonplace.ports.candidates import Candidates, Corpus, Flags, Floats, Integers

REACH = 6
LABEL_WEIGHT = 0.3  # of a term among a memory's labels, beside one in its text
_SATURATION = 1.2  # BM25's k1
_LENGTH_WEIGHT = 0.5  # BM25's b
_BEFORE = (0.3, 0.25, 0.2, 0.15, 0.1, 0.1)
_AFTER = (0.4, 0.2, 0.15, 0.1, 0.1, 0.1)
_FROM_QUESTION_BEFORE = 0.6
_FOR_QUESTION_FROM_AFTER = 0.1
_ALONE_FROM = 13.0  # mean tokens per memory of a session, from which on neighbours lend less
_WINDOW_SHARE = 2.2  # how much longer a window is than its memory, on average, where neighbours lend in full


def inverse_document_frequency(corpus: Corpus) -> Floats:
    """Inverse document frequency of each term, as in Lucene: log(1 + (N - n + .5) / (n + .5))."""
    held = corpus.frequencies
    rare: Floats = np.log1p((np.maximum(corpus.memories - held, 0) + 0.5) / (held + 0.5))
    return rare


def bm25(counts: Floats, relative_lengths: Floats, weights: Floats) -> Floats:
    """The sum over terms of weight * tf (k1 + 1) / (tf + k1 (1 - b + b * relative length))."""
    damping = _SATURATION * (1 - _LENGTH_WEIGHT + _LENGTH_WEIGHT * relative_lengths)
    saturated: Floats = (counts * (_SATURATION + 1) / (counts + damping[:, None])) @ weights
    return saturated


@dataclass(frozen=True)
class Window:
    """The neighbours of each candidate: their rows (-1: none), the weight of each, and how much its session lends at all."""

    rows: Integers
    weights: Floats
    openness: Floats

    @property
    def previous(self) -> Integers:
        """The row of the message just before each one, -1 where there is none."""
        return self.rows[:, 0]

    def lent(self, column: Floats) -> Floats:
        """The weighted sum of a column over the neighbours."""
        total: Floats = np.einsum("ij,ij...->i...", self.weights, column[self.rows])
        return total

    def near(self, flags: Flags) -> Flags:
        """Whether any neighbour has the flag."""
        return np.asarray((flags[self.rows] & (self.rows >= 0)).any(axis=1))


def window(candidates: Candidates) -> Window:
    """The neighbours of each candidate, by session and position, up to `REACH` positions away."""
    spread = 2**33
    place = candidates.sessions.astype(np.int64) * spread + candidates.positions
    order = np.argsort(place, kind="stable")
    ordered = place[order]
    columns, weights = [], []
    for distance in range(1, REACH + 1):
        for step, lends in ((-distance, _BEFORE[distance - 1]), (distance, _AFTER[distance - 1])):
            at = np.minimum(np.searchsorted(ordered, place + step), len(order) - 1)
            found = (ordered[at] == place + step) & (candidates.sessions >= 0)
            columns.append(np.where(found, order[at], -1))
            weights.append(np.where(found, lends, 0.0))
    rows, lending = np.stack(columns, axis=1), np.stack(weights, axis=1)
    asked_before = candidates.questions[rows[:, 0]] & (rows[:, 0] >= 0)
    lending[:, 0] = np.where(asked_before, _FROM_QUESTION_BEFORE, lending[:, 0])
    lending[:, 1] = np.where(candidates.questions & (rows[:, 1] >= 0), _FOR_QUESTION_FROM_AFTER, lending[:, 1])
    openness = np.minimum(1.0, (_ALONE_FROM / np.maximum(candidates.session_lengths, 1.0)) ** 2)
    return Window(rows, lending * openness[:, None], openness)


def lexical(candidates: Candidates, corpus: Corpus, weights: Floats, around: Window) -> Floats:
    """BM25 of each candidate over its own words and its window's. `weights` are per term, idf included."""
    counts = candidates.term_counts + around.lent(candidates.term_counts)
    lengths = candidates.lengths + around.lent(candidates.lengths)
    in_session = np.where(candidates.sessions >= 0, around.openness, 0.0)
    relative = lengths / max(corpus.average_length, 1.0) / (1 + _WINDOW_SHARE * in_session)
    return bm25(counts, relative, weights)
