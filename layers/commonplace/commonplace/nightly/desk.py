"""What a run has at hand, and the lease under which it alone changes a user's memories."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta

from commonplace.errors import CommonplaceError, ErrorCode
from commonplace.night_ports import NightPorts
from commonplace.ports import Caller, Clock, Fence, Ports

LEASE = timedelta(minutes=10)


@dataclass(frozen=True)
class Desk:
    """Whose memories, through which ports, by which clock (aware, in the user's zone)."""

    caller: Caller
    ports: Ports
    night: NightPorts
    clock: Clock

    @property
    def user_id(self) -> str:
        """Whose memories."""
        return self.caller.user_id


@dataclass
class Lease:
    """A lease that goes on as long as its holder comes back before it has run out."""

    desk: Desk
    fence: Fence
    until: datetime

    def keep(self) -> None:
        """Renews it once half of it is over; `LEASE_LOST` when somebody else has it."""
        now = self.desk.clock()
        if self.until - now < LEASE / 2:
            self.until = now + LEASE
            self.desk.night.runs.renew(self.fence, self.until)


@contextmanager
def leased(desk: Desk) -> Iterator[Lease]:
    """The user's lease, given back at the end; `CONFLICT` while another run has it."""
    now = desk.clock()
    fence = desk.night.runs.lease(desk.user_id, now, now + LEASE)
    if fence is None:
        minutes = int(LEASE.total_seconds()) // 60
        message = f"another run of this user is at work; if it has died, its place is free after {minutes} minutes"
        raise CommonplaceError(ErrorCode.CONFLICT, message)
    try:
        yield Lease(desk, fence, now + LEASE)
    finally:
        desk.night.runs.release(fence)
