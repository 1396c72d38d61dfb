"""The port of the lease under which one run at a time changes a user's memories."""

from datetime import datetime
from typing import Protocol

from commonplace.ports.record_values import Fence


class Leases(Protocol):
    """The lease under which runs change a user's memories; writes under an older lease get `LEASE_LOST`."""

    def lease(self, user_id: str, now: datetime, until: datetime) -> Fence | None:
        """Takes the lease until then, with a number above all before; None while another's is valid at `now`.

        One that ends more than two such spans after `now` was taken by a clock that was set back since: it is free. (One span
        alone would leave no room for two machines whose clocks differ.)
        """

    def renew(self, fence: Fence, until: datetime) -> None:
        """Extends the lease until then."""

    def release(self, fence: Fence) -> None:
        """Gives the lease back; without effect if it is not the newest any more."""
