"""The tokens that were spent or reserved, by day and user."""

from datetime import date

from commonplace.adapters.sqlite.database import Database
from commonplace.adapters.sqlite.rows import owner_number

_SPENT = "SELECT coalesce(sum(tokens), 0), coalesce(sum(tokens) FILTER (WHERE owner = ?), 0) FROM token_budget WHERE day = ?"
_TAKE = "INSERT INTO token_budget VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET tokens = tokens + excluded.tokens"


class SqliteBudget:
    """The token budget of one file."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def reserve(self, user_id: str, day: date, tokens: int, user_limit: int, limit: int) -> bool:
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
