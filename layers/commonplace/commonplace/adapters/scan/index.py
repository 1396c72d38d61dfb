"""An index that is none: every question reads the newest records. For small stores, and for when the index is down."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from commonplace import gathering
from commonplace.candidates import Gathered
from commonplace.documents import Document, document
from commonplace.models.memory import Memory
from commonplace.ports import Filter, Similar, Stored, Vector, Visibility
from commonplace.visibility import may_see, passes

NEWEST = 2_000


@dataclass(frozen=True)
class _Seen:
    memory: Memory
    document: Document
    vector: Vector | None


class NewestRecords(Protocol):
    """What is looked through."""

    def newest(self, user_id: str, limit: int) -> tuple[list[Stored], bool]:
        """As `MemoryRecords.newest`."""


class ScanIndex:
    """Finds among the newest records, up to 2,000 of a user.

    `records`: the record store itself where there is no index, so that a search is never behind a write;
    `RationedRecords` where this stands in for an index that is down.
    """

    def __init__(self, records: NewestRecords, embedding_model: str) -> None:
        self._records, self._model = records, embedding_model

    def find(self, seen: Visibility, wanted: Filter, terms: Sequence[str], vector: Vector | None) -> Gathered:
        visible, complete = self._visible(seen)
        rows = [
            gathering.row_of(one.memory, one.document, terms, self._cosine(vector, one.memory, one.vector)) for one in visible
        ]
        ranked = {one.memory.memory_id for one in visible if passes(wanted, one.memory, one.document)}
        columns = gathering.columns_of(rows, ranked, gathering.session_lengths_of(rows), terms)
        return Gathered(columns, gathering.corpus_of(rows, terms), partial=not complete)

    def similar(self, seen: Visibility, terms: Sequence[str], vector: Vector | None, limit: int) -> list[Similar]:
        visible, _ = self._visible(seen)
        asked = sorted(set(terms))
        rows = [
            gathering.row_of(one.memory, one.document, asked, self._cosine(vector, one.memory, one.vector)) for one in visible
        ]
        texts = {one.memory.memory_id: one.memory.content for one in visible}
        return gathering.nearest_by_words(rows, texts, gathering.corpus_of(rows, asked), limit)

    def most_important(self, seen: Visibility, wanted: Filter, limit: int) -> tuple[list[str], bool]:
        visible, complete = self._visible(seen)
        passing = [one.memory for one in visible if passes(wanted, one.memory, one.document)]
        passing.sort(key=lambda memory: (-memory.importance, -memory.happened_at.timestamp()))
        return [memory.memory_id for memory in passing[:limit]], not complete

    def _visible(self, seen: Visibility) -> tuple[list[_Seen], bool]:
        newest, complete = self._records.newest(seen.user_id, NEWEST)
        return [_looked_at(stored) for stored in newest if may_see(seen, stored.memory)], complete

    def _cosine(self, vector: Vector | None, memory: Memory, other: Vector | None) -> float | None:
        if vector is None or other is None or memory.embedding_model != self._model:
            return None
        return float(vector @ other)


def _looked_at(stored: Stored) -> _Seen:
    return _Seen(stored.memory, document(stored.memory), stored.vector)
