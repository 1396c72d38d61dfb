"""The port that reads the index, to compare it with the records."""

from collections.abc import Iterator, Sequence
from typing import Protocol

from commonplace.ports.record_values import IndexChange, IndexedDocument, IndexOutcome, Stored


class IndexContents(Protocol):
    """The documents of the index. Each method raises `IndexUnavailable`."""

    def look_up(self, records: Sequence[Stored]) -> list[IndexedDocument | None]:
        """The document of each record, None where there is none."""

    def every(self) -> Iterator[IndexedDocument]:
        """All documents of all users, by user, without tombstones."""

    def mend(self, changes: Sequence[IndexChange]) -> list[IndexOutcome]:
        """Like `IndexWriter.put`, and a record of the same version is written over."""
