"""The port that erases a user."""

from typing import Protocol


class UserErasure(Protocol):
    """Erases a user from a store."""

    def erase(self, user_id: str) -> None:
        """Erases memories, interactions, runs and counts for good; the index follows as after any change.

        Safe to repeat after a crash. What is written for the user meanwhile may stay.
        """
