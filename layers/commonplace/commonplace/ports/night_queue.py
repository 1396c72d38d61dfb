"""The port that queues nights."""

from collections.abc import Iterable
from typing import Protocol


class NightQueue(Protocol):
    """A queue with a message per user whose night is due."""

    def send(self, user_ids: Iterable[str]) -> int:
        """Queues a night of each user, returns how many; raises `STORAGE_UNAVAILABLE` if one can't be queued.

        A night that is asked for twice is harmless: one finds the other's lease, or nothing pending.
        """
