"""The port of recorded interactions."""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import Protocol

from commonplace.domain.interactions import Interaction
from commonplace.ports.ledger_values import LedgerEntry


class Ledger(Protocol):
    """The user's interactions, and which of them a run has read: this, not a clock, decides what a run reads."""

    def record(self, user_id: str, interactions: Sequence[Interaction], at: datetime) -> list[bool]:
        """Records each as pending unless its id is known; returns for each whether it is new.

        All at once, or from the last to the first: if it dies in between, whatever is kept has all kept that came after it.
        """

    def pending(self, user_id: str, limit: int) -> list[LedgerEntry]:
        """What no run has read, by its time, oldest first; strongly consistent."""

    def entries(self, user_id: str, interaction_ids: Sequence[str]) -> list[LedgerEntry]:
        """The entries that exist among the ids, in the order of the ids."""

    def reread(self, user_id: str, interaction_ids: Sequence[str]) -> int:
        """Makes those pending again whose text is still there, with failures reset; returns how many."""

    def drop_texts(self, user_id: str, now: datetime, kept: timedelta) -> int:
        """Drops texts that were read, or given up as failed, longer ago than they are `kept`; id, time and run stay.

        Returns how many. Where the clock is a laptop's, the user's own records must confirm it.
        """

    def erase_texts(self, user_id: str, interaction_ids: Sequence[str]) -> None:
        """Drops the text of these at once, whatever their state; what was pending counts as read."""

    def due(self, texts_before: datetime | None = None) -> Iterator[str]:
        """The users with something pending, and those with texts that were read before then, if it is given.

        No scan of everything; may lag behind a write by seconds.
        """
