"""Everything of one user goes from the file, in one transaction."""

from commonplace.adapters.sqlite import words, writes
from commonplace.adapters.sqlite.database import Database
from commonplace.adapters.sqlite.rows import known_owner

_BY_OWNER = ("memories", "tags", "operations", "interactions", "runs", "run_parts", "leases", "token_budget")


class SqliteErasure:
    """The users of one file."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def erase(self, user_id: str) -> None:
        with self._database.writing(erases=True) as connection:
            owner = known_owner(connection, user_id)
            if owner is None:
                return
            connection.execute("DELETE FROM words WHERE rowid IN (SELECT row FROM memories WHERE owner = ?)", (owner,))
            words.forget_deleted(connection)
            for table in writes.BESIDE:
                own = "memory_id IN (SELECT memory_id FROM memories WHERE owner = ?)"
                connection.execute(f"DELETE FROM {table} WHERE {own}", (owner,))
            for table in _BY_OWNER:
                connection.execute(f"DELETE FROM {table} WHERE owner = ?", (owner,))
            # The number stays taken: what another process keeps in memory under it would be somebody else's.
            connection.execute("UPDATE users SET user_id = 'erased|' || number WHERE number = ?", (owner,))
