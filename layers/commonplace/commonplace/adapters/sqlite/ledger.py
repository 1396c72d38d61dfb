"""Stores the ledger in one SQLite file. The ledger contains interactions, and records which of them a run has read."""

import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from commonplace.adapters.sqlite.database import DatabaseAdapter
from commonplace.adapters.sqlite.purging import confirmed
from commonplace.adapters.sqlite.rows import known_owner, moment_of, owner_number
from commonplace.domain.interactions import INTERACTION, Interaction, message_count, parse_interaction
from commonplace.domain.runs import Run
from commonplace.ports.night import LedgerEntry, LedgerMark

_ENTRY = (
    "SELECT interaction_id, time, state, recorded_at, CAST(interaction AS BLOB), run_id, read_at, failures, messages"
    " FROM interactions"
)
_DUE = (
    "SELECT user_id FROM users WHERE EXISTS (SELECT 1 FROM interactions WHERE owner = users.number AND (state = 'pending'"
    " OR interaction IS NOT NULL AND read_seconds < ?))"
)


class SqliteLedger(DatabaseAdapter):
    def record(self, user_id: str, interactions: Sequence[Interaction], at: datetime) -> list[bool]:
        """Store new interactions as pending. Returns for each interaction whether it was new."""
        with self._database.writing() as connection:
            owner = owner_number(connection, user_id)
            return [_record_interaction(connection, owner, interaction, at) for interaction in interactions]

    def pending(self, user_id: str, limit: int) -> list[LedgerEntry]:
        with self._database.reading() as connection:
            rows = connection.execute(
                f"{_ENTRY} WHERE owner = ? AND state = 'pending' ORDER BY seconds, number LIMIT ?",
                (known_owner(connection, user_id), limit),
            ).fetchall()
        return [_build_entry(*row) for row in rows]

    def entries(self, user_id: str, interaction_ids: Sequence[str]) -> list[LedgerEntry]:
        with self._database.reading() as connection:
            rows = connection.execute(
                f"{_ENTRY} WHERE owner = ? AND interaction_id IN (SELECT value FROM json_each(?))",
                (known_owner(connection, user_id), json.dumps(interaction_ids)),
            ).fetchall()
        entries = {row[0]: _build_entry(*row) for row in rows}
        return [entries[interaction_id] for interaction_id in interaction_ids if interaction_id in entries]

    def reread(self, user_id: str, interaction_ids: Sequence[str]) -> int:
        """Make interactions pending without failures, unless they are pending or have no text. Returns how many."""
        change = "state = 'pending', failures = 0, read_at = NULL, read_seconds = NULL"
        return self._update_rows(
            user_id, interaction_ids, f"SET {change} WHERE interaction IS NOT NULL AND state != 'pending'"
        )

    def drop_texts(self, user_id: str, now: datetime, retention: timedelta) -> int:
        """Delete the texts that a run read more than `retention` ago. Returns the number of deleted texts."""
        with self._database.writing(erases=True) as connection:
            owner = known_owner(connection, user_id)
            if owner is None:
                return 0
            # If there is no retention period, the clock need not be confirmed.
            until = confirmed(connection, owner, now) if retention else now.timestamp()
            return connection.execute(
                "UPDATE interactions SET interaction = NULL"
                " WHERE owner = ? AND interaction IS NOT NULL AND state != 'pending' AND read_seconds < ?",
                (owner, until - retention.total_seconds()),
            ).rowcount

    def erase_texts(self, user_id: str, interaction_ids: Sequence[str]) -> None:
        """Delete the texts of interactions. A pending interaction counts as read afterwards."""
        state = "CASE state WHEN 'pending' THEN 'read' ELSE state END"
        self._update_rows(user_id, interaction_ids, f"SET interaction = NULL, state = {state} WHERE TRUE", erases=True)

    def due(self, texts_before: datetime | None = None) -> Iterator[str]:
        """Yield the users with pending interactions or with texts that a run read before `texts_before`."""
        with self._database.reading() as connection:
            rows = connection.execute(_DUE, (texts_before and texts_before.timestamp(),)).fetchall()
        return iter([user_id for (user_id,) in rows])

    def _update_rows(self, user_id: str, interaction_ids: Sequence[str], change: str, erases: bool = False) -> int:
        """Update interactions by id, and return how many were updated. `change` contains the SET and WHERE clauses."""
        with self._database.writing(erases) as connection:
            return connection.execute(
                f"UPDATE interactions {change} AND owner = ? AND interaction_id IN (SELECT value FROM json_each(?))",
                (known_owner(connection, user_id), json.dumps(interaction_ids)),
            ).rowcount


def mark(connection: sqlite3.Connection, owner: int, run: Run, marks: Mapping[str, LedgerMark]) -> None:
    """Mark the interactions that a run has read. An interaction without text never becomes pending again."""
    at = run.finished_at or run.started_at
    for interaction_id, mark in marks.items():
        read = (None, None) if mark.state == "pending" else (at.isoformat(), at.timestamp())
        connection.execute(
            "UPDATE interactions SET state = ?, failures = ?, run_id = ?, read_at = ?, read_seconds = ?"
            " WHERE owner = ? AND interaction_id = ? AND (interaction IS NOT NULL OR ? != 'pending')",
            (mark.state, mark.failures, run.run_id, *read, owner, interaction_id, mark.state),
        )


def _record_interaction(connection: sqlite3.Connection, owner: int, entry: Interaction, at: datetime) -> bool:
    """Store an interaction as pending. Returns False if an interaction with its id is already stored."""
    body = INTERACTION.dump_json(entry).decode()
    cursor = connection.execute(
        "INSERT INTO interactions (owner, interaction_id, time, seconds, state, recorded_at, interaction, messages)"
        " VALUES (?, ?, ?, ?, 'pending', ?, ?, ?) ON CONFLICT DO NOTHING",
        (owner, entry.id, entry.time.isoformat(), entry.time.timestamp(), at.isoformat(), body, message_count(entry)),
    )
    return cursor.rowcount == 1


def _build_entry(
    interaction_id: str, time: str, state: Any, recorded_at: str, body: bytes | None, run_id: str | None,
    read_at: str | None, failures: int, messages: int,
) -> LedgerEntry:  # fmt: skip
    return LedgerEntry(
        interaction_id=interaction_id,
        time=moment_of(time),
        state=state,
        recorded_at=moment_of(recorded_at),
        interaction=None if body is None else parse_interaction(body),
        run_id=run_id,
        read_at=None if read_at is None else moment_of(read_at),
        failures=failures if isinstance(failures, int) else 0,
        messages=messages if isinstance(messages, int) else 0,
    )
