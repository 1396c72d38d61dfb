"""The port of what makes a statement clean."""

from typing import Protocol

from commonplace.ports.values import Normalized


class StatementReader(Protocol):
    """A language model that makes a statement clean."""

    def read(self, text: str, source: str, context: str | None) -> Normalized:
        """The clean statement; raises `ModelUnavailable` when there is none to be had in time."""
