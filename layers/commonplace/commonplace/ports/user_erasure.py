"""The port that erases a user."""

from typing import Protocol


class UserErasure(Protocol):
    """Everything that a store keeps of a user."""

    def erase(self, user_id: str) -> None:
        """Takes it away for good: memories, what was recorded, runs, counts. An index follows as it does any other change.

        Safe to repeat after a crash. What is written for the user meanwhile may stay.
        """
