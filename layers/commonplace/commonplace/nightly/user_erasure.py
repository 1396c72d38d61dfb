"""Erases everything that is kept of a user."""

from dataclasses import dataclass

from commonplace.pages.publishing import erase_pages
from commonplace.ports.user_erasure import UserErasure
from commonplace.runs.apply import RunContext, leased


@dataclass(frozen=True)
class ErasableUser:
    """A user whose data can be counted and erased."""

    context: RunContext
    erasure: UserErasure

    @property
    def user_id(self) -> str:
        """The user's id."""
        return self.context.user_id

    def memories(self) -> int:
        """The number of the user's memories, closed ones too."""
        return sum(1 for _ in self.context.ports.records.all(self.user_id))

    def erase(self) -> int:
        """Erases everything for good, the pages first; returns how many memories there were.

        Raises `CONFLICT` while a run of this user is at work, for it would write what it has read. Safe to repeat after a
        crash.
        """
        with leased(self.context):
            memories = self.memories()
            if self.context.night.pages is not None:
                erase_pages(self.context.night.pages(self.user_id))
            self.erasure.erase(self.user_id)
        return memories
