"""Finds candidates in one SQLite file. FTS5 searches words, an exact scan compares vectors, and positions show neighbours."""

import math
import sqlite3
from collections.abc import Mapping, Sequence

import numpy as np

from commonplace.adapters.sqlite import rows as word_index
from commonplace.adapters.sqlite import scan
from commonplace.adapters.sqlite.columns import Columns
from commonplace.adapters.sqlite.database import Database
from commonplace.adapters.sqlite.rows import RECORD, known_owner, memory_of
from commonplace.domain.flaws import report_unreadable
from commonplace.memories.vectors import from_bytes
from commonplace.ports.index import DEPTHS, Depth, Retrieved
from commonplace.ports.values import Filter, Similar, Vector, Visibility
from commonplace.retrieval.candidate_rows import best_by_words_and_vector

_ROWS = 1_500
_RAREST_TERMS = 6
_READ = 20
_USERS_IN_MEMORY = 32


def _compare_rows(
    connection: sqlite3.Connection, owner: int, visibility: Visibility, shares: Mapping[int, float], vector: Vector | None,
    model: str,
) -> list[tuple[float, Similar]]:  # fmt: skip
    """Return the visible memories whose rows are in `shares`. Each has its share of the query's words, and its cosine."""
    visible, values = scan.visible(visibility)
    rows = connection.execute(
        f"SELECT row, memory_id, {RECORD}, embedding, embedding_model FROM memories"
        f" WHERE row IN ({','.join('?' * len(shares))}) AND +owner = ? AND {visible}",
        (*shares, owner, *values),
    ).fetchall()
    scored = []
    for row, memory_id, record, blob, made_by in rows:
        memory = memory_of(visibility.user_id, memory_id, record)
        if memory is None:
            continue
        other_model = blob is not None and made_by != model
        other = None if other_model else from_bytes(blob, None if vector is None else len(vector))
        cosine = None if vector is None or other is None else float(other @ vector)
        scored.append((shares[row], Similar(memory.memory_id, memory.content, cosine, other, other_model)))
    return scored


def _compute_word_shares(connection: sqlite3.Connection, owner: int, terms: Sequence[str]) -> dict[int, float]:
    """Return the best rows, each with the weighted share of `terms` it contains. Common terms are skipped to save time."""
    counts = word_index.frequencies(connection, owner, tuple(set(terms)))
    own: int = connection.execute("SELECT count(*) FROM memories WHERE owner = ?", (owner,)).fetchone()[0]
    rarest = sorted(counts.items(), key=lambda item: (item[1], item[0]))
    total = sum(math.log1p(own / counts.get(term, 1)) for term in set(terms)) or 1.0
    shares: dict[int, float] = {}
    read = 0
    for term, count in rarest[:_RAREST_TERMS]:
        read += count
        if read > _ROWS:
            break
        for row in {int(row) for rows in word_index.occurrences(connection, owner, term).values() for row in rows}:
            shares[row] = shares.get(row, 0.0) + math.log1p(own / count) / total
    best = sorted(shares, key=lambda row: (-shares[row], row))[:_READ]
    return {row: shares[row] for row in best}


def _find_nearest(columns: Columns, visibility: Visibility, vector: Vector | None, limit: int) -> list[int]:
    """Return the row numbers of the visible memories with the nearest vectors, in any order."""
    if vector is None or not len(columns):
        return []
    visible = columns.visible(visibility.agents, visibility.now.timestamp(), visibility.include_expired)
    cosines = np.where(visible & columns["has_vector"], columns.cosines(vector), -np.inf)
    best = np.argpartition(-cosines, min(limit, len(columns)) - 1)[:limit]
    return [int(row) for row in columns["row"][best[np.isfinite(cosines[best])]]]


class SqliteIndex:
    def __init__(self, database: Database, embedding_model: str, dimension: int, depth: Depth = DEPTHS["thorough"]) -> None:
        self._database, self._model, self._dimension, self._depth = database, embedding_model, dimension, depth
        self._users: dict[int, Columns] = {}

    def find(
        self, visibility: Visibility, filters: Filter, terms: Sequence[str], vector: Vector | None, with_legs: bool = False
    ) -> Retrieved:
        """Return the best matches by words and by vector with their neighbours, and the counts for BM25."""
        with self._database.reading() as connection:
            columns = self._load_columns(connection, visibility.user_id)
            visible = columns.visible(visibility.agents, visibility.now.timestamp(), visibility.include_expired)
            allowed = visible & scan.passing(connection, columns, filters)
            counts = scan.term_counts(connection, columns, terms)
            corpus = scan.corpus(columns, visible, counts)
            cosines = columns.cosines(vector)
            best = scan.best_candidates(columns, allowed, counts, cosines, corpus, self._depth)
            ranked = scan.with_neighbours(columns, best.chosen(len(columns)), visible) & allowed
            chosen = scan.with_neighbours(columns, ranked, visible)
            handed_over = scan.candidate_columns(columns, chosen, ranked, counts, cosines, visible)
            other_model = bool((columns["other_model"] & visible).any())
            return Retrieved(handed_over, corpus, legs=best.legs(columns) if with_legs else None, other_model=other_model)

    def similar(self, visibility: Visibility, terms: Sequence[str], vector: Vector | None, limit: int) -> list[Similar]:
        """Return visible memories with the rarest terms or with near vectors, most similar first."""
        with self._database.reading() as connection:
            columns = self._load_columns(connection, visibility.user_id)
            rows = dict.fromkeys(_find_nearest(columns, visibility, vector, limit), 0.0)
            rows |= _compute_word_shares(connection, columns.owner, terms)
            return best_by_words_and_vector(
                _compare_rows(connection, columns.owner, visibility, rows, vector, self._model), limit
            )

    def most_important(self, visibility: Visibility, filters: Filter, limit: int) -> tuple[list[str], bool]:
        """Return the ids of visible memories that pass the filter, most important first, and False (none are missing)."""
        with self._database.reading() as connection:
            columns = self._load_columns(connection, visibility.user_id)
            allowed = columns.visible(visibility.agents, visibility.now.timestamp(), visibility.include_expired)
            allowed &= scan.passing(connection, columns, filters)
            slots = np.flatnonzero(allowed)
            order = np.lexsort((-columns["happened_at"][slots], -columns["importance"][slots]))
            return [columns.ids[slot] for slot in slots[order[:limit]]], False

    def _load_columns(self, connection: sqlite3.Connection, user_id: str) -> Columns:
        """Return the user's refreshed columns from a cache for 32 users. Reports damaged memories."""
        owner = known_owner(connection, user_id)
        if owner is None:
            return Columns(0, self._model, self._dimension)
        columns = self._users.pop(owner, None) or Columns(owner, self._model, self._dimension)
        self._users[owner] = columns  # most recently used last
        if len(self._users) > _USERS_IN_MEMORY:
            del self._users[next(iter(self._users))]
        columns.refresh(connection)
        for memory_id in columns.damaged.values():
            report_unreadable(user_id, memory_id)
        return columns
