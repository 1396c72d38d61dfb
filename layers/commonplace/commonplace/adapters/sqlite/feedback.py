"""Stores ratings of memories in one SQLite file."""

import sqlite3
from collections.abc import Callable
from datetime import datetime

from commonplace.adapters.sqlite.database import DatabaseAdapter
from commonplace.adapters.sqlite.purging import drop_expired
from commonplace.adapters.sqlite.rows import known_owner, moment_of
from commonplace.ports.values import MOST_RATINGS, RATING_TTL, Rating

_ACTIVE = "SELECT 1 FROM memories WHERE owner = ? AND memory_id = ? AND status = 'active'"
_SURPLUS = """DELETE FROM feedback WHERE owner = ?1 AND rowid IN (
    SELECT rowid FROM feedback WHERE owner = ?1 ORDER BY until DESC, rowid DESC LIMIT -1 OFFSET ?2)"""


class SqliteFeedback(DatabaseAdapter):
    def rate(self, user_id: str, rating: Rating) -> bool:
        """Store a rating, replacing one for the same memory and query. Returns False if the memory is not active."""
        with self._database.writing() as connection:
            owner = known_owner(connection, user_id)
            if owner is None or connection.execute(_ACTIVE, (owner, rating.memory_id)).fetchone() is None:
                return False
            until = (rating.at + RATING_TTL).timestamp()
            row = (owner, rating.memory_id, rating.query_hash, rating.query, rating.useful, rating.at.isoformat(), until)
            connection.execute("INSERT OR REPLACE INTO feedback VALUES (?, ?, ?, ?, ?, ?, ?)", row)
            drop_expired(connection, "feedback", owner, rating.at.timestamp())
            connection.execute(_SURPLUS, (owner, MOST_RATINGS))
        return True

    def ratings(self, user_id: str, now: datetime) -> list[Rating]:
        with self._database.reading() as connection:
            rows = _load_rows(connection, user_id, now.timestamp())
        return [rating for _, rating in rows]

    def forget(self, user_id: str, is_meant: Callable[[Rating], bool]) -> int:
        with self._database.writing(erases=True) as connection:
            meant = [(number,) for number, rating in _load_rows(connection, user_id) if is_meant(rating)]
            connection.executemany("DELETE FROM feedback WHERE rowid = ?", meant)
        return len(meant)


def _load_rows(connection: sqlite3.Connection, user_id: str, after: float = 0.0) -> list[tuple[int, Rating]]:
    """Return the ratings that expire after `after` (Unix seconds), oldest first, each with its row number."""
    rows = connection.execute(
        "SELECT rowid, memory_id, query, useful, at FROM feedback WHERE owner = ? AND until > ? ORDER BY until, rowid",
        (known_owner(connection, user_id), after),
    ).fetchall()
    return [(number, Rating(name, query, bool(useful), moment_of(at))) for number, name, query, useful, at in rows]
