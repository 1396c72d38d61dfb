"""Computes facts about all of a user's memories, and counts how often they are used."""

import json
import threading
from collections.abc import Iterator, Sequence
from datetime import datetime

from commonplace.adapters.sqlite.database import Database
from commonplace.adapters.sqlite.rows import RECORD, known_owner, memory_of
from commonplace.domain.outline import Outline
from commonplace.ports.values import MOST_TAGS, Statistics

_COUNTS = """SELECT
    coalesce(sum(live), 0), coalesce(sum(lapsed), 0), coalesce(sum(live AND usage.memory_id IS NULL), 0),
    coalesce(sum(live AND embedding IS NULL), 0),
    coalesce(sum(live AND embedding IS NOT NULL AND embedding_model IS NOT :model), 0)
    FROM (SELECT memory_id, embedding, embedding_model, (expires_at IS NULL OR expires_at > :now) AS live,
          iif(expires_at <= :now AND json_valid(record), json_extract(record, '$.durability') = 'durable', 0) AS lapsed
          FROM memories WHERE owner = :owner AND status = 'active') LEFT JOIN usage USING (memory_id)"""


class SqliteUsage:
    """Counts the use of memories in one file. The next call or `close` writes counts that could not be written at once."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._guard = threading.Lock()
        self._waiting: list[tuple[str, str]] = []

    def count(self, user_id: str, memory_ids: Sequence[str], at: datetime) -> None:  # noqa: ARG002 - ids are unique
        if self._database.read_only:
            return
        with self._guard:
            self._waiting += [(memory_id, at.isoformat()) for memory_id in memory_ids]
            self._write_waiting()

    def fold(self, user_id: str) -> None:  # noqa: ARG002 - stored counts are already up to date
        """Write the waiting counts of all users."""
        with self._guard:
            self._write_waiting()

    def unfolded(self, before: datetime) -> Iterator[str]:  # noqa: ARG002
        return iter(())

    def close(self) -> None:
        """Write the waiting counts. Counts that can't be written are dropped."""
        with self._guard:
            self._write_waiting()
            self._waiting.clear()

    def _write_waiting(self) -> None:
        if not self._waiting:
            return
        with self._database.counting() as connection:
            if connection is None:
                return
            connection.executemany(
                "INSERT INTO usage SELECT memory_id, 1, ?2 FROM memories WHERE memory_id = ?1 AND status = 'active'"
                " ON CONFLICT DO UPDATE SET found = found + 1, last_found = max(last_found, excluded.last_found)",
                self._waiting,
            )
        self._waiting.clear()


class SqliteFacts:
    def __init__(self, database: Database) -> None:
        self._database = database
        self._read: dict[str, dict[int, tuple[int, Outline | None]]] = {}
        """The outlines of the last user's memories by row, each with the memory's change number at the time of reading."""

    def tags(self, user_id: str) -> dict[str, int]:
        with self._database.reading() as connection:
            owner = known_owner(connection, user_id)
            query = "SELECT tag, memories FROM tags WHERE owner = ? ORDER BY memories DESC, tag LIMIT ?"
            cursor = connection.execute(query, (owner, MOST_TAGS))
            return {tag: count for tag, count in cursor if isinstance(tag, str) and isinstance(count, int)}

    def statistics(self, user_id: str, now: datetime, embedding_model: str) -> Statistics:
        with self._database.reading() as connection:
            owner = known_owner(connection, user_id)
            named = {"owner": owner, "now": now.timestamp(), "model": embedding_model}
            counts = connection.execute(_COUNTS, named).fetchone()
            query = "SELECT count(*), coalesce(sum(memories = 1), 0) FROM tags WHERE owner = ?"
            tags = connection.execute(query, (owner,)).fetchone()
        return Statistics(*counts, *tags)

    def outlines(self, user_id: str, terms: Sequence[str] = ()) -> list[Outline]:
        """Return the outlines of memories that contain all `terms`. Outlines of unchanged records come from a cache."""
        with self._database.reading() as connection:
            owner = known_owner(connection, user_id)
            condition = " AND row IN (SELECT doc FROM word_places WHERE term = ?)" * len(terms)
            changes: dict[int, int] = dict(
                connection.execute(
                    f"SELECT row, change FROM memories WHERE owner = ?{condition}",
                    (owner, *(f"{owner}_{term}" for term in terms)),
                ).fetchall()
            )
            before = self._read.get(user_id, {})
            known = {row: before[row] for row, change in changes.items() if row in before and before[row][0] == change}
            new = json.dumps([row for row in changes if row not in known])
            query = f"SELECT row, memory_id, {RECORD} FROM memories WHERE row IN (SELECT value FROM json_each(?))"
            rows = connection.execute(query, (new,)).fetchall()
        for row, memory_id, record in rows:
            memory = memory_of(user_id, memory_id, record)  # every call reports unreadable records
            if memory is not None:
                known[row] = changes[row], Outline.of(memory, len(record))
        if not terms:
            self._read = {user_id: known}
        return [outline for row in changes if row in known and (outline := known[row][1]) is not None]
