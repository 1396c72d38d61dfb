"""The port of the lease under which one run at a time changes a user's memories."""

from datetime import datetime
from typing import Protocol

from commonplace.ports.record_values import Fence


class Leases(Protocol):
    """Who may change a user's memories by a run: whoever holds the newest lease; all others get `LEASE_LOST`."""

    def lease(self, user_id: str, now: datetime, until: datetime) -> Fence | None:
        """The lease until then, with a number above all before; None while somebody else's has not run out at `now`."""

    def renew(self, fence: Fence, until: datetime) -> None:
        """Keeps the lease until then."""

    def release(self, fence: Fence) -> None:
        """Gives the lease back; nothing happens if it is not the newest any more."""
