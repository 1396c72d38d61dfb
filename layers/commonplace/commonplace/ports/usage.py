"""Ports that record searches, hits and ratings."""

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from typing import Protocol

from commonplace.ports.values import LoggedSearch, Rating


class UsageLog(Protocol):
    """Counts which memories were found, without delaying the answer."""

    def count(self, user_id: str, memory_ids: Sequence[str], at: datetime) -> None:
        """Count one hit for each memory, without ever failing. A count that can't be written now is written later."""

    def fold(self, user_id: str) -> None:
        """Add the counts to the memories. Concurrent and repeated calls count each hit once."""

    def unfolded(self, before: datetime) -> Iterator[str]:
        """Yield users with hits from before `before` that are not yet counted in the memories."""


class SearchLog(Protocol):
    """Stores each search for 90 days by this machine's clock, unless the log is switched off."""

    def is_on(self) -> bool:
        """Return whether searches are stored."""

    def searched(self, user_id: str, search: LoggedSearch) -> None:
        """Store a search without ever failing or delaying its answer."""

    def searches(self, user_id: str) -> list[LoggedSearch]:
        """Return the user's stored searches in order of arrival."""

    def queries(self, user_id: str) -> list[str]:
        """Return all stored queries of a user, including expired queries that are not purged yet."""

    def forget(self, user_id: str, is_meant: Callable[[str], bool]) -> int:
        """Permanently delete the searches whose query `is_meant` selects, even expired ones. Returns their number."""


class Feedback(Protocol):
    """The newest 500 ratings of each user, stored for 90 days. Erasing a memory or a user also deletes the ratings."""

    def rate(self, user_id: str, rating: Rating) -> bool:
        """Store a rating, or replace that of the same memory and query. Returns False if the memory is not active."""

    def ratings(self, user_id: str, now: datetime) -> list[Rating]:
        """Return the user's ratings, oldest first."""

    def forget(self, user_id: str, is_meant: Callable[[Rating], bool]) -> int:
        """Permanently delete the ratings that `is_meant` selects. Returns their number."""
