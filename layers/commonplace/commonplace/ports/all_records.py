"""The port that reads every user's records, for a rebuild."""

from collections.abc import Iterator
from typing import Protocol

from commonplace.ports.record_values import Stored


class AllRecords(Protocol):
    """Every user's records."""

    def every(self) -> Iterator[Stored]:
        """Every record of every user, closed ones too, in any order; none from before the call is left out."""
