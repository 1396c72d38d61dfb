"""Ports for documents, files and Markdown pages."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import IO, Protocol

from commonplace.domain.documents import Document, DocumentHead
from commonplace.domain.transfer import FileKind, StoredFile


class Documents(Protocol):
    """A store of documents. Unlike memories, documents are never compared with one another."""

    def put(self, user_id: str, document: Document) -> None:
        """Atomically write a new version and keep the newest 20. Raises `CONFLICT` unless the stored version is one lower."""

    def get(self, user_id: str, namespace: Sequence[str], key: str) -> Document | None:
        """Return the newest version, which may be a deletion marker, or None. The read is strongly consistent."""

    def versions(self, user_id: str, namespace: Sequence[str], key: str) -> list[Document]:
        """Return the stored versions, newest first."""

    def listed(self, user_id: str, namespace: Sequence[str] = ()) -> Iterator[DocumentHead]:
        """Yield the newest version of each document in or below a namespace, including deleted documents, ordered by path."""

    def rewrite(self, user_id: str, document: Document, before: Document) -> bool:
        """Replace the text and passages of a stored version permanently. Does nothing if the version doesn't exist.

        Returns False if the text and passages of the stored version no longer equal those of `before`.
        """

    def erase(self, user_id: str, namespace: Sequence[str], key: str) -> None:
        """Permanently delete a document and all its versions. Calls may be repeated."""


class StoredFiles(Protocol):
    """A store of users' files. Each file has a kind and an id. Expired files are treated as missing."""

    def put(self, user_id: str, file: StoredFile, body: bytes | IO[bytes]) -> None:
        """Atomically store a file or replace its body. A file object is read in chunks."""

    def get(self, user_id: str, kind: FileKind, file_id: str, now: datetime) -> tuple[StoredFile, bytes] | None:
        """Return the file and its content, or None if the file is missing."""

    def copy(self, user_id: str, kind: FileKind, file_id: str, now: datetime, into: IO[bytes]) -> bool:
        """Copy the content of a file to `into` in chunks. Returns False if the file is missing."""

    def listed(self, user_id: str, kind: FileKind, now: datetime) -> list[StoredFile]:
        """Return the user's files of a kind, newest first."""

    def delete(self, user_id: str, kind: FileKind, file_id: str) -> None:
        """Delete a file and its older versions, if the file exists."""

    def delete_all(self, user_id: str, kind: FileKind | None = None) -> None:
        """Delete all of a user's files, or only those of one kind."""

    def link(self, user_id: str, file: StoredFile, seconds: int) -> str | None:
        """Return a public download link that is valid for `seconds`, or None if the storage can't create links."""


class Pages(Protocol):
    """The Markdown pages of one user, by name. Writes are atomic. Each method may raise `STORAGE_UNAVAILABLE`."""

    def names(self) -> list[str]:
        """Return the names of the pages at the top level and in its direct subfolders. Each name ends in `.md`."""

    def read(self, name: str) -> str | None:
        """Return the text of a page, or None if the page is missing. Raises `INVALID_ARGUMENT` if the file isn't text."""

    def write(self, name: str, text: str) -> None:
        """Create or replace a page."""

    def delete(self, name: str) -> None:
        """Delete a page, if it exists."""

    def drop_versions(self) -> None:
        """Delete old versions of pages, if the storage has any. Old versions may contain erased text."""
