"""The port that rebuilds the index."""

from collections.abc import Sequence
from typing import Protocol

from commonplace.ports.record_values import IndexOutcome, Stored


class IndexRebuild(Protocol):
    """Fills a new version of the index beside the one in use, and replaces it."""

    def model(self) -> str | None:
        """The model of the vectors in the index in use, or of its planned layout; None where nothing was set up."""

    def begin(self) -> str:
        """Creates the new version, or resumes one, and returns its name. From now on each change goes to both."""

    def fill(self, records: Sequence[Stored]) -> list[IndexOutcome]:
        """Writes records into the new version only; a record of the same version is written over."""

    def finish(self) -> None:
        """Switches to the new version in one step and removes the old one. All three raise `IndexUnavailable`."""
