"""The port that counts findings."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Protocol


class UsageLog(Protocol):
    """Counts which memories were found, without making the answer wait."""

    def found(self, user_id: str, memory_ids: Sequence[str], at: datetime) -> None:
        """Counts one finding of each; a count that can't be written now is written later. Never fails."""

    def fold(self, user_id: str) -> None:
        """Adds the counts to the memories, where `MemoryRecords.get` and `all` show them.

        Each finding counts once, however often and by however many at once this is called.
        """

    def unfolded(self, before: datetime) -> Iterator[str]:
        """Users with older findings than this that are not in their memories yet."""
