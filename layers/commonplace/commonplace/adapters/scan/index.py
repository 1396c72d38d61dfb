"""An index that is none: every question reads the newest records. For small stores, and for when the index is down."""

from collections.abc import Sequence
from typing import Protocol

from commonplace import gathering
from commonplace.candidates import Gathered
from commonplace.in_hand import InHand
from commonplace.ports import Filter, Similar, Stored, Vector, Visibility

NEWEST = 2_000


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
        newest, complete = self._newest(seen)
        found, passing = newest.rows(seen, wanted, terms, vector)
        rows = list(found.values())
        columns = gathering.columns_of(rows, passing, gathering.session_lengths_of(rows), terms)
        return Gathered(columns, gathering.corpus_of(rows, terms), partial=not complete)

    def similar(self, seen: Visibility, terms: Sequence[str], vector: Vector | None, limit: int) -> list[Similar]:
        newest, _ = self._newest(seen)
        asked = sorted(set(terms))
        found, _ = newest.rows(seen, Filter(), asked, vector)
        rows = list(found.values())
        return gathering.nearest_by_words(rows, newest.texts, gathering.corpus_of(rows, asked), limit)

    def most_important(self, seen: Visibility, wanted: Filter, limit: int) -> tuple[list[str], bool]:
        newest, complete = self._newest(seen)
        passing = newest.passing(seen, wanted)
        passing.sort(key=lambda memory: (-memory.importance, -memory.happened_at.timestamp()))
        return [memory.memory_id for memory in passing[:limit]], not complete

    def _newest(self, seen: Visibility) -> tuple[InHand, bool]:
        newest, complete = self._records.newest(seen.user_id, NEWEST)
        return InHand(newest, self._model), complete
