"""What is known of a user's memories as a whole, counted in SQL."""

from datetime import datetime

from commonplace.adapters.kept_tags import MOST_TAGS
from commonplace.adapters.sqlite.database import Database
from commonplace.adapters.sqlite.rows import known_owner
from commonplace.ports import Statistics

_COUNTS = """SELECT
    coalesce(sum(live), 0), coalesce(sum(NOT live), 0), coalesce(sum(live AND usage.memory_id IS NULL), 0),
    coalesce(sum(live AND embedding IS NULL), 0),
    coalesce(sum(live AND embedding IS NOT NULL AND embedding_model IS NOT :model), 0)
    FROM (SELECT memory_id, embedding, embedding_model, (expires_at IS NULL OR expires_at > :now) AS live
          FROM memories WHERE owner = :owner AND status = 'active') LEFT JOIN usage USING (memory_id)"""


class SqliteFacts:
    """Facts of one file."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def tags(self, user_id: str) -> dict[str, int]:
        with self._database.reading() as connection:
            owner = known_owner(connection, user_id)
            found = connection.execute(
                "SELECT tag, memories FROM tags WHERE owner = ? ORDER BY memories DESC, tag LIMIT ?",
                (owner, MOST_TAGS),
            )
            return dict(found.fetchall())

    def statistics(self, user_id: str, now: datetime, embedding_model: str) -> Statistics:
        with self._database.reading() as connection:
            owner = known_owner(connection, user_id)
            named = {"owner": owner, "now": now.timestamp(), "model": embedding_model}
            counts = connection.execute(_COUNTS, named).fetchone()
            tags = connection.execute(
                "SELECT count(*), coalesce(sum(memories = 1), 0) FROM tags WHERE owner = ?", (owner,)
            ).fetchone()
        return Statistics(*counts, *tags)
