"""The port that queues nights, and runs that a worker goes on with."""

from collections.abc import Iterable
from typing import Protocol


class NightQueue(Protocol):
    """A queue with a message per user whose night is due, and per run that has no time left where it began."""

    def send(self, user_ids: Iterable[str]) -> int:
        """Queues a night of each user, returns how many; raises `STORAGE_UNAVAILABLE` if one can't be queued.

        A night that is asked for twice is harmless: one finds the other's lease, or nothing pending.
        """

    def send_run(self, user_id: str, run_id: str, seconds: int = 0) -> None:
        """Queues the rest of a run, to be gone on with after so many seconds, at most 900; raises as `send` does.

        A run that is sent twice is harmless: one finds the other's lease, or the run at its end.
        """
