"""The documents of one file."""

import json
import sqlite3
from collections.abc import Iterator, Sequence
from datetime import datetime

from commonplace.adapters.sqlite.database import Database
from commonplace.adapters.sqlite.purging import confirmed
from commonplace.adapters.sqlite.rows import known_owner, owner_number, seconds
from commonplace.domain.documents import MOST_VERSIONS, Document, DocumentHead, path_of
from commonplace.domain.errors import CommonplaceError, ErrorCode

_NEWEST = "version = (SELECT max(version) FROM documents AS other WHERE other.owner = {0}.owner AND other.path = {0}.path)"
_PAST = f"""DELETE FROM documents WHERE owner = ? AND path IN (SELECT path FROM documents AS one
    WHERE owner = ? AND purge_at <= ? AND {_NEWEST.format("one")})"""


class SqliteDocuments:
    """The documents of one file."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def put(self, user_id: str, document: Document) -> None:
        with self._database.writing() as connection:
            owner, path = owner_number(connection, user_id), document.path
            found = connection.execute("SELECT max(version) FROM documents WHERE owner = ? AND path = ?", (owner, path))
            if (found.fetchone()[0] or 0) != document.version - 1:
                raise CommonplaceError(ErrorCode.CONFLICT, "the document was changed meanwhile; read it again")
            connection.execute("INSERT INTO documents VALUES (?, ?, ?, ?, ?, ?)", _row(owner, document))
            surplus = "DELETE FROM documents WHERE owner = ? AND path = ? AND version <= ?"
            connection.execute(surplus, (owner, path, document.version - MOST_VERSIONS))
            _purge(connection, owner, document.updated_at)

    def get(self, user_id: str, namespace: Sequence[str], key: str) -> Document | None:
        return next(iter(self._versions(user_id, path_of(namespace, key), 1)), None)

    def versions(self, user_id: str, namespace: Sequence[str], key: str) -> list[Document]:
        return self._versions(user_id, path_of(namespace, key), MOST_VERSIONS)

    def listed(self, user_id: str, namespace: Sequence[str] = ()) -> Iterator[DocumentHead]:
        prefix = path_of(namespace)
        with self._database.reading() as connection:
            rows = connection.execute(
                f"SELECT head FROM documents WHERE owner = ? AND substr(path, 1, ?) = ? AND {_NEWEST.format('documents')}"
                " ORDER BY path",
                (known_owner(connection, user_id), len(prefix), prefix),
            ).fetchall()
        yield from (DocumentHead.model_validate_json(head, extra="ignore") for (head,) in rows)

    def rewrite(self, user_id: str, document: Document) -> None:
        with self._database.writing(erases=True) as connection:
            owner, path, version, head, body, _ = _row(known_owner(connection, user_id), document)
            changed = "UPDATE documents SET head = ?, body = ? WHERE owner = ? AND path = ? AND version = ?"
            connection.execute(changed, (head, body, owner, path, version))

    def erase(self, user_id: str, namespace: Sequence[str], key: str) -> None:
        with self._database.writing(erases=True) as connection:
            owner = known_owner(connection, user_id)
            connection.execute("DELETE FROM documents WHERE owner = ? AND path = ?", (owner, path_of(namespace, key)))

    def _versions(self, user_id: str, path: str, most: int) -> list[Document]:
        with self._database.reading() as connection:
            rows = connection.execute(
                "SELECT head, body FROM documents WHERE owner = ? AND path = ? ORDER BY version DESC LIMIT ?",
                (known_owner(connection, user_id), path, most),
            ).fetchall()
        return [Document.model_validate({**json.loads(head), "body": body}, extra="ignore") for head, body in rows]


def _purge(connection: sqlite3.Connection, owner: int, now: datetime) -> None:
    """Takes out what was deleted 30 days ago, as far as the clock is believed."""
    due = "SELECT 1 FROM documents WHERE owner = ? AND purge_at <= ? LIMIT 1"
    if connection.execute(due, (owner, now.timestamp())).fetchone() is None:
        return
    heads = connection.execute("SELECT head FROM documents WHERE owner = ?", (owner,)).fetchall()
    written = [DocumentHead.model_validate_json(head, extra="ignore").updated_at.timestamp() for (head,) in heads]
    connection.execute(_PAST, (owner, owner, confirmed(connection, owner, now, written)))


def _row(owner: int | None, document: Document) -> tuple[int | None, str, int, str, str, float | None]:
    head = document.model_dump_json(exclude={"body"})
    return owner, document.path, document.version, head, document.body, seconds(document.purge_at)
