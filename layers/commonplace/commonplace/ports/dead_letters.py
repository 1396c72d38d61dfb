"""The port for changes that the index will never take."""

from collections.abc import Sequence
from typing import Protocol

from commonplace.ports.record_values import DeadLetter


class DeadLetters(Protocol):
    """Where changes are told of that the index will never take."""

    def send(self, letters: Sequence[DeadLetter]) -> None:
        """Keeps them for somebody to look at; raises `STORAGE_UNAVAILABLE`."""
