"""Stores runs with their parts and leases, users' tag rows, and the token budget in one SQLite file."""

import json
import sqlite3
from collections.abc import Mapping, Sequence
from datetime import date, datetime

from commonplace.adapters.sqlite import ledger
from commonplace.adapters.sqlite.database import DatabaseAdapter
from commonplace.adapters.sqlite.rows import known_owner, owner_number
from commonplace.domain.errors import CommonplaceError, ErrorCode
from commonplace.domain.interactions import parse_run, parse_tag_rows, tag_rows_text
from commonplace.domain.runs import Run, TagRow
from commonplace.ports.night import LedgerMark
from commonplace.ports.values import Fence

_NEWEST = "SELECT 1 FROM leases JOIN users ON users.number = owner WHERE user_id = ? AND leases.number = ?"
_SPENT = "SELECT coalesce(sum(tokens), 0), coalesce(sum(tokens) FILTER (WHERE owner = ?), 0) FROM token_budget WHERE day = ?"
_TAKE = "INSERT INTO token_budget VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET tokens = tokens + excluded.tokens"
_SAVE = "INSERT INTO runs VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET status = excluded.status, run = excluded.run"


class SqliteTagRows(DatabaseAdapter):
    def rows(self, user_id: str) -> dict[str, TagRow]:
        with self._database.reading() as connection:
            owner = known_owner(connection, user_id)
            row = connection.execute("SELECT body FROM tag_rows WHERE owner = ?", (owner,)).fetchone()
        return parse_tag_rows(None if row is None else str(row[0]))

    def replace(self, user_id: str, rows: Mapping[str, TagRow], fence: Fence) -> None:
        """Replace all of the user's tag rows. Raises `LEASE_LOST` for an older lease."""
        with self._database.writing(erases=True) as connection:
            check_fence(connection, fence)
            owner = owner_number(connection, user_id)
            connection.execute("INSERT OR REPLACE INTO tag_rows VALUES (?, ?)", (owner, tag_rows_text(rows)))


def take_lease(connection: sqlite3.Connection, owner: int, now: datetime, until: datetime) -> int | None:
    """Take a lease and return its number. Return None if another valid lease exists that does not end implausibly late."""
    span = until - now
    named = {"owner": owner, "now": now.timestamp(), "until": until.timestamp(), "untrue": (until + span).timestamp()}
    row = connection.execute(
        "INSERT INTO leases VALUES (:owner, 1, :until) ON CONFLICT DO UPDATE"
        " SET number = number + 1, until = excluded.until WHERE until <= :now OR until > :untrue RETURNING number",
        named,
    ).fetchone()
    return None if row is None else int(row[0])


def extend_lease(connection: sqlite3.Connection, fence: Fence, until: float) -> None:
    """Set the end of the lease, in Unix seconds, if `fence` is the user's newest lease."""
    connection.execute(
        "UPDATE leases SET until = ? WHERE number = ? AND owner = (SELECT number FROM users WHERE user_id = ?)",
        (until, fence.number, fence.user_id),
    )


def check_fence(connection: sqlite3.Connection, fence: Fence) -> None:
    """Raise `LEASE_LOST` unless the fence has the number of the user's newest lease."""
    if connection.execute(_NEWEST, (fence.user_id, fence.number)).fetchone() is None:
        raise CommonplaceError(ErrorCode.LEASE_LOST, "another run has taken over; this run can no longer write")


class SqliteBudget(DatabaseAdapter):
    def reserve(self, user_id: str, day: date, tokens: int, user_limit: int, limit: int) -> bool:
        """Add tokens to the day's counts. Returns False, and adds nothing, if the user's or the total limit is exceeded."""
        with self._database.writing() as connection:
            owner = owner_number(connection, user_id)
            in_all, own = connection.execute(_SPENT, (owner, day.isoformat())).fetchone()
            if own + tokens > user_limit or in_all + tokens > limit:
                return False
            connection.execute(_TAKE, (day.isoformat(), owner, tokens))
            return True

    def settle(self, user_id: str, day: date, reserved: int, used: int) -> None:
        with self._database.writing() as connection:
            connection.execute(_TAKE, (day.isoformat(), owner_number(connection, user_id), used - reserved))


class SqliteRuns(DatabaseAdapter):
    def lease(self, user_id: str, now: datetime, until: datetime) -> Fence | None:
        """Take the user's lease until `until`. Returns None if another run holds a valid lease."""
        with self._database.writing() as connection:
            number = take_lease(connection, owner_number(connection, user_id), now, until)
        return None if number is None else Fence(user_id, number)

    def renew(self, fence: Fence, until: datetime) -> None:
        with self._database.writing() as connection:
            check_fence(connection, fence)
            extend_lease(connection, fence, until.timestamp())

    def release(self, fence: Fence) -> None:
        with self._database.writing() as connection:
            extend_lease(connection, fence, 0.0)

    def unfinished(self, user_id: str) -> Run | None:
        return next(iter(self._load_runs(user_id, "status = 'running' ORDER BY run_id")), None)

    def save(self, run: Run, fence: Fence) -> None:
        self.close(run, {}, fence)

    def save_part(self, run: Run, name: str, body: str, fence: Fence) -> None:
        """Store a part, or do nothing if the run has a part of that name. Raises `LEASE_LOST` for an older lease."""
        with self._database.writing() as connection:
            check_fence(connection, fence)
            owner = owner_number(connection, run.user_id)
            insert = "INSERT INTO run_parts VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING"
            connection.execute(insert, (owner, run.run_id, name, body))

    def part(self, user_id: str, run_id: str, name: str) -> str | None:
        with self._database.reading() as connection:
            row = connection.execute(
                "SELECT body FROM run_parts WHERE owner = ? AND run_id = ? AND name = ?",
                (known_owner(connection, user_id), run_id, name),
            ).fetchone()
        return None if row is None else str(row[0])

    def drop_parts(self, user_id: str, run_id: str, keep: Sequence[str] = ()) -> None:
        with self._database.writing(erases=True) as connection:
            connection.execute(
                "DELETE FROM run_parts WHERE owner = ? AND run_id = ? AND name NOT IN (SELECT value FROM json_each(?))",
                (known_owner(connection, user_id), run_id, json.dumps(keep)),
            )

    def close(self, run: Run, marks: Mapping[str, LedgerMark], fence: Fence) -> None:
        """Mark interactions with the result of the run, and save the run. Raises `LEASE_LOST` for an older lease."""
        with self._database.writing() as connection:
            check_fence(connection, fence)
            owner = owner_number(connection, run.user_id)
            ledger.mark(connection, owner, run, marks)
            connection.execute(_SAVE, (owner, run.run_id, run.status, run.model_dump_json()))

    def get(self, user_id: str, run_id: str) -> Run | None:
        return next(iter(self._load_runs(user_id, "run_id = ?", run_id)), None)

    def newest(self, user_id: str, limit: int) -> list[Run]:
        return self._load_runs(user_id, "TRUE ORDER BY run_id DESC LIMIT ?", limit)

    def _load_runs(self, user_id: str, where: str, *values: object) -> list[Run]:
        with self._database.reading() as connection:
            rows = connection.execute(
                f"SELECT CAST(run AS BLOB) FROM runs WHERE owner = ? AND {where}", (known_owner(connection, user_id), *values)
            ).fetchall()
        return [run for (body,) in rows if (run := parse_run(body)) is not None]
