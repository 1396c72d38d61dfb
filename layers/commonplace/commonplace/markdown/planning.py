"""Differences become operations on the record, as those of a night are: planned whole, then made one by one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from pydantic import JsonValue

from commonplace import closing, intake
from commonplace.documents import folded
from commonplace.errors import CommonplaceError
from commonplace.ids import new_operation_id
from commonplace.markdown.difference import Difference, Kind
from commonplace.markdown.entries import EntryRequest, moved, new_memory
from commonplace.markdown.page import Line
from commonplace.markdown.record import Record
from commonplace.models.memory import Memory
from commonplace.models.runs import OperationKind, Outcome, RunOperation
from commonplace.nightly.plan import PlannedChange, PlannedOperation, written_vector
from commonplace.ports import Caller, Ports, Vector

_ORDER: tuple[Kind, ...] = ("conflict", "remove", "move", "edit", "add")  # what is taken out makes room for what comes
_KINDS: Mapping[Kind, OperationKind] = {"remove": "DELETE", "edit": "UPDATE", "move": "UPDATE", "add": "ADD"}
_WHY: Mapping[Kind, str] = {"remove": "taken out", "edit": "changed", "move": "put in another place", "add": "new"}
KNOWN = "it is remembered already"


@dataclass(frozen=True)
class Step:
    """A difference with what is to be done about it."""

    difference: Difference
    planned: PlannedOperation


@dataclass
class Planner:
    """Plans the differences of one user's pages. `redacted`: the kinds of secrets that it has taken out."""

    record: Record
    caller: Caller
    ports: Ports
    redacted: dict[str, None] = field(default_factory=dict)
    _own_tags: Mapping[str, int] = field(default_factory=dict)
    _said: set[str] = field(default_factory=set)

    def steps(self, found: Sequence[Difference]) -> list[Step]:
        """A step for each, in the order in which they are made.

        A conflict is `lost`; what can't be kept, or is remembered already, is a `NOOP`. Both tell why.
        """
        going = {one.memory.memory_id for one in found if one.memory and one.kind in ("remove", "edit")}
        self._said = {folded(one.content) for one in self.record.current if one.memory_id not in going}
        self._own_tags = self.ports.facts.tags(self.caller.user_id)
        return [Step(one, self._planned(one)) for one in sorted(found, key=lambda one: _ORDER.index(one.kind))]

    def _planned(self, one: Difference) -> PlannedOperation:
        if one.kind == "conflict":
            return self._left(one, "UPDATE" if one.line else "DELETE", "lost", one.why)
        if one.line is None:
            assert one.memory is not None
            return self._operation(one, closes=closing.deleted(one.memory, self.caller.now))
        try:
            typed, kinds = intake.read(EntryRequest, _given(one, one.line), None)
        except CommonplaceError as error:
            return self._left(one, "NOOP", "applied", error.message)
        self.redacted |= dict.fromkeys(kinds)
        if one.kind == "add" and folded(typed.value or "") in self._said:
            return self._left(one, "NOOP", "applied", KNOWN)
        if typed.value is None:
            assert one.memory is not None
            return self._operation(one, opens=moved(one.page, one.line, typed, one.memory, self.caller), before=one.memory)
        self._said.add(folded(typed.value))
        entry = new_memory(one.page, one.line, typed, one.memory, self._own_tags, self.caller, self.ports)
        closes = closing.superseded(one.memory, entry.memory.memory_id, self.caller.now) if one.memory else None
        return self._operation(one, opens=entry.memory, vector=entry.vector, closes=closes)

    def _operation(
        self, one: Difference, opens: Memory | None = None, before: Memory | None = None, vector: Vector | None = None,
        closes: Memory | None = None,
    ) -> PlannedOperation:  # fmt: skip
        told = self._told(one, _KINDS[one.kind], "planned", _WHY[one.kind], opens, closes)
        detail: dict[str, JsonValue] = {"tool": "markdown", "operation_id": told.operation_id}
        opened = opens and PlannedChange(
            memory=opens,
            audit="update" if before else "store",
            detail=detail,
            vector=written_vector(vector),
            before=before,
        )
        closed = closes and PlannedChange(
            memory=closes, audit="supersede" if opens else "delete", detail=detail, before=one.memory
        )
        return PlannedOperation(told=told, at=self.caller.now, opens=opened, closes=(closed,) if closed else ())

    def _left(self, one: Difference, kind: OperationKind, outcome: Outcome, why: str) -> PlannedOperation:
        return PlannedOperation(told=self._told(one, kind, outcome, why, closes=one.memory), at=self.caller.now)

    def _told(
        self, one: Difference, kind: OperationKind, outcome: Outcome, why: str,
        opens: Memory | None = None, closes: Memory | None = None,
    ) -> RunOperation:  # fmt: skip
        return RunOperation(
            operation_id=new_operation_id(self.caller.now),
            kind=kind,
            outcome=outcome,
            memory_id=opens.memory_id if opens else None,
            closed=(closes.memory_id,) if closes else (),
            why=f"{one.place}: {why}",
        )


def _given(one: Difference, line: Line) -> Mapping[str, object]:
    """What is to be checked of a line. What is only moved says what it said, and is taken as it is."""
    return {"key": line.key} if one.kind == "move" else {"key": line.key, "value": line.text}
