"""The port of the next version of the index."""

from collections.abc import Sequence
from typing import Protocol

from commonplace.ports.record_values import IndexOutcome, Stored


class IndexRebuild(Protocol):
    """A new version of the index is filled beside the one that is asked, and takes its place."""

    def model(self) -> str | None:
        """The model of the vectors in the index that is asked, or is to be; None where nothing was set up."""

    def begin(self) -> str:
        """Makes the new version and gives its name. From now on each change goes to both. Goes on with one begun earlier."""

    def fill(self, records: Sequence[Stored]) -> list[IndexOutcome]:
        """Brings records into the new version only; a record of the same version is written over."""

    def finish(self) -> None:
        """The new version is asked from now on, in one step; the old one goes. All three raise `IndexUnavailable`."""
