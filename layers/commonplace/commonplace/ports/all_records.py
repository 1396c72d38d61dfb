"""The port that reads records whole, every user's or one's, for a rebuild or a check."""

from collections.abc import Iterator
from typing import Protocol

from commonplace.ports.record_values import Stored


class AllRecords(Protocol):
    """Every user's records."""

    def every(self) -> Iterator[Stored]:
        """Every record of every user, closed ones too, in any order; none from before the call is left out."""

    def of_user(self, user_id: str, after: str | None = None) -> Iterator[Stored]:
        """The user's records by id, closed ones too, beginning behind that id."""
