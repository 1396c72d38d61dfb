"""Finding candidates in one SQLite file: words by FTS5, vectors by an exact scan, neighbours by session and position."""

import sqlite3
from collections.abc import Sequence

import numpy as np

from commonplace.adapters.sqlite import scan
from commonplace.adapters.sqlite.columns import Columns
from commonplace.adapters.sqlite.database import Database
from commonplace.adapters.sqlite.rows import known_owner
from commonplace.adapters.sqlite.similar import similar
from commonplace.candidates import Gathered
from commonplace.ports import Filter, Similar, Vector, Visibility

_USERS_IN_MEMORY = 32


class SqliteIndex:
    """The index of one file."""

    def __init__(self, database: Database, embedding_model: str, dimension: int) -> None:
        self._database, self._model, self._dimension = database, embedding_model, dimension
        self._users: dict[int, Columns] = {}

    def find(self, seen: Visibility, wanted: Filter, terms: Sequence[str], vector: Vector | None) -> Gathered:
        with self._database.reading() as connection:
            columns = self._columns(connection, seen.user_id)
            visible = columns.visible(seen.agents, seen.now.timestamp(), seen.include_expired)
            allowed = visible & scan.passing(connection, columns, wanted)
            counts = scan.term_counts(connection, columns, terms)
            corpus = scan.corpus(columns, visible, counts)
            cosines = columns.cosines(vector)
            hits = scan.best(columns, allowed, counts, cosines, corpus)
            ranked = scan.with_neighbours(columns, hits, visible) & allowed
            chosen = scan.with_neighbours(columns, ranked, visible)
            return Gathered(scan.handed_over(columns, chosen, ranked, counts, cosines, visible), corpus)

    def similar(self, seen: Visibility, terms: Sequence[str], vector: Vector | None, limit: int) -> list[Similar]:
        with self._database.reading() as connection:
            return similar(connection, seen, terms, vector, self._model)[:limit]

    def most_important(self, seen: Visibility, wanted: Filter, limit: int) -> tuple[list[str], bool]:
        with self._database.reading() as connection:
            columns = self._columns(connection, seen.user_id)
            allowed = columns.visible(seen.agents, seen.now.timestamp(), seen.include_expired)
            allowed &= scan.passing(connection, columns, wanted)
            slots = np.flatnonzero(allowed)
            order = np.lexsort((-columns["happened_at"][slots], -columns["importance"][slots]))
            return [columns.ids[slot] for slot in slots[order[:limit]]], False

    def _columns(self, connection: sqlite3.Connection, user_id: str) -> Columns:
        owner = known_owner(connection, user_id)
        if owner is None:
            return Columns(0, self._model, self._dimension)
        columns = self._users.pop(owner, None) or Columns(owner, self._model, self._dimension)
        self._users[owner] = columns  # last in, last out
        if len(self._users) > _USERS_IN_MEMORY:
            del self._users[next(iter(self._users))]
        columns.refresh(connection)
        return columns
