"""Moves a user of one SQLite file to the next embedding model.

Vectors of two models are never compared. Triggers delete a waiting vector if its memory changes or is deleted.
"""

import sqlite3
from collections.abc import Sequence

from commonplace.adapters.sqlite.database import Database
from commonplace.adapters.sqlite.rows import RECORD, known_owner, memory_of
from commonplace.memories.vectors import to_bytes
from commonplace.ports.values import Vector

_REMAINING = """FROM memories WHERE owner = :owner AND status = 'active'
    AND (embedding_model IS NULL OR embedding_model < :model OR embedding_model > :model)
    AND row NOT IN (SELECT row FROM waiting_vectors WHERE model = :model)"""
_ANOTHER_MODEL = """SELECT 1 FROM memories WHERE owner = :owner AND status = 'active'
    AND (embedding_model < :model OR embedding_model > :model) LIMIT 1"""
_UNREADABLE = """UPDATE memories SET embedding = NULL, embedding_model = :model
    WHERE owner = :owner AND NOT json_valid(record) AND row IN (SELECT row FROM waiting_vectors WHERE model = :model)"""


class SqliteReembedding:
    """Users of one file whose vectors are being recomputed with `model`."""

    def __init__(self, database: Database, model: str) -> None:
        self._database, self._model = database, model

    def has_switched(self, user_id: str) -> bool:
        with self._database.reading() as connection:
            owner = known_owner(connection, user_id)
            if owner is None or self._is_known_switched(connection, owner):
                return True
            named = {"owner": owner, "model": self._model}
            return connection.execute(_ANOTHER_MODEL, named).fetchone() is None

    def count_left(self, user_id: str) -> int:
        with self._database.reading() as connection:
            named = {"owner": known_owner(connection, user_id), "model": self._model}
            count: int = connection.execute(f"SELECT count(*) {_REMAINING}", named).fetchone()[0]
            return count

    def left(self, user_id: str, limit: int) -> list[tuple[int, str]]:
        if self._database.read_only:
            return []  # no vector can be stored; searches find memories of another model by words
        with self._database.reading() as connection:
            named = {"owner": known_owner(connection, user_id), "model": self._model, "limit": limit}
            columns = f"SELECT row, memory_id, {RECORD}"
            rows = connection.execute(f"{columns} {_REMAINING} ORDER BY row DESC LIMIT :limit", named).fetchall()
        read = [(row[0], memory_of(user_id, *row[1:])) for row in rows]
        return [(row, "" if memory is None else memory.content) for row, memory in read]

    def keep(self, user_id: str, vectors: Sequence[tuple[int, Vector | None]]) -> None:
        rows = [{"row": row, "model": self._model, "vector": to_bytes(vector)} for row, vector in vectors]
        with self._database.writing() as connection:
            connection.executemany("INSERT OR REPLACE INTO waiting_vectors VALUES (:row, :model, :vector)", rows)
            owner = known_owner(connection, user_id)
            if owner is not None and self._is_known_switched(connection, owner):
                self._take_over(connection, owner)

    def switch(self, user_id: str) -> bool:
        with self._database.writing() as connection:
            owner = known_owner(connection, user_id)
            if owner is None or self._is_known_switched(connection, owner):
                return True
            named = {"owner": owner, "model": self._model}
            if connection.execute(f"SELECT 1 {_REMAINING} LIMIT 1", named).fetchone():
                return False
            self._take_over(connection, owner)
            connection.execute("INSERT OR REPLACE INTO embedding_models VALUES (:owner, :model)", named)
            return True

    def _is_known_switched(self, connection: sqlite3.Connection, owner: int) -> bool:
        row = connection.execute("SELECT model FROM embedding_models WHERE owner = ?", (owner,)).fetchone()
        return row is not None and str(row[0]) == self._model

    def _take_over(self, connection: sqlite3.Connection, owner: int) -> None:
        """Activate the waiting vectors. The memories get no new version, because their content is unchanged."""
        connection.execute("UPDATE changes SET last = last + 1")  # readers fetch changes above the last number they read
        connection.execute(
            """UPDATE memories SET embedding = waiting.embedding, embedding_model = :model,
                record = json_set(record, '$.embedding_model', iif(waiting.embedding IS NULL, NULL, :model)),
                change = (SELECT last FROM changes)
            FROM waiting_vectors AS waiting WHERE waiting.row = memories.row AND waiting.model = :model AND owner = :owner
                AND json_valid(record)""",
            {"model": self._model, "owner": owner},
        )
        connection.execute(_UNREADABLE, {"model": self._model, "owner": owner})
        connection.execute("DELETE FROM waiting_vectors WHERE row IN (SELECT row FROM memories WHERE owner = ?)", (owner,))
