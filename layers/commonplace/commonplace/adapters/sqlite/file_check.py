"""All records of one file, or a user's, and what is the matter with the file itself."""

from collections.abc import Iterator

from commonplace.adapters.sqlite import writes
from commonplace.adapters.sqlite.database import Database
from commonplace.adapters.sqlite.rows import known_owner, shown_id, vector_of
from commonplace.domain.errors import CommonplaceError
from commonplace.domain.flaws import tell_unreadable
from commonplace.ports.record_values import Stored

_MOST_FAULTS = 20
_NUMBERS = ("importance", "happened_at", "happened_day", "created_at", "length", "question", "instruction", "preference")
_NUMBERS_OR_NULL = ("valid_from", "valid_to", "expires_at", "position")
_NO_NUMBER = " OR ".join(
    [f"typeof({name}) NOT IN ('integer', 'real')" for name in _NUMBERS]
    + [f"typeof({name}) NOT IN ('integer', 'real', 'null')" for name in _NUMBERS_OR_NULL]
)
_DAMAGED = f"SELECT row, memory_id FROM memories WHERE row > ? AND row <= ? AND ({_NO_NUMBER})"


class SqliteEverything:
    """All records of one file. One with a column that no search can read is told of, and given: its record is the truth."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def every(self) -> Iterator[Stored]:
        last = 0
        while True:
            with self._database.reading() as connection:
                found = connection.execute(f"{writes.STORED} WHERE row > ? ORDER BY row LIMIT 500", (last,)).fetchall()
                damaged = dict(connection.execute(_DAMAGED, (last, found[-1][0] if found else last)))
            if not found:
                return
            for row in found:
                there = writes.StoredRow.of(*row)
                if row[0] in damaged:
                    tell_unreadable(row[2], shown_id(damaged[row[0]]))
                if there is not None:
                    yield Stored(there.memory, vector_of(there.embedding))
            last = found[-1][0]

    def of_user(self, user_id: str, after: str | None = None) -> Iterator[Stored]:
        last = after or ""
        while True:
            with self._database.reading() as connection:
                # +owner: by the index of the ids, so that each page costs the same
                found = connection.execute(
                    f"{writes.STORED} WHERE +owner = ? AND memory_id > ? ORDER BY memory_id LIMIT 500",
                    (known_owner(connection, user_id), last),
                ).fetchall()
            if not found:
                return
            for row in found:
                there = writes.StoredRow.of(*row)
                if there is not None:
                    yield Stored(there.memory, vector_of(there.embedding))
            last = found[-1][3]


def check_file(database: Database) -> list[str]:
    """What SQLite finds wrong with the file, a line each, the first twenty; none where it is whole."""
    try:
        return _found(database, "integrity_check")
    except CommonplaceError as error:  # a damaged page may stop the whole check, and not the quick one
        try:
            return [*_found(database, "quick_check"), f"the indexes could not be checked: {error.message}"]
        except CommonplaceError:
            return [error.message]


def _found(database: Database, check: str) -> list[str]:
    with database.reading() as connection:
        found = [str(line) for (line,) in connection.execute(f"PRAGMA {check}({_MOST_FAULTS})")]
    return [] if found == ["ok"] else found
