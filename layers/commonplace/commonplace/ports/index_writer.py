"""The port by which changes reach the index."""

from collections.abc import Sequence
from typing import Protocol

from commonplace.ports.record_values import IndexChange, IndexOutcome


class IndexWriter(Protocol):
    """Writes changes into the index, in any order and repeatedly: the newest version stays."""

    def put(self, changes: Sequence[IndexChange]) -> list[IndexOutcome]:
        """Writes changes and returns one outcome each; every later search finds what is done. Raises no network errors."""
