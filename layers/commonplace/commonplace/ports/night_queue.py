"""The port that asks for nights."""

from collections.abc import Iterable
from typing import Protocol


class NightQueue(Protocol):
    """Whose nights are to be read, a message per user."""

    def send(self, user_ids: Iterable[str]) -> int:
        """Asks for a night of each, tells how many; raises `STORAGE_UNAVAILABLE` if one can't be asked for.

        A night that is asked for twice is harmless: one finds the other's lease, or nothing pending.
        """
