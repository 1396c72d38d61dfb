"""Counting what was found: written after the answer is built, without a sync to disk and without waiting."""

import threading
from collections.abc import Iterator, Sequence
from datetime import datetime

from commonplace.adapters.sqlite.database import Database


class SqliteUsage:
    """The usage log of one file. What can't be written at once waits for the next call, or for `close`."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._guard = threading.Lock()
        self._waiting: list[tuple[str, str]] = []

    def found(self, user_id: str, memory_ids: Sequence[str], at: datetime) -> None:  # noqa: ARG002 - an id is enough here
        with self._guard:
            self._waiting += [(memory_id, at.isoformat()) for memory_id in memory_ids]
            self._write()

    def fold(self, user_id: str) -> None:  # noqa: ARG002 - the counts are where they are shown, but for those that wait
        with self._guard:
            self._write()

    def unfolded(self, before: datetime) -> Iterator[str]:  # noqa: ARG002
        return iter(())

    def close(self) -> None:
        """Writes what waits."""
        with self._guard:
            self._write()

    def _write(self) -> None:
        if not self._waiting:
            return
        with self._database.counting() as connection:
            if connection is None:
                return
            connection.executemany(
                "INSERT INTO usage VALUES (?, 1, ?) ON CONFLICT DO UPDATE"
                " SET found = found + 1, last_found = max(last_found, excluded.last_found)",
                self._waiting,
            )
        self._waiting.clear()
