"""Ports for documents, files and Markdown pages."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import IO, Protocol

from commonplace.domain.documents import Document, DocumentHead
from commonplace.domain.transfer import FileKind, StoredFile


class Documents(Protocol):
    """A user's documents. Unlike memories, they are never compared with others."""

    def put(self, user_id: str, document: Document) -> None:
        """Write the next version atomically. Keeps the newest 20. Raises `CONFLICT` if the stored version isn't one lower."""

    def get(self, user_id: str, namespace: Sequence[str], key: str) -> Document | None:
        """Return the newest version, which may be a deletion marker. Strongly consistent."""

    def versions(self, user_id: str, namespace: Sequence[str], key: str) -> list[Document]:
        """Return the stored versions, newest first."""

    def listed(self, user_id: str, namespace: Sequence[str] = ()) -> Iterator[DocumentHead]:
        """Yield the newest version of each document in a namespace or below it, by path. Includes deleted documents."""

    def rewrite(self, user_id: str, document: Document, before: Document) -> bool:
        """Replace the text and passages of a stored version permanently. Does nothing if the version doesn't exist.

        Returns False if the stored version no longer has the text and passages of `before`.
        """

    def erase(self, user_id: str, namespace: Sequence[str], key: str) -> None:
        """Delete a document with all its versions permanently. Safe to repeat."""


class StoredFiles(Protocol):
    """Files of users, by kind and id. Expired files are treated as missing."""

    def put(self, user_id: str, file: StoredFile, body: bytes | IO[bytes]) -> None:
        """Store a file or replace its body, atomically. Reads a file object in chunks."""

    def get(self, user_id: str, kind: FileKind, file_id: str, now: datetime) -> tuple[StoredFile, bytes] | None:
        """Return a file and its bytes, or None if it is missing."""

    def copy(self, user_id: str, kind: FileKind, file_id: str, now: datetime, into: IO[bytes]) -> bool:
        """Copy a file into `into` in chunks. Returns False if it is missing."""

    def listed(self, user_id: str, kind: FileKind, now: datetime) -> list[StoredFile]:
        """Return the user's files of a kind, newest first."""

    def delete(self, user_id: str, kind: FileKind, file_id: str) -> None:
        """Delete a file with all its older versions, if it exists."""

    def delete_all(self, user_id: str, kind: FileKind | None = None) -> None:
        """Delete all files of a user, or all of one kind."""

    def link(self, user_id: str, file: StoredFile, seconds: int) -> str | None:
        """Return a public download link that is valid for `seconds`, or None if the storage has no links."""


class Pages(Protocol):
    """One user's Markdown pages by name. Writes are atomic. Each method may raise `STORAGE_UNAVAILABLE`."""

    def names(self) -> list[str]:
        """Return the names of the pages at the top level and one folder below. Each name ends in `.md`."""

    def read(self, name: str) -> str | None:
        """Return the text of a page, or None if it is missing. Raises `INVALID_ARGUMENT` if it isn't text."""

    def write(self, name: str, text: str) -> None:
        """Create or replace a page."""

    def delete(self, name: str) -> None:
        """Delete a page, if it exists."""

    def drop_versions(self) -> None:
        """Delete old versions of pages, if the storage has any. Old versions may contain erased text."""
