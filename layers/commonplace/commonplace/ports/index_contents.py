"""The port that reads the index, to compare it with the records, and brings it in line with them."""

from collections.abc import Iterator, Sequence
from typing import Protocol

from commonplace.ports.record_values import IndexChange, IndexedDocument, IndexOutcome, Stored


class IndexContents(Protocol):
    """The documents of the index. Each method raises `IndexUnavailable`."""

    def look_up(self, records: Sequence[Stored]) -> list[IndexedDocument | None]:
        """The document of each record, None where there is none; one with anything wrong in it has another `digest`."""

    def every(self) -> Iterator[IndexedDocument]:
        """All documents of all users, by user, without tombstones."""

    def of_user(self, user_id: str) -> Iterator[IndexedDocument]:
        """The user's documents, without tombstones; `digest` is "" where it would have to be worked out."""

    def miscounted(self, user_id: str) -> list[str]:
        """The names of counts kept beside the user's documents that are wrong; none where the index counts by itself."""

    def mend(self, changes: Sequence[IndexChange]) -> list[IndexOutcome]:
        """Like `IndexWriter.put`, and a record of the same version is written over."""

    def recount(self, user_id: str) -> None:
        """Counts anew what is kept beside the user's documents."""
