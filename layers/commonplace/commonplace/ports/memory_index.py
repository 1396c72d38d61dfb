"""The port of the search index."""

from collections.abc import Sequence
from typing import Protocol

from commonplace.ports.candidates import Retrieved
from commonplace.ports.record_values import Vector
from commonplace.ports.values import Filter, Similar, Visibility


class MemoryIndex(Protocol):
    """The search index, a view of the records. Each method raises `IndexUnavailable` when it can't answer in time."""

    def find(
        self, visibility: Visibility, filters: Filter, terms: Sequence[str], vector: Vector | None, with_legs: bool = False
    ) -> Retrieved:
        """Retrieves the best by words and the nearest by vector, with neighbours and the counts that BM25 needs.

        A neighbour is a visible memory of the same session up to `bm25.REACH` positions away. Those of hits are ranked
        too if they pass the filter, so the window of each of them is handed over as well. `with_legs`: what each leg found is
        told besides, which may take longer.
        """

    def similar(self, visibility: Visibility, terms: Sequence[str], vector: Vector | None, limit: int) -> list[Similar]:
        """The memories that share the most and rarest words, and the nearest by vector: up to `limit` of each.

        First those that share the most, by words and by vector.
        """

    def most_important(self, visibility: Visibility, filters: Filter, limit: int) -> tuple[list[str], bool]:
        """Ids of the visible memories that pass, most important first, then newest; and `Retrieved.partial`."""
