"""The port that keeps which memories were useful for which queries."""

from collections.abc import Callable
from datetime import datetime
from typing import Protocol

from commonplace.ports.values import Rating


class Feedback(Protocol):
    """A user's ratings, each for 90 days, the newest 500. They go with a memory that is erased, and with the user."""

    def rate(self, user_id: str, rating: Rating) -> bool:
        """Keeps it in the place of one of the same memory and query; False, and it is not kept, if that is not active."""

    def ratings(self, user_id: str, now: datetime) -> list[Rating]:
        """What is kept of a user, the oldest first."""

    def forget(self, user_id: str, is_meant: Callable[[Rating], bool]) -> int:
        """Takes out for good what is meant; tells how many those were."""
