"""Ports that record searches, hits and ratings."""

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from typing import Protocol

from commonplace.ports.values import LoggedSearch, Rating


class UsageLog(Protocol):
    """Counts how often each memory is found, without delaying the answer."""

    def count(self, user_id: str, memory_ids: Sequence[str], at: datetime) -> None:
        """Count one hit for each memory. This never fails, because counts that can't be written now are written later."""

    def fold(self, user_id: str) -> None:
        """Add the counts to the memories. Each hit is counted once, even if calls overlap or are repeated."""

    def unfolded(self, before: datetime) -> Iterator[str]:
        """Yield the users with hits from before `before` that have not been added to the memories yet."""


class SearchLog(Protocol):
    """Stores each search for 90 days, as measured by this machine's clock, unless the log is switched off."""

    def is_on(self) -> bool:
        """Return whether searches are stored."""

    def searched(self, user_id: str, search: LoggedSearch) -> None:
        """Store a search. This never fails and never delays the answer."""

    def searches(self, user_id: str) -> list[LoggedSearch]:
        """Return the user's stored searches in order of arrival."""

    def queries(self, user_id: str) -> list[str]:
        """Return all stored queries of a user, including expired queries that have not been purged yet."""

    def forget(self, user_id: str, is_meant: Callable[[str], bool]) -> int:
        """Permanently delete searches whose query `is_meant` accepts, even expired ones. Returns how many were deleted."""


class Feedback(Protocol):
    """The newest 500 ratings of each user, stored for 90 days. Erasing a memory or a user also deletes the ratings."""

    def rate(self, user_id: str, rating: Rating) -> bool:
        """Store a rating, replacing any for the same memory and query. Returns False if the memory is not active."""

    def ratings(self, user_id: str, now: datetime) -> list[Rating]:
        """Return the user's ratings, oldest first."""

    def forget(self, user_id: str, is_meant: Callable[[Rating], bool]) -> int:
        """Permanently delete the ratings that `is_meant` accepts. Returns the number of deleted ratings."""
