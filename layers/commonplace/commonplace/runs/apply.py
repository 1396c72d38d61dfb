"""Define a run's plan, context and lease, and apply operations. The whole plan is saved first, so that a run can resume."""

import base64
import logging
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import TypeVar

from pydantic import JsonValue, TypeAdapter

from commonplace.domain.errors import CommonplaceError, ErrorCode, places_of
from commonplace.domain.fields import FrozenPart
from commonplace.domain.memory import Memory
from commonplace.domain.runs import Dropped, Outcome, Run, RunOperation, TagMerge
from commonplace.memories.lineage import MERGED
from commonplace.memories.searches import forget_searches
from commonplace.memories.transitions import closed_by
from commonplace.memories.vectors import from_bytes, to_bytes
from commonplace.ports.bundle import Ports
from commonplace.ports.night import NightPorts
from commonplace.ports.values import Alias, Audit, Caller, Change, Clock, Fence, Operation, Rating, Vector

REMOVING_AUDITS = ("delete", "erase")
"""The names of the audit operations that close a memory without a replacement."""
_Part = TypeVar("_Part", bound=FrozenPart)
_DETAIL: TypeAdapter[dict[str, JsonValue]] = TypeAdapter(dict[str, JsonValue])


class PlannedChange(FrozenPart):
    """A change of a record. `vector` is its stored form in base64."""

    memory: Memory
    audit: str
    detail: dict[str, JsonValue]
    vector: str | None = None
    before: Memory | None = None
    erases: bool = False

    @classmethod
    def of(cls, change: Change) -> "PlannedChange":
        """Create a planned change from a change. The time is omitted, because the operation contains it."""
        return cls(
            memory=change.memory,
            audit=change.audit.operation,
            detail=_DETAIL.validate_python(dict(change.audit.detail)),
            vector=encode_vector(change.vector),
            before=change.before,
            erases=change.erases,
        )

    def change(self, at: datetime) -> Change:
        """Convert the planned change to a change for the record store."""
        return Change(self.memory, Audit(self.audit, at, self.detail), decode_vector(self.vector), self.before, self.erases)


class PlannedOperation(FrozenPart):
    """An operation and its report, with aliases and ratings of its memory. `asked_for` is True if the user requested it."""

    told: RunOperation
    at: datetime
    opens: PlannedChange | None = None
    closes: tuple[PlannedChange, ...] = ()
    asked_for: bool = False
    aliases: tuple[str, ...] = ()
    ratings: tuple[Rating, ...] = ()

    def operation(self, user_id: str, run_id: str) -> Operation:
        """Convert the planned operation to an operation for the record store."""
        opens = self.opens.change(self.at) if self.opens else None
        closes = tuple(change.change(self.at) for change in self.closes)
        return Operation(self.told.operation_id, user_id, self.told.kind, self.at, opens, closes, run_id)

    @property
    def opens_remainder(self) -> bool:
        """Whether the new memory is just the remaining text of memories that the operation removes."""
        return self.opens is not None and bool(self.closes) and all(change.audit in REMOVING_AUDITS for change in self.closes)

    def without_opening(self) -> "PlannedOperation":
        """Return a copy of the operation that only closes memories and has a different id."""
        reported = self.told.model_copy(update={"operation_id": f"{self.told.operation_id}-close", "memory_id": None})
        return self.model_copy(update={"told": reported, "opens": None})

    def with_outcome(self, outcome: Outcome, why: str | None = None) -> "PlannedOperation":
        """Return a copy of the operation with a new outcome and, if given, a new reason."""
        return self.model_copy(update={"told": with_outcome(self.told, outcome, why)})


class Plan(FrozenPart):
    """The plan of a day or of a whole run, with the cost of reading. `result` contains additional results of the tool."""

    operations: tuple[PlannedOperation, ...] = ()
    dropped: tuple[Dropped, ...] = ()
    tags: tuple[TagMerge, ...] = ()
    archived: tuple[str, ...] = ()
    backup_id: str | None = None
    result: dict[str, JsonValue] | None = None
    candidates: int = 0
    unread: tuple[str, ...] = ()
    stopped: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0


def parse_saved(kind: type[_Part], saved: str | None) -> _Part | None:
    """Parse a saved plan or operation. Returns None if `saved` is None or invalid."""
    try:
        return None if saved is None else kind.model_validate_json(saved)
    except ValueError:
        return None


def merged(plans: Iterable[Plan]) -> Plan:
    """Combine several plans into one, in order."""
    drafted = list(plans)
    return Plan(
        operations=tuple(planned for plan in drafted for planned in plan.operations),
        dropped=tuple(dropped for plan in drafted for dropped in plan.dropped),
        candidates=sum(plan.candidates for plan in drafted),
        unread=tuple(interaction_id for plan in drafted for interaction_id in plan.unread),
        stopped=tuple(reason for plan in drafted for reason in plan.stopped),
        notes=tuple(dict.fromkeys(note for plan in drafted for note in plan.notes)),
        calls=sum(plan.calls for plan in drafted),
        input_tokens=sum(plan.input_tokens for plan in drafted),
        output_tokens=sum(plan.output_tokens for plan in drafted),
    )


def review_part(operation_id: str) -> str:
    """Return the name of the run part that stores an operation awaiting review."""
    return f"review/{operation_id}"


def with_outcome(operation: RunOperation, outcome: Outcome, why: str | None = None) -> RunOperation:
    """Return the operation with a new outcome and, if given, a new reason."""
    return operation.model_copy(update={"outcome": outcome, "why": why or operation.why})


def encode_vector(vector: Vector | None) -> str | None:
    """Encode the stored form of a vector as base64."""
    stored = to_bytes(vector)
    return None if stored is None else base64.b64encode(stored).decode()


def decode_vector(text: str | None) -> Vector | None:
    """Decode a vector from its stored form in base64."""
    return None if text is None else from_bytes(base64.b64decode(text))


LEASE = timedelta(minutes=10)
_REPLANNED = (ErrorCode.CONFLICT, ErrorCode.NOT_FOUND)
_LOST = "the memory was changed meanwhile, or another holds its key or says the same; that write stays"
_log = logging.getLogger("commonplace")
Progress = Callable[[int, int], None]
"""A callback that receives the number of finished operations and the total number."""


@dataclass(frozen=True)
class RunContext:
    """The caller, ports, clock and progress callback of a run. The clock returns aware times in the user's zone."""

    caller: Caller
    ports: Ports
    night: NightPorts
    clock: Clock
    progress: Progress | None = None

    @property
    def user_id(self) -> str:
        return self.caller.user_id

    def may_go_on(self, done: int) -> bool:
        """Return whether this call may make another change. If no worker can continue the run, the result is always True."""
        return self.ports.relay is None or self.ports.relay.may_go_on(self.user_id, done)

    def hand_over(self, run: Run) -> None:
        """Send an unfinished run to the worker. The caller must have released the lease."""
        if run.is_at_work and self.ports.relay is not None:
            self.ports.relay.hand_over(self.user_id, run.run_id)


@dataclass
class Lease:
    """A lease that is renewed while a run works."""

    context: RunContext
    fence: Fence
    until: datetime

    def renew(self) -> None:
        """Renew the lease if half of its time is over or the clock was set back. Raises `LEASE_LOST` if another took it."""
        now = self.context.clock()
        if not LEASE / 2 <= self.until - now <= LEASE:
            self.until = now + LEASE
            self.context.night.leases.renew(self.fence, self.until)


@contextmanager
def leased(context: RunContext) -> Iterator[Lease]:
    """Hold the user's lease until the block ends. Raises `CONFLICT` if another run holds the lease."""
    now = context.clock()
    fence = context.night.leases.lease(context.user_id, now, now + LEASE)
    if fence is None:
        minutes = int(LEASE.total_seconds()) // 60
        message = f"another run of this user is active; if it has crashed, its lease expires within {minutes} minutes"
        raise CommonplaceError(ErrorCode.CONFLICT, message)
    try:
        yield Lease(context, fence, now + LEASE)
    finally:
        context.night.leases.release(fence)


def apply(operation: PlannedOperation, run_id: str, lease: Lease, last_try: bool = False) -> RunOperation:
    """Apply a planned operation once. The returned operation is `applied`, or `lost` if another write came first.

    Operations that wait for review or exceed the cap are returned unchanged. Raises `LEASE_LOST` and unexpected errors. If
    `last_try` is true, an unexpected error makes the operation `lost`, so that it can't block all later runs.
    """
    reported = operation.told
    if reported.outcome != "planned":
        return reported
    lease.renew()
    made = operation.operation(lease.context.user_id, run_id)
    if made.opens is not None and MERGED in made.opens.audit.detail:
        made = replace(made, closes=tuple(_mark_closed_by_model(change, lease.context) for change in made.closes))
    try:
        gone = [change.before for change in made.changes if change.erases and change.before is not None]
        forget_searches(made.user_id, gone, lease.context.ports)
        lease.context.ports.operations.apply(made, lease.fence)
        _save_separately(operation, run_id, lease.context)
    except CommonplaceError as error:
        if error.code not in _REPLANNED:
            raise
        if operation.opens_remainder:  # the remaining text may already exist, but the targets must still be closed
            return apply(operation.without_opening(), run_id, lease, last_try)
        return with_outcome(reported, "lost", f"{reported.why}; {_LOST}")
    except Exception as error:
        if not last_try:
            raise
        why = f"{type(error).__name__} at {places_of(error)}"
        _log.error("operation %s of %s can't be made: %s", reported.operation_id, run_id, why)
        return with_outcome(reported, "lost", f"{reported.why}; it could not be written")
    return with_outcome(reported, "applied")


def _mark_closed_by_model(change: Change, context: RunContext) -> Change:
    """If a model closed the memory, add the time to the audit detail. Other changes are returned unchanged."""
    detail = {**change.audit.detail, **closed_by(context.caller, context.clock())}
    return replace(change, audit=replace(change.audit, detail=detail))


def _save_separately(operation: PlannedOperation, run_id: str, context: RunContext) -> None:
    """Save an operation's aliases and ratings after it is applied. A run that resumes after a crash saves them again."""
    memory_id = operation.told.memory_id
    if operation.aliases and memory_id is not None:
        context.ports.aliases.add(context.user_id, [Alias(name, memory_id, run_id) for name in operation.aliases])
    for rating in operation.ratings:
        context.ports.feedback.rate(context.user_id, rating)
