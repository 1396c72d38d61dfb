"""Records in hand, looked through one by one: those that an index may not hold yet, or all where no index answers."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from commonplace import gathering
from commonplace.documents import Document, document
from commonplace.gathering import Row
from commonplace.models.memory import Memory
from commonplace.ports import Filter, Stored, Vector, Visibility
from commonplace.visibility import may_see, passes


@dataclass(frozen=True)
class InHand:
    """Some of a user's records, whatever their status. `model`: whose vectors count; `complete`: there are no more."""

    records: Sequence[Stored]
    model: str
    complete: bool = True

    @property
    def ids(self) -> list[str]:
        """Of all of them, whether they may be seen or not."""
        return [one.memory.memory_id for one in self.records]

    @property
    def texts(self) -> dict[str, str]:
        """The content of each, by its id."""
        return {one.memory.memory_id: one.memory.content for one in self.records}

    def passing(self, seen: Visibility, wanted: Filter) -> list[Memory]:
        """Those that may be seen and pass a filter."""
        return [memory for memory, made, _ in self._visible(seen) if passes(wanted, memory, made)]

    def rows(
        self, seen: Visibility, wanted: Filter, terms: Sequence[str], vector: Vector | None
    ) -> tuple[dict[str, Row], set[str]]:
        """Rows of those that may be seen, by id, and the ids of those that pass the filter."""
        rows, passing = {}, set()
        for memory, made, other in self._visible(seen):
            rows[memory.memory_id] = gathering.row_of(memory, made, terms, _cosine(vector, other))
            if passes(wanted, memory, made):
                passing.add(memory.memory_id)
        return rows, passing

    def _visible(self, seen: Visibility) -> Iterator[tuple[Memory, Document, Vector | None]]:
        """Those that may be seen, with their vectors of this model."""
        for one in self.records:
            if may_see(seen, one.memory):
                yield one.memory, document(one.memory), one.vector if one.memory.embedding_model == self.model else None


def _cosine(vector: Vector | None, other: Vector | None) -> float | None:
    """The cosine of two unit vectors, None without either."""
    return None if vector is None or other is None else float(vector @ other)
