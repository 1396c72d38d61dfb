"""The port of documents: whole texts under a namespace and a key, with their versions."""

from collections.abc import Iterator, Sequence
from typing import Protocol

from commonplace.domain.documents import Document, DocumentHead


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
