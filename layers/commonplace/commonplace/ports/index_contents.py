"""The port of what the index holds, to be compared with the records."""

from collections.abc import Iterator, Sequence
from typing import Protocol

from commonplace.ports.record_values import IndexChange, IndexedDocument, IndexOutcome, Stored


class IndexContents(Protocol):
    """What the index holds, to be compared with the records. Each method raises `IndexUnavailable`."""

    def look_up(self, records: Sequence[Stored]) -> list[IndexedDocument | None]:
        """What it holds of each record, None where it holds nothing."""

    def every(self) -> Iterator[IndexedDocument]:
        """All that it holds, of everybody, by user; purged ones left out."""

    def mend(self, changes: Sequence[IndexChange]) -> list[IndexOutcome]:
        """Like `IndexWriter.put`, and a record of the same version is written over."""
