"""The plan of a run, as it is saved before any of it is applied, so that a crash in between changes nothing of it."""

import base64
from collections.abc import Iterable
from datetime import datetime

from pydantic import JsonValue, TypeAdapter

from commonplace.domain.fields import FrozenPart
from commonplace.domain.memory import Memory
from commonplace.domain.runs import Dropped, Outcome, RunOperation, TagMerge
from commonplace.ports.values import Audit, Change, Operation, Rating, Vector

REMOVING_AUDITS = ("delete", "erase")
"""Audits of what closes with nothing in its place."""
_DETAIL: TypeAdapter[dict[str, JsonValue]] = TypeAdapter(dict[str, JsonValue])


class PlannedChange(FrozenPart):
    """A change of a record. `vector`: little-endian float32 in base64."""

    memory: Memory
    audit: str
    detail: dict[str, JsonValue]
    vector: str | None = None
    before: Memory | None = None
    erases: bool = False

    @classmethod
    def of(cls, change: Change) -> "PlannedChange":
        """The change as a plan keeps it; its time is that of the operation."""
        return cls(
            memory=change.memory,
            audit=change.audit.operation,
            detail=_DETAIL.validate_python(dict(change.audit.detail)),
            vector=encode_vector(change.vector),
            before=change.before,
            erases=change.erases,
        )

    def change(self, at: datetime) -> Change:
        """The change as the record takes it."""
        return Change(self.memory, Audit(self.audit, at, self.detail), decode_vector(self.vector), self.before, self.erases)


class PlannedOperation(FrozenPart):
    """An operation and what will be told of it. `asked_for`: the user said in so many words to remember it; `aliases`: what
    the memory that is told of was called elsewhere; `ratings`: what it was useful for."""

    told: RunOperation
    at: datetime
    opens: PlannedChange | None = None
    closes: tuple[PlannedChange, ...] = ()
    asked_for: bool = False
    aliases: tuple[str, ...] = ()
    ratings: tuple[Rating, ...] = ()

    def operation(self, user_id: str, run_id: str) -> Operation:
        """The operation as the record takes it."""
        opens = self.opens.change(self.at) if self.opens else None
        closes = tuple(change.change(self.at) for change in self.closes)
        return Operation(self.told.operation_id, user_id, self.told.kind, self.at, opens, closes, run_id)

    @property
    def opens_remainder(self) -> bool:
        """Whether what it opens is only the rest of memories that it removes."""
        return self.opens is not None and bool(self.closes) and all(one.audit in REMOVING_AUDITS for one in self.closes)

    def without_opening(self) -> "PlannedOperation":
        """A copy that only closes memories, under an id of its own."""
        reported = self.told.model_copy(update={"operation_id": f"{self.told.operation_id}-close", "memory_id": None})
        return self.model_copy(update={"told": reported, "opens": None})

    def with_outcome(self, outcome: Outcome, why: str | None = None) -> "PlannedOperation":
        """The same with another outcome."""
        return self.model_copy(update={"told": with_outcome(self.told, outcome, why)})

    @classmethod
    def kept(cls, saved: str) -> "PlannedOperation | None":
        """Reads what was saved for review; None where it can't be read."""
        try:
            return cls.model_validate_json(saved)
        except ValueError:
            return None


class Plan(FrozenPart):
    """What a run does at one go: for a day that it read, or as a whole. What a reading cost is told with it.

    `result`: what else the tool tells that made it.
    """

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

    @classmethod
    def kept(cls, saved: str) -> "Plan | None":
        """Reads what was saved; None where it can't be read."""
        try:
            return cls.model_validate_json(saved)
        except ValueError:
            return None


def merged(plans: Iterable[Plan]) -> Plan:
    """Several plans as one, in their order."""
    found = list(plans)
    return Plan(
        operations=tuple(one for plan in found for one in plan.operations),
        dropped=tuple(one for plan in found for one in plan.dropped),
        candidates=sum(plan.candidates for plan in found),
        unread=tuple(one for plan in found for one in plan.unread),
        stopped=tuple(one for plan in found for one in plan.stopped),
        notes=tuple(dict.fromkeys(note for plan in found for note in plan.notes)),
        calls=sum(plan.calls for plan in found),
        input_tokens=sum(plan.input_tokens for plan in found),
        output_tokens=sum(plan.output_tokens for plan in found),
    )


def review_part(operation_id: str) -> str:
    """The name of the run part that keeps an operation waiting for review."""
    return f"review/{operation_id}"


def with_outcome(operation: RunOperation, outcome: Outcome, why: str | None = None) -> RunOperation:
    """The operation with another outcome and, where given, another reason."""
    return operation.model_copy(update={"outcome": outcome, "why": why or operation.why})


def encode_vector(vector: Vector | None) -> str | None:
    """A vector as base64 of little-endian float32."""
    return None if vector is None else base64.b64encode(vector.astype("<f4").tobytes()).decode()


def decode_vector(text: str | None) -> Vector | None:
    """The vector of such a text."""
    if text is None:
        return None
    import numpy as np  # of a run that is only told there is no vector to read

    return np.frombuffer(base64.b64decode(text), dtype="<f4").astype(np.float32)
