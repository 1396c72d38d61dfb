"""Stores documents in one SQLite file."""

import json
from collections.abc import Iterator, Sequence

from commonplace.adapters.sqlite.database import DatabaseAdapter
from commonplace.adapters.sqlite.purging import expired_rows
from commonplace.adapters.sqlite.rows import known_owner, owner_number
from commonplace.domain.documents import MOST_VERSIONS, Document, DocumentHead, path_of
from commonplace.domain.errors import CommonplaceError, ErrorCode
from commonplace.domain.outline import seconds

_NEWEST = "version = (SELECT max(version) FROM documents AS other WHERE other.owner = {0}.owner AND other.path = {0}.path)"
_PAST = f"""DELETE FROM documents WHERE owner = ? AND path IN (SELECT path FROM documents AS one
    WHERE rowid IN (SELECT value FROM json_each(?)) AND {_NEWEST.format("one")})"""


class SqliteDocuments(DatabaseAdapter):
    def put(self, user_id: str, document: Document) -> None:
        """Write a version and delete the oldest surplus one. Raises `CONFLICT` unless the stored version is one lower."""
        with self._database.writing() as connection:
            owner, path = owner_number(connection, user_id), document.path
            cursor = connection.execute("SELECT max(version) FROM documents WHERE owner = ? AND path = ?", (owner, path))
            if (cursor.fetchone()[0] or 0) != document.version - 1:
                raise CommonplaceError(ErrorCode.CONFLICT, "the document was changed meanwhile; read it again")
            connection.execute("INSERT INTO documents VALUES (?, ?, ?, ?, ?, ?)", _build_row(owner, document))
            surplus = "DELETE FROM documents WHERE owner = ? AND path = ? AND version <= ?"
            connection.execute(surplus, (owner, path, document.version - MOST_VERSIONS))
            gone = expired_rows(connection, "documents", owner, document.updated_at.timestamp())
            connection.execute(_PAST, (owner, json.dumps(gone)))

    def get(self, user_id: str, namespace: Sequence[str], key: str) -> Document | None:
        """Return the newest version, which may be a deletion marker, or None."""
        return next(iter(self._load_versions(user_id, path_of(namespace, key), 1)), None)

    def versions(self, user_id: str, namespace: Sequence[str], key: str) -> list[Document]:
        return self._load_versions(user_id, path_of(namespace, key), MOST_VERSIONS)

    def listed(self, user_id: str, namespace: Sequence[str] = ()) -> Iterator[DocumentHead]:
        prefix = path_of(namespace)
        with self._database.reading() as connection:
            rows = connection.execute(
                f"SELECT head FROM documents WHERE owner = ? AND substr(path, 1, ?) = ? AND {_NEWEST.format('documents')}"
                " ORDER BY path",
                (known_owner(connection, user_id), len(prefix), prefix),
            ).fetchall()
        yield from (DocumentHead.model_validate_json(head, extra="ignore") for (head,) in rows)

    def rewrite(self, user_id: str, document: Document, before: Document) -> bool:
        """Replace a stored version's text. Returns False if that text differs from `before`, but True if it is missing."""
        with self._database.writing(erases=True) as connection:
            owner, path, version, head, body, _ = _build_row(known_owner(connection, user_id), document)
            key = "owner = ? AND path = ? AND version = ?"
            stored = connection.execute(f"SELECT head, body FROM documents WHERE {key}", (owner, path, version)).fetchone()
            if stored is not None and not _parse_document(*stored).has_text_of(before):
                return False
            connection.execute(f"UPDATE documents SET head = ?, body = ? WHERE {key}", (head, body, owner, path, version))
            return True

    def erase(self, user_id: str, namespace: Sequence[str], key: str) -> None:
        with self._database.writing(erases=True) as connection:
            owner = known_owner(connection, user_id)
            connection.execute("DELETE FROM documents WHERE owner = ? AND path = ?", (owner, path_of(namespace, key)))

    def _load_versions(self, user_id: str, path: str, most: int) -> list[Document]:
        with self._database.reading() as connection:
            rows = connection.execute(
                "SELECT head, body FROM documents WHERE owner = ? AND path = ? ORDER BY version DESC LIMIT ?",
                (known_owner(connection, user_id), path, most),
            ).fetchall()
        return [_parse_document(*row) for row in rows]


def _parse_document(head: str, body: str) -> Document:
    return Document.model_validate({**json.loads(head), "body": body}, extra="ignore")


def _build_row(owner: int | None, document: Document) -> tuple[int | None, str, int, str, str, float | None]:
    head = document.model_dump_json(exclude={"body"})
    return owner, document.path, document.version, head, document.body, seconds(document.purge_at)
