"""The port of a model that normalizes statements."""

from typing import Protocol

from commonplace.ports.values import Normalized


class StatementReader(Protocol):
    """A language model that normalizes statements."""

    def read(self, text: str, source: str, context: str | None) -> Normalized:
        """The normalized statement; raises `ModelUnavailable` when there is none in time."""
