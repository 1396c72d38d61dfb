"""The port for changes that the index will never take."""

from collections.abc import Sequence
from typing import Protocol

from commonplace.ports.record_values import DeadLetter


class DeadLetters(Protocol):
    """Keeps dead letters."""

    def send(self, letters: Sequence[DeadLetter]) -> None:
        """Keeps the dead letters for an operator; raises `STORAGE_UNAVAILABLE`."""
