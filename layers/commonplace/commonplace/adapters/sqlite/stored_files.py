"""Stores users' files inside the memory file, so that its permissions, erasure and log also apply to them."""

from datetime import datetime
from io import SEEK_END, BytesIO
from shutil import copyfileobj
from typing import IO

from commonplace.adapters.sqlite.database import DatabaseAdapter
from commonplace.adapters.sqlite.purging import drop_expired
from commonplace.adapters.sqlite.rows import known_owner, owner_number
from commonplace.domain.transfer import FileKind, StoredFile

_PUT = "INSERT OR REPLACE INTO kept_files VALUES (?, ?, ?, ?, ?, zeroblob(?))"
_FROM_VALID = "FROM kept_files WHERE owner = ? AND kind = ? AND file_id = ? AND expires_at > ?"


class SqliteStoredFiles(DatabaseAdapter):
    def put(self, user_id: str, file: StoredFile, body: bytes | IO[bytes]) -> None:
        source = BytesIO(body) if isinstance(body, bytes) else body
        size = source.seek(0, SEEK_END)
        with self._database.writing(erases=True) as connection:
            owner, until = owner_number(connection, user_id), file.expires_at.timestamp()
            drop_expired(connection, "kept_files", owner, file.made_at.timestamp())
            stored = connection.execute(_PUT, (owner, file.kind, file.file_id, until, file.model_dump_json(), size))
            source.seek(0)
            with connection.blobopen("kept_files", "body", stored.lastrowid or 0) as blob:
                copyfileobj(source, blob)

    def get(self, user_id: str, kind: FileKind, file_id: str, now: datetime) -> tuple[StoredFile, bytes] | None:
        with self._database.reading() as connection:
            named = (known_owner(connection, user_id), kind, file_id, now.timestamp())
            row = connection.execute(f"SELECT file, body {_FROM_VALID}", named).fetchone()
        return None if row is None else (StoredFile.model_validate_json(row[0]), row[1])

    def copy(self, user_id: str, kind: FileKind, file_id: str, now: datetime, into: IO[bytes]) -> bool:
        with self._database.reading() as connection:
            named = (known_owner(connection, user_id), kind, file_id, now.timestamp())
            row = connection.execute(f"SELECT rowid {_FROM_VALID}", named).fetchone()
            if not row:
                return False
            with connection.blobopen("kept_files", "body", row[0], readonly=True) as blob:
                copyfileobj(blob, into)
        return True

    def listed(self, user_id: str, kind: FileKind, now: datetime) -> list[StoredFile]:
        with self._database.reading() as connection:
            rows = connection.execute(
                "SELECT file FROM kept_files WHERE owner = ? AND kind = ? AND expires_at > ? ORDER BY file_id DESC",
                (known_owner(connection, user_id), kind, now.timestamp()),
            ).fetchall()
        return [StoredFile.model_validate_json(file) for (file,) in rows]

    def delete(self, user_id: str, kind: FileKind, file_id: str) -> None:
        self._delete_files(user_id, "kind = ? AND file_id = ?", kind, file_id)

    def delete_all(self, user_id: str, kind: FileKind | None = None) -> None:
        self._delete_files(user_id, "kind = coalesce(?, kind)", kind)

    def link(self, user_id: str, file: StoredFile, seconds: int) -> None:
        """Return None, because a file inside a memory file has no link."""

    def _delete_files(self, user_id: str, condition: str, *values: str | None) -> None:
        """Delete the user's files that meet a SQL condition. If the user has no files, do not take the write lock."""
        with self._database.reading() as connection:
            of_user = "SELECT 1 FROM kept_files JOIN users ON number = owner WHERE user_id = ? LIMIT 1"
            if connection.execute(of_user, (user_id,)).fetchone() is None:
                return
        with self._database.writing(erases=True) as connection:
            owner = known_owner(connection, user_id)
            connection.execute(f"DELETE FROM kept_files WHERE owner = ? AND {condition}", (owner, *values))
