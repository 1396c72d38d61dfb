"""Stores external ids of memories, and hashes of erased ids, in one SQLite file."""

import json
import sqlite3
from collections.abc import Collection, Iterator, Sequence

from commonplace.adapters.sqlite.database import DatabaseAdapter
from commonplace.adapters.sqlite.rows import known_owner, owner_number
from commonplace.domain.ids import erased_hash
from commonplace.ports.values import Alias


class SqliteErasedIds(DatabaseAdapter):
    def among(self, user_id: str, ids: Collection[str]) -> set[str]:
        """Return those of the ids and external names that were erased for this user."""
        hashes = {erased_hash(user_id, memory_id): memory_id for memory_id in ids}
        with self._database.reading() as connection:
            query = "SELECT hash FROM erased_ids WHERE hash IN (SELECT value FROM json_each(?))"
            rows = connection.execute(query, (json.dumps(list(hashes)),)).fetchall()
        return {hashes[hashed] for (hashed,) in rows}


class SqliteAliases(DatabaseAdapter):
    def add(self, user_id: str, aliases: Sequence[Alias]) -> None:
        with self._database.writing() as connection:
            owner = owner_number(connection, user_id)
            connection.executemany(
                "INSERT OR REPLACE INTO aliases VALUES (?, ?, ?, ?, ?)",
                [(owner, alias.name, alias.memory_id, alias.run_id, alias.withdrawn) for alias in aliases],
            )

    def get(self, user_id: str, names: Sequence[str]) -> dict[str, str]:
        """Map names to memory ids. Unknown and withdrawn names are left out."""
        condition = "name IN (SELECT value FROM json_each(?)) AND NOT withdrawn"
        aliases = self._load_aliases(user_id, condition, json.dumps(list(names)))
        return {alias.name: alias.memory_id for alias in aliases}

    def all(self, user_id: str) -> Iterator[Alias]:
        yield from self._load_aliases(user_id, "TRUE")

    def _load_aliases(self, user_id: str, condition: str, *values: object) -> list[Alias]:
        with self._database.reading() as connection:
            rows = connection.execute(
                f"SELECT name, memory_id, run_id, withdrawn FROM aliases WHERE owner = ? AND {condition} ORDER BY name",
                (known_owner(connection, user_id), *values),
            ).fetchall()
        return [Alias(name, memory_id, run_id, bool(withdrawn)) for name, memory_id, run_id, withdrawn in rows]


def keep_erased(connection: sqlite3.Connection, user_id: str, owner: int, memory_ids: Collection[str]) -> None:
    """Store hashes of the ids and aliases of memories that the current transaction erases."""
    aliases = connection.execute("SELECT name, memory_id FROM aliases WHERE owner = ?", (owner,)).fetchall()
    names = [*memory_ids, *(name for name, memory_id in aliases if memory_id in memory_ids)]
    hashes = [(erased_hash(user_id, name),) for name in names if isinstance(name, str)]  # a damaged row may contain any value
    connection.executemany("INSERT OR IGNORE INTO erased_ids VALUES (?)", hashes)
