"""Keeps the search log in one SQLite file."""

import logging
import math
import sqlite3
import threading
import time
from collections.abc import Callable
from typing import NamedTuple

from commonplace.adapters.sqlite.database import Database
from commonplace.adapters.sqlite.purging import drop_expired
from commonplace.adapters.sqlite.rows import known_owner, moment_of
from commonplace.domain.errors import CommonplaceError
from commonplace.ports.values import SEARCH_TTL, LoggedSearch

_log = logging.getLogger("commonplace")
_BATCH, _MOST_SECONDS = 20, 5.0  # searches and seconds per batch; writing a search by itself takes 0.3 ms
_INSERT = (
    "INSERT INTO searches (owner, query, found, at, purge_at) SELECT ?1, ?2, ?3, ?4, ?5"
    " WHERE EXISTS (SELECT 1 FROM users WHERE number = ?1 AND user_id = ?7)"
    " AND NOT EXISTS (SELECT 1 FROM searches_forgotten WHERE owner = ?1 AND seconds >= ?6)"
)


class _Waiting(NamedTuple):
    searched_at: float
    user_id: str
    owner: int
    """The user's number at the time of the search. After an erasure, the user id gets a new number."""
    search: LoggedSearch


class SqliteSearchLog:
    """The search log in one file. Searches are kept in main memory until a batch is complete, or the log is read or closed.

    If any process calls `forget`, the user's waiting searches are never written. Searches are stored only if `on` is true,
    and never in a read-only file. `clock` returns seconds since 1970.
    """

    def __init__(self, database: Database, on: bool = True, clock: Callable[[], float] = time.time) -> None:
        self._database, self._on, self._clock = database, on and not database.read_only, clock
        self._guard = threading.Lock()
        self._waiting: list[_Waiting] = []

    def is_on(self) -> bool:
        return self._on

    def searched(self, user_id: str, search: LoggedSearch) -> None:
        if not self._on:
            return
        with self._database.reading() as connection:
            owner = known_owner(connection, user_id)
        if owner is None:  # a user without stored data has no log
            return
        with self._guard:
            now = self._clock()
            self._waiting.append(_Waiting(now, user_id, owner, search))
            if len(self._waiting) >= _BATCH or now - self._waiting[0].searched_at >= _MOST_SECONDS:
                self._write_waiting()

    def searches(self, user_id: str) -> list[LoggedSearch]:
        with self._guard:
            self._write_waiting()
            waiting = [each.search for each in self._waiting if each.user_id == user_id]
        with self._database.reading() as connection:
            rows = self._load_rows(connection, user_id, self._clock())
        return [LoggedSearch(query, count, moment_of(at)) for _, query, count, at in rows] + waiting

    def queries(self, user_id: str) -> list[str]:
        """Return all stored queries, including expired ones."""
        with self._guard:
            self._write_waiting()
            waiting = [each.search.query for each in self._waiting if each.user_id == user_id]
        with self._database.reading() as connection:
            return [query for _, query, _, _ in self._load_rows(connection, user_id, -math.inf)] + waiting

    def forget(self, user_id: str, is_meant: Callable[[str], bool]) -> int:
        """Delete the searches that `is_meant` accepts, and return how many. Drops all waiting searches of the user."""
        with self._guard:
            self._write_waiting()
            self._waiting = [each for each in self._waiting if each.user_id != user_id]
        with self._database.writing(erases=True) as connection:
            connection.execute(
                "INSERT INTO searches_forgotten SELECT number, ? FROM users WHERE user_id = ?"
                " ON CONFLICT DO UPDATE SET seconds = excluded.seconds",
                (self._clock(), user_id),
            )
            meant = [(number,) for number, query, *_ in self._load_rows(connection, user_id, -math.inf) if is_meant(query)]
            connection.executemany("DELETE FROM searches WHERE number = ?", meant)
        return len(meant)

    def close(self) -> None:
        """Write the waiting searches. Searches that can't be written are dropped."""
        with self._guard:
            self._write_waiting()
            self._waiting = []

    def _load_rows(self, connection: sqlite3.Connection, user_id: str, after: float) -> list[tuple[int, str, int, str]]:
        """Return the searches that are purged after `after` (Unix seconds), oldest first, each with its row number."""
        return connection.execute(
            "SELECT number, query, found, at FROM searches WHERE owner = ? AND purge_at > ? ORDER BY number",
            (known_owner(connection, user_id), after),
        ).fetchall()

    def _write_waiting(self) -> None:
        """Write the waiting searches, unless another process is writing. A failure is logged, but a search still succeeds."""
        if not self._waiting:
            return
        try:
            with self._database.counting() as connection:
                if connection is not None:
                    self._insert_waiting(connection)
                    self._waiting = []
        except CommonplaceError as error:
            _log.warning("%d searches are not logged: %s", len(self._waiting), error)
            self._waiting = []

    def _insert_waiting(self, connection: sqlite3.Connection) -> None:
        """Insert the waiting searches, except those of users who were erased or called `forget` since the search."""
        now = self._clock()
        for searched_at, user_id, owner, search in self._waiting:
            drop_expired(connection, "searches", owner, now)
            purge_at = now + SEARCH_TTL.total_seconds()
            row = owner, search.query, search.found, search.at.isoformat(), purge_at
            connection.execute(_INSERT, (*row, searched_at, user_id))
