"""The port of files kept for a user: exports, uploads and backups."""

from datetime import datetime
from typing import IO, Protocol

from commonplace.domain.transfer import FileKind, KeptFile


class KeptFiles(Protocol):
    """Files kept for users, each by its kind and id; what has expired is not there any more."""

    def put(self, user_id: str, file: KeptFile, body: bytes | IO[bytes]) -> None:
        """Keeps a file, or puts another body in its place; whole or not at all. A body in a file is read piece by piece."""

    def get(self, user_id: str, kind: FileKind, file_id: str, now: datetime) -> tuple[KeptFile, bytes] | None:
        """A file of the user and its bytes; None if it isn't there."""

    def copy(self, user_id: str, kind: FileKind, file_id: str, now: datetime, into: IO[bytes]) -> bool:
        """Writes a file of the user into another, piece by piece; False if it isn't there."""

    def listed(self, user_id: str, kind: FileKind, now: datetime) -> list[KeptFile]:
        """The user's files of a kind, newest first."""

    def delete(self, user_id: str, kind: FileKind, file_id: str) -> None:
        """Takes a file away, with every older version of it, if it is there."""

    def delete_all(self, user_id: str, kind: FileKind | None = None) -> None:
        """Takes all files of a user away, or those of a kind."""

    def link(self, user_id: str, file: KeptFile, seconds: int) -> str | None:
        """A link by which anybody fetches the file for so long; None where there are no links, and `get` has the bytes."""
