"""The runs of one file, their saved work, and the leases that keep one user's runs apart."""

import json
from collections.abc import Mapping, Sequence
from datetime import datetime

from commonplace.adapters.sqlite import fences, ledger
from commonplace.adapters.sqlite.database import Database
from commonplace.adapters.sqlite.rows import known_owner, owner_number
from commonplace.models.runs import Run
from commonplace.night_ports import Mark
from commonplace.ports import Fence

_SAVE = "INSERT INTO runs VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET status = excluded.status, run = excluded.run"


class SqliteRuns:
    """The runs of one file."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def lease(self, user_id: str, now: datetime, until: datetime) -> Fence | None:
        with self._database.writing() as connection:
            number = fences.take(connection, owner_number(connection, user_id), now, until)
        return None if number is None else Fence(user_id, number)

    def renew(self, fence: Fence, until: datetime) -> None:
        with self._database.writing() as connection:
            fences.check(connection, fence)
            fences.set_end(connection, fence, until.timestamp())

    def release(self, fence: Fence) -> None:
        with self._database.writing() as connection:
            fences.set_end(connection, fence, 0.0)

    def unfinished(self, user_id: str) -> Run | None:
        found = self._runs(user_id, "status = 'running' ORDER BY run_id LIMIT 1")
        return found[0] if found else None

    def save(self, run: Run, fence: Fence) -> None:
        self.close(run, {}, fence)

    def save_part(self, run: Run, name: str, body: str, fence: Fence) -> None:
        with self._database.writing() as connection:
            fences.check(connection, fence)
            owner = owner_number(connection, run.user_id)
            connection.execute(
                "INSERT INTO run_parts VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING", (owner, run.run_id, name, body)
            )

    def part(self, user_id: str, run_id: str, name: str) -> str | None:
        with self._database.reading() as connection:
            found = connection.execute(
                "SELECT body FROM run_parts WHERE owner = ? AND run_id = ? AND name = ?",
                (known_owner(connection, user_id), run_id, name),
            ).fetchone()
        return None if found is None else str(found[0])

    def drop_parts(self, user_id: str, run_id: str, keep: Sequence[str] = ()) -> None:
        with self._database.writing(erases=True) as connection:
            connection.execute(
                "DELETE FROM run_parts WHERE owner = ? AND run_id = ? AND name NOT IN (SELECT value FROM json_each(?))",
                (known_owner(connection, user_id), run_id, json.dumps(keep)),
            )

    def close(self, run: Run, marks: Mapping[str, Mark], fence: Fence) -> None:
        with self._database.writing() as connection:
            fences.check(connection, fence)
            owner = owner_number(connection, run.user_id)
            ledger.mark(connection, owner, run, marks)
            connection.execute(_SAVE, (owner, run.run_id, run.status, run.model_dump_json()))

    def get(self, user_id: str, run_id: str) -> Run | None:
        found = self._runs(user_id, "run_id = ?", run_id)
        return found[0] if found else None

    def newest(self, user_id: str, limit: int) -> list[Run]:
        return self._runs(user_id, "TRUE ORDER BY run_id DESC LIMIT ?", limit)

    def _runs(self, user_id: str, condition: str, *values: object) -> list[Run]:
        with self._database.reading() as connection:
            rows = connection.execute(
                f"SELECT run FROM runs WHERE owner = ? AND {condition}", (known_owner(connection, user_id), *values)
            ).fetchall()
        return [Run.model_validate_json(run, extra="ignore") for (run,) in rows]
