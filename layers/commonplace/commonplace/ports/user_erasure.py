"""The port that erases a user, and what of them can't be read."""

from collections.abc import Collection
from typing import Protocol


class UserErasure(Protocol):
    """Erases a user from a store."""

    def erase(self, user_id: str) -> None:
        """Erases memories, interactions, runs and counts for good; the index follows as after any change.

        Safe to repeat after a crash. What is written for the user meanwhile may stay.
        """

    def erase_unreadable(self, user_id: str, memory_id: str, forgotten: bool = False) -> bool:
        """Erases a record that can't be read, with what is kept beside it; False where there is none under the id.

        `forgotten`: its words were to go, so that nothing may bring it back (`ErasedIds`); else it was only damaged, and
        comes back from a file that has it whole.
        """

    def forget_purged(self, user_id: str, memory_ids: Collection[str], names: Collection[str]) -> None:
        """Keeps hashes (`ErasedIds`) of memories of which no record is left, and of the `names` that they had elsewhere;
        takes out aliases, feedback, and words that operations replaced. Harmless twice.
        """
