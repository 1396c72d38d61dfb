"""All that is kept of a user's memories in one file, as it is kept."""

import json
import sqlite3
from collections import defaultdict
from collections.abc import Iterator

from commonplace.adapters.sqlite.database import Database
from commonplace.adapters.sqlite.records import audit_of
from commonplace.adapters.sqlite.rows import RECORD, known_owner, memory_of
from commonplace.ports.record_values import Audit, RawRecord

_PAGE = 500
_ROWS = (
    f"SELECT memory_id, {RECORD}, found, last_found, version FROM memories LEFT JOIN usage USING (memory_id)"
    f" WHERE +owner = ? AND memory_id > ? ORDER BY memory_id LIMIT {_PAGE}"
)
_AUDITS = (
    "SELECT memory_id, operation, at, detail FROM audits WHERE memory_id IN (SELECT value FROM json_each(?)) ORDER BY number"
)


class SqliteRawRecords:
    """The records of one file. A page of them and their audit rows are of one moment."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def rows(self, user_id: str) -> Iterator[RawRecord]:
        last = ""
        while True:
            with self._database.reading() as connection:
                found = connection.execute(_ROWS, (known_owner(connection, user_id), last)).fetchall()
                audits = _audits(connection, [row[0] for row in found])
            for memory_id, record, count, last_found, version in found:
                memory = memory_of(user_id, memory_id, record, count, last_found)
                newest = memory.version if memory is not None else int(version)
                of_memory = audits[memory_id]  # a row for each version up to the newest; none from before an import
                steps = dict(enumerate(of_memory, max(1, newest - len(of_memory) + 1)))
                yield RawRecord(memory_id, bytes(record), memory, steps)
            if len(found) < _PAGE:
                return
            last = found[-1][0]


def _audits(connection: sqlite3.Connection, memory_ids: list[str]) -> dict[str, list[Audit]]:
    found = defaultdict[str, list[Audit]](list)
    for memory_id, *row in connection.execute(_AUDITS, (json.dumps(memory_ids),)):
        found[memory_id].append(audit_of(*row))
    return found
