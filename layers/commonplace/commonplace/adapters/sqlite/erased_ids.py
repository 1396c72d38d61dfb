"""The hashes of what was erased from one file."""

import json
import sqlite3
from collections.abc import Collection

from commonplace.adapters.sqlite import aliases
from commonplace.adapters.sqlite.database import Database
from commonplace.domain.ids import erased_hash


class SqliteErasedIds:
    """What was erased from one file."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def among(self, user_id: str, ids: Collection[str]) -> set[str]:
        hashes = {erased_hash(user_id, one): one for one in ids}
        with self._database.reading() as connection:
            found = connection.execute(
                "SELECT hash FROM erased_ids WHERE hash IN (SELECT value FROM json_each(?))", (json.dumps(list(hashes)),)
            ).fetchall()
        return {hashes[one] for (one,) in found}


def keep(connection: sqlite3.Connection, user_id: str, owner: int, memory_ids: Collection[str]) -> None:
    """Keeps the hashes of memories that are erased in this transaction, and of what they were called elsewhere."""
    names = [*memory_ids, *aliases.names(connection, owner, memory_ids)]
    hashes = [(erased_hash(user_id, one),) for one in names if isinstance(one, str)]  # a damaged row's may be anything
    connection.executemany("INSERT OR IGNORE INTO erased_ids VALUES (?)", hashes)
