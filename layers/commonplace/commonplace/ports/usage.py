"""The ports that keep how memories are used: searches, findings and ratings."""

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from typing import Protocol

from commonplace.ports.values import LoggedSearch, Rating


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


class SearchLog(Protocol):
    """Keeps each search for 90 days, by the clock of this machine, unless that is switched off."""

    def is_on(self) -> bool:
        """Whether searches are kept."""

    def searched(self, user_id: str, search: LoggedSearch) -> None:
        """Keeps a search, without making its answer wait. Never fails."""

    def searches(self, user_id: str) -> list[LoggedSearch]:
        """What is kept of a user, in the order in which it came."""

    def queries(self, user_id: str) -> list[str]:
        """Every query of a user that is stored, also where its 90 days are over and nothing has purged it yet."""

    def forget(self, user_id: str, is_meant: Callable[[str], bool]) -> int:
        """Removes the searches whose query is meant, for good, among all that are stored; returns how many."""


class Feedback(Protocol):
    """A user's ratings, each for 90 days, the newest 500. They go with a memory that is erased, and with the user."""

    def rate(self, user_id: str, rating: Rating) -> bool:
        """Keeps it in the place of one of the same memory and query; False, and it is not kept, if that is not active."""

    def ratings(self, user_id: str, now: datetime) -> list[Rating]:
        """What is kept of a user, the oldest first."""

    def forget(self, user_id: str, is_meant: Callable[[Rating], bool]) -> int:
        """Takes out for good what is meant; tells how many those were."""
