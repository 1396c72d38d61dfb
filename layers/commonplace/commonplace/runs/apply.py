"""The context of a run, the lease under which it works, and one operation applied."""

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from commonplace.domain.errors import CommonplaceError, ErrorCode, places_of
from commonplace.domain.runs import Run, RunOperation
from commonplace.memories.lineage import MERGED
from commonplace.memories.searches import forget_searches
from commonplace.memories.transitions import closed_by
from commonplace.ports.bundle import Ports
from commonplace.ports.night import NightPorts
from commonplace.ports.values import Alias, Caller, Change, Clock, Fence
from commonplace.runs.plan import PlannedOperation, with_outcome

LEASE = timedelta(minutes=10)

_IN_THE_WAY = (ErrorCode.CONFLICT, ErrorCode.NOT_FOUND)
_LOST = "the memory was changed meanwhile, or another holds its key or says the same; that write stays"
_log = logging.getLogger("commonplace")


Progress = Callable[[int, int], None]
"""Is told how many operations of how many are done."""


@dataclass(frozen=True)
class RunContext:
    """The caller, the ports and the clock (aware, in the user's zone) of one run, and who is told how far it is."""

    caller: Caller
    ports: Ports
    night: NightPorts
    clock: Clock
    progress: Progress | None = None

    @property
    def user_id(self) -> str:
        """The user's id."""
        return self.caller.user_id

    def may_go_on(self, done: int) -> bool:
        """Whether this call may make one more change of a run, after so many; where nobody could go on it always may."""
        return self.ports.relay is None or self.ports.relay.may_go_on(self.user_id, done)

    def hand_over(self, run: Run) -> None:
        """Sends a run that is not at its end to the worker; to be called once its lease is free."""
        if run.is_at_work and self.ports.relay is not None:
            self.ports.relay.hand_over(self.user_id, run.run_id)


@dataclass
class Lease:
    """A lease that its holder renews before it runs out."""

    context: RunContext
    fence: Fence
    until: datetime

    def renew(self) -> None:
        """Renews the lease once half of it is over, or the clock was set back; `LEASE_LOST` when somebody else has it."""
        now = self.context.clock()
        if not LEASE / 2 <= self.until - now <= LEASE:
            self.until = now + LEASE
            self.context.night.leases.renew(self.fence, self.until)


@contextmanager
def leased(context: RunContext) -> Iterator[Lease]:
    """Holds the user's lease and releases it at the end; `CONFLICT` while another run has it."""
    now = context.clock()
    fence = context.night.leases.lease(context.user_id, now, now + LEASE)
    if fence is None:
        minutes = int(LEASE.total_seconds()) // 60
        message = f"another run of this user is at work; if it has died, its place is free after {minutes} minutes"
        raise CommonplaceError(ErrorCode.CONFLICT, message)
    try:
        yield Lease(context, fence, now + LEASE)
    finally:
        context.night.leases.release(fence)


def apply(operation: PlannedOperation, run_id: str, lease: Lease, last_try: bool = False) -> RunOperation:
    """Applies a planned operation unless it was applied before; returns it as `applied`, or `lost` to another write.

    What was not planned to be done (it waits, or is beyond the cap) is told as it is. Raises `LEASE_LOST`, and what it can't
    tell anything about; on the `last_try` that is lost too, so that one operation doesn't hold up all nights to come.
    """
    reported = operation.told
    if reported.outcome != "planned":
        return reported
    lease.renew()
    made = operation.operation(lease.context.user_id, run_id)
    if made.opens is not None and MERGED in made.opens.audit.detail:
        made = replace(made, closes=tuple(_merged_away(one, lease.context) for one in made.closes))
    try:
        gone = [change.before for change in made.changes if change.erases and change.before is not None]
        forget_searches(made.user_id, gone, lease.context.ports)
        lease.context.ports.operations.apply(made, lease.fence)
        _keep_beside(operation, run_id, lease.context)
    except CommonplaceError as error:
        if error.code not in _IN_THE_WAY:
            raise
        if operation.opens_remainder:  # what is left is there already: no reason to keep what is to go
            return apply(operation.without_opening(), run_id, lease, last_try)
        return with_outcome(reported, "lost", f"{reported.why}; {_LOST}")
    except Exception as error:
        if not last_try:
            raise
        why = f"{type(error).__name__} at {places_of(error)}"
        _log.error("operation %s of %s can't be made: %s", reported.operation_id, run_id, why)
        return with_outcome(reported, "lost", f"{reported.why}; it could not be written")
    return with_outcome(reported, "applied")


def _merged_away(change: Change, context: RunContext) -> Change:
    """The closing of a memory by a merge, which tells whether a model asked for it."""
    detail = {**change.audit.detail, **closed_by(context.caller, context.clock())}
    return replace(change, audit=replace(change.audit, detail=detail))


def _keep_beside(operation: PlannedOperation, run_id: str, context: RunContext) -> None:
    """Where a run dies before this, going on with it does it: the operation is then found applied."""
    memory_id = operation.told.memory_id
    if operation.aliases and memory_id is not None:
        context.ports.aliases.add(context.user_id, [Alias(name, memory_id, run_id) for name in operation.aliases])
    for rating in operation.ratings:
        context.ports.feedback.rate(context.user_id, rating)
