"""The port by which changes reach the index."""

from collections.abc import Sequence
from typing import Protocol

from commonplace.ports.record_values import IndexChange, IndexOutcome


class IndexWriter(Protocol):
    """Brings changes into the index, in any order and as often as wanted: the newest version stays."""

    def put(self, changes: Sequence[IndexChange]) -> list[IndexOutcome]:
        """One outcome per change; what is done is found by every search from now on. Raises nothing of the network."""
