"""The ports of texts that are kept whole: documents, files and Markdown pages."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import IO, Protocol

from commonplace.domain.documents import Document, DocumentHead
from commonplace.domain.transfer import FileKind, KeptFile


class Documents(Protocol):
    """A user's documents. They are never compared with each other or with memories."""

    def put(self, user_id: str, document: Document) -> None:
        """Writes the next version, whole or not at all; the versions beyond the newest 20 go.

        `CONFLICT` unless the newest version that is there is the one before it; version 1 wants none there.
        """

    def get(self, user_id: str, namespace: Sequence[str], key: str) -> Document | None:
        """The newest version, which may say that the document is deleted; strongly consistent."""

    def versions(self, user_id: str, namespace: Sequence[str], key: str) -> list[Document]:
        """The versions that are kept, newest first."""

    def listed(self, user_id: str, namespace: Sequence[str] = ()) -> Iterator[DocumentHead]:
        """The newest version of each document in a namespace and in those below it, by path; deleted ones too."""

    def rewrite(self, user_id: str, document: Document) -> None:
        """Puts another text in the place of a version that is kept, for good; nothing where it is not there any more."""

    def erase(self, user_id: str, namespace: Sequence[str], key: str) -> None:
        """Takes a document out with all its versions, for good; harmless twice."""


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


class Pages(Protocol):
    """One user's Markdown pages, kept by name: `MEMORY.md`, `memory/2026-05-20.md`.

    A page is written whole or not at all. Raises `STORAGE_UNAVAILABLE` when they can't be reached.
    """

    def names(self) -> list[str]:
        """The names of all that end in `.md`, there or one folder further in."""

    def read(self, name: str) -> str | None:
        """The text of one, None if it isn't there; `INVALID_ARGUMENT` if it is no text."""

    def write(self, name: str, text: str) -> None:
        """Puts it there, in place of what was."""

    def delete(self, name: str) -> None:
        """Takes it away, if it is there."""

    def drop_versions(self) -> None:
        """Deletes old versions of pages, where the storage keeps them: they may hold erased texts."""
