"""The port that reads all that is kept of a user's memories, as it is kept, for a backup."""

from collections.abc import Iterator
from typing import Protocol

from commonplace.ports.record_values import RawRecord


class RawRecords(Protocol):
    """A user's records with their audit rows."""

    def rows(self, user_id: str) -> Iterator[RawRecord]:
        """Every record of the user by id, closed ones too, and those that can't be read."""
