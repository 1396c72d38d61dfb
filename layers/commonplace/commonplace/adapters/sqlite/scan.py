"""Scans a user's columns for words, similar vectors and neighbours, and converts filters to SQL."""

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from commonplace.adapters.sqlite import rows as word_index
from commonplace.adapters.sqlite.columns import Columns, place_numbers
from commonplace.domain.outline import seconds
from commonplace.ports.index import Candidates, Corpus, Depth, Flags, Floats, Integers, Legs
from commonplace.ports.values import Filter, Visibility
from commonplace.retrieval import bm25
from commonplace.retrieval.candidate_rows import best_first


def visible(visibility: Visibility) -> tuple[str, list[object]]:
    """Return the SQL condition for visible memories, and its values. The condition does not check the owner."""
    now = visibility.now.timestamp()
    conditions = [
        f"status = 'active' AND agent_id IN ({','.join('?' * len(visibility.agents))})",
        "(valid_from IS NULL OR valid_from <= ?) AND (valid_to IS NULL OR valid_to > ?)",
        *([] if visibility.include_expired else ["(expires_at IS NULL OR expires_at > ?)"]),
    ]
    return " AND ".join(conditions), [*visibility.agents, now, now, *([] if visibility.include_expired else [now])]


def where(filters: Filter) -> tuple[str, list[object]]:
    """Return the SQL condition for a filter, and its values. If all memories pass the filter, the condition is ""."""
    conditions = [f"{name} = ?" for name in filters.equal]
    values: list[object] = list(filters.equal.values())
    ranges = {
        "importance >= ?": filters.importance_min,
        "happened_at >= ?": seconds(filters.after),
        "happened_at < ?": seconds(filters.before),
    }
    conditions += [condition for condition, value in ranges.items() if value is not None]
    values += [value for value in ranges.values() if value is not None]
    if filters.types is not None:
        conditions.append(f"memory_type IN ({','.join('?' * len(filters.types))})")
        values += filters.types
    return " AND ".join(conditions), values


def passing(connection: sqlite3.Connection, columns: Columns, filters: Filter) -> Flags:
    """Flag the memories that pass a filter, including invisible memories."""
    conditions, values = where(filters)
    if not conditions:
        return np.ones(len(columns), dtype=np.bool_)
    rows = connection.execute(f"SELECT row FROM memories WHERE owner = ? AND {conditions}", (columns.owner, *values))
    return np.isin(columns["row"], np.array([row for (row,) in rows], dtype=np.int64))


def term_counts(connection: sqlite3.Connection, columns: Columns, terms: Sequence[str]) -> Floats:
    """Return how often each term (row) occurs in each memory (column). Occurrences in labels have a lower weight."""
    counts = np.zeros((len(terms), len(columns)), dtype=np.float32)
    for term, line in zip(terms, counts, strict=True):
        for column, rows in word_index.occurrences(connection, columns.owner, term).items():
            weight = 1.0 if column == "content" else bm25.LABEL_WEIGHT
            slots, often = np.unique(columns.slots(rows), return_counts=True)
            line[slots] += weight * often
    return counts


def corpus(columns: Columns, visible: Flags, counts: Floats) -> Corpus:
    """Return statistics about all visible memories, for use in BM25 and in parsing the query."""
    totals = columns.totals(visible)
    return Corpus(
        memories=totals.memories,
        average_length=totals.average_length,
        frequencies=np.array([np.count_nonzero((line > 0) & visible) for line in counts], dtype=np.float64),
        speakers=totals.speakers,
        years=totals.years,
    )


@dataclass(frozen=True)
class Best:
    """The slots and scores of the best keyword matches, and the slots and cosines of the nearest vectors."""

    by_words: Integers
    words: Floats
    by_vector: Integers
    cosines: Floats

    def chosen(self, of: int) -> Flags:
        """Flag the selected slots among the first `of` slots."""
        flags = np.zeros(of, dtype=np.bool_)
        flags[self.by_words] = True
        flags[self.by_vector] = True
        return flags

    def legs(self, columns: Columns) -> Legs:
        """Return the keyword hits and the vector hits as ids with scores, best first."""
        both = (self.by_words, self.words), (self.by_vector, self.cosines)
        return Legs(*(best_first((columns.ids[slot], float(raw)) for slot, raw in zip(*leg, strict=True)) for leg in both))


def best_candidates(columns: Columns, allowed: Flags, counts: Floats, cosines: Floats, corpus: Corpus, depth: Depth) -> Best:
    """Select the memories with the best keyword matches and the memories with the nearest vectors."""
    with_words = np.flatnonzero(allowed & (counts > 0).any(axis=0))
    relative = columns["length"][with_words] / max(corpus.average_length, 1.0)
    scores = bm25.bm25(_select_counts(counts, with_words), relative, bm25.inverse_document_frequency(corpus))
    with_vector = np.flatnonzero(allowed & ~np.isnan(cosines))
    words, near = _pick_top(scores, depth.by_words), with_vector[_pick_top(cosines[with_vector], depth.by_vector)]
    return Best(with_words[words], scores[words], near, cosines[near])


def _pick_top(scores: Floats, count: int) -> Integers:
    """Return the positions of the `count` highest scores, in any order."""
    if len(scores) <= count:
        return np.arange(len(scores))
    return np.argpartition(-scores, count)[:count]


def with_neighbours(columns: Columns, chosen: Flags, visible: Flags) -> Flags:
    """Flag the visible memories that are chosen or are at most `REACH` positions from a chosen memory in the same session."""
    order, ordered = columns.by_place()
    in_session = chosen & (columns["session"] >= 0)
    places = place_numbers(columns["session"][in_session], columns["position"][in_session])
    begins = np.bincount(np.searchsorted(ordered, places - bm25.REACH, "left"), minlength=len(order) + 1)
    ends = np.bincount(np.searchsorted(ordered, places + bm25.REACH, "right"), minlength=len(order) + 1)
    wanted = chosen.copy()
    wanted[order[np.cumsum(begins - ends)[:-1] > 0]] = True
    return wanted & visible


def candidate_columns(
    columns: Columns, chosen: Flags, ranked: Flags, counts: Floats, cosines: Floats, visible: Flags
) -> Candidates:
    slots = np.flatnonzero(chosen)
    sessions = columns["session"][slots]
    return Candidates(
        ids=list(map(columns.ids.__getitem__, slots.tolist())),
        ranked=ranked[slots],
        term_counts=_select_counts(counts, slots),
        lengths=columns["length"][slots].astype(np.float64),
        cosines=cosines[slots],
        sessions=sessions,
        session_lengths=columns.totals(visible).session_means[sessions + 1],
        positions=columns["position"][slots],
        speakers=columns["speaker"][slots],
        speaker_names=columns.speakers.listed,
        questions=columns["question"][slots],
        instructions=columns["instruction"][slots],
        preferences=columns["preference"][slots],
        days=columns["day"][slots].astype(np.float64),
        importances=columns["importance"][slots],
        created=columns["created_at"][slots],
    )


def _select_counts(counts: Floats, slots: Integers) -> Floats:
    """Return the counts of the given slots, with one row per slot and one column per term."""
    return np.ascontiguousarray(np.take(counts, slots, axis=1).T, dtype=np.float64)
