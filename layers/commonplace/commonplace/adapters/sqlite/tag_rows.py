"""The tags of one file that go on under another name."""

from collections.abc import Mapping

from commonplace.adapters.sqlite.database import Database
from commonplace.adapters.sqlite.rows import known_owner, owner_number
from commonplace.adapters.sqlite.runs import check_fence
from commonplace.domain.kept import kept_tag_rows, tag_rows_text
from commonplace.domain.runs import TagRow
from commonplace.ports.record_values import Fence


class SqliteTagRows:
    """Tag rows, a text for each user."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def rows(self, user_id: str) -> dict[str, TagRow]:
        with self._database.reading() as connection:
            found = connection.execute(
                "SELECT body FROM tag_rows WHERE owner = ?", (known_owner(connection, user_id),)
            ).fetchone()
        return kept_tag_rows(None if found is None else str(found[0]))

    def replace(self, user_id: str, rows: Mapping[str, TagRow], fence: Fence) -> None:
        with self._database.writing(erases=True) as connection:
            check_fence(connection, fence)
            owner = owner_number(connection, user_id)
            connection.execute("INSERT OR REPLACE INTO tag_rows VALUES (?, ?)", (owner, tag_rows_text(rows)))
