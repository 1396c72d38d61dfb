"""Turns a day's decisions into operations on the records, after checking each decision."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from commonplace.domain.batching import in_batches
from commonplace.domain.ids import new_memory_id, new_operation_id
from commonplace.domain.memory import Memory
from commonplace.domain.runs import Dropped, RunOperation
from commonplace.extraction.candidate import Candidate, Decision, Reading
from commonplace.extraction.clauses import LONGEST_EVIDENCE
from commonplace.extraction.days import Day
from commonplace.extraction.gates import is_asked_for, refusal_reason
from commonplace.extraction.new_memory import memory_from_decision
from commonplace.memories import transitions
from commonplace.nightly.forget_scope import closed_memories, interactions_telling, remaining_text
from commonplace.nightly.memory_view import RunMemoryView
from commonplace.ports.values import Vector
from commonplace.runs.apply import Plan, PlannedChange, PlannedOperation, RunContext, encode_vector

_LONGEST_WHY = 300
_GONE = "the memory that it would change does not exist, or no longer exists"
_FORGOTTEN = "the user wanted it forgotten"
_NOT_THERE = f"{_FORGOTTEN}; no memory says it"
_FORGOTTEN_PER_OPERATION = 8  # per operation: with their audit rows, at most 100 parts fit a DynamoDB transaction
_KEPT_FIELDS = (
    "collection", "agent_id", "key", "session_id", "position", "source", "scope", "scope_ref", "expires_at", "purge_at",
)  # fmt: skip
_CLOSED = "the memory that it would close was already closed by another operation of that day"


def plan_operations(reading: Reading, day: Day, view: RunMemoryView, context: RunContext) -> Plan:
    """Plan the operations of a day, before limits. The plan also lists what was dropped, and why."""
    work = _DayOperations(day, view, context)
    for decision in sorted(reading.decisions, key=lambda one: not one.candidate.forgets):
        work.add(decision)  # forget requests first, because changes build on the remaining memories
    return Plan(
        operations=tuple(work.operations),
        dropped=(*reading.dropped, *work.dropped),
        candidates=reading.candidates or len(reading.decisions) + len(reading.dropped),
        unread=reading.unread,
        notes=reading.notes,
        calls=reading.calls,
        input_tokens=reading.input_tokens,
        output_tokens=reading.output_tokens,
    )


@dataclass
class _DayOperations:
    day: Day
    view: RunMemoryView
    context: RunContext
    operations: list[PlannedOperation] = field(default_factory=list)
    dropped: list[Dropped] = field(default_factory=list)
    successors: dict[str, Memory | None] = field(default_factory=dict)
    keys: set[str] = field(default_factory=set)

    def add(self, decision: Decision) -> None:
        """Plan one decision, or drop it with a reason."""
        shown = self.view.get(decision.targets)
        why = refusal_reason(decision, self.day, shown)
        if why is None and decision.operation == "UPDATE" and not shown:
            why = _GONE
        if why is None and decision.candidate.forgets:
            self._forget(decision.candidate, shown)
            return
        if why is None and decision.operation == "NOOP":
            self.operations.append(
                PlannedOperation(told=self._report(decision, outcome="applied"), at=self.context.caller.now)
            )
            return
        targets = self._current_targets(shown)
        if why is None and not targets and not _is_add(decision):
            why = _CLOSED
        if why is None:
            self._plan(decision, targets)
        else:
            one = decision.candidate
            self.dropped.append(Dropped(interaction_id=one.interaction_id, position=one.position, why=why[:_LONGEST_WHY]))

    def _forget(self, request: Candidate, shown: Sequence[Memory]) -> None:
        """Without a matching memory, only erases the interactions that say it."""
        now_there = self._current_targets(shown)  # after earlier requests
        targets = self._current_targets([*shown, *closed_memories(request, shown, self.view)])
        decision, now = Decision(request, "FORGET"), self.context.caller.now
        erases = interactions_telling(request, self.context)
        if not targets:
            reported = self._report(decision, outcome="applied", erases=erases, why=_NOT_THERE)
            self.operations.append(PlannedOperation(told=reported, at=now))
            return
        begun, rest = len(self.operations), remaining_text(request, now_there, self.context)
        for few in in_batches(targets, _FORGOTTEN_PER_OPERATION):
            self._plan(replace(decision, content=rest or None), few, erases=erases)
            rest = ""  # the remainder of all targets is stored once
        left = self.operations[begun].opens
        self.successors |= dict.fromkeys((one.memory_id for one in targets), left.memory if left else None)

    def _plan(self, decision: Decision, targets: Sequence[Memory], **more: Any) -> None:
        operation_id, now = new_operation_id(self.context.caller.now), self.context.caller.now
        if decision.operation == "FORGET":
            opens = self._remainder(decision.content, targets[0], operation_id) if decision.content else None
        else:
            opens = self._new_memory(decision, targets, operation_id) if _is_add(decision) else None
        new = opens.memory if opens else None
        closes = tuple(_closing_change(decision, target, new, self.context, operation_id) for target in targets)
        self.successors |= {target.memory_id: new for target in targets}
        closed = tuple(target.memory_id for target in targets)
        reported = self._report(decision, operation_id=operation_id, memory_id=new and new.memory_id, closed=closed, **more)
        asked_for = opens is not None and is_asked_for(decision.candidate, self.day)
        self.operations.append(PlannedOperation(told=reported, at=now, opens=opens, closes=closes, asked_for=asked_for))

    def _current_targets(self, shown: Sequence[Memory]) -> list[Memory]:
        """Follows successors, so that two corrections on a day build on each other."""
        found: dict[str, Memory] = {}
        for memory in shown:
            last: Memory | None = memory
            while last is not None and last.memory_id in self.successors:
                last = self.successors[last.memory_id]
            if last is not None:
                found[last.memory_id] = last
        return list(found.values())

    def _remainder(self, text: str, of: Memory, operation_id: str) -> PlannedChange:
        now = self.context.caller.now
        candidate = Candidate(
            content=text,
            interaction_id=of.session_id or "",
            position=of.position or 0,
            evidence=text[:LONGEST_EVIDENCE],
            confidence=of.confidence,
            section=of.section,
            durability=of.durability,
            event_time=of.happened_at,
        )
        memory, vector = memory_from_decision(
            Decision(candidate, "ADD"), self.day, self.context.caller, self.context.ports, now, new_memory_id(now)
        )
        kept: dict[str, Any] = {name: getattr(of, name) for name in _KEPT_FIELDS}
        evidence = text if of.evidence and text in of.evidence else None
        return _storing_change(memory.model_copy(update={**kept, "evidence": evidence}), vector, operation_id)

    def _new_memory(self, decision: Decision, targets: Sequence[Memory], operation_id: str) -> PlannedChange:
        now = self.context.caller.now
        memory_id = new_memory_id(now)
        memory, vector = memory_from_decision(decision, self.day, self.context.caller, self.context.ports, now, memory_id)
        taken = memory.key in self.keys or (memory.key is not None and self.view.holder(memory.key) is not None)
        key = None if taken else memory.key
        replaced: dict[str, Any] = {"key": key}
        if targets:
            first = targets[0]
            replaced = {"supersedes": first.memory_id, "collection": first.collection, "agent_id": first.agent_id}
            replaced["key"] = next((one.key for one in targets if one.key), key)
        memory = memory.model_copy(update=replaced)
        self.keys |= {memory.key} if memory.key else set()
        return _storing_change(memory, vector, operation_id)

    def _report(self, decision: Decision, **more: Any) -> RunOperation:
        one = decision.candidate
        fields: dict[str, Any] = {
            "operation_id": new_operation_id(self.context.caller.now),
            "kind": decision.operation,
            "outcome": "planned",
            "interaction_id": one.interaction_id,
            "position": one.position,
            "rests_on": one.rests_on,
            "day": self.day.date,
            "why": _FORGOTTEN if decision.operation == "FORGET" else (decision.why or decision.operation)[:_LONGEST_WHY],
        }
        return RunOperation(**{**fields, **more})


def _is_add(decision: Decision) -> bool:
    says = bool(decision.says.strip())
    return decision.operation in ("ADD", "UPDATE") or (decision.operation == "DELETE" and says)


def _storing_change(memory: Memory, vector: Vector | None, operation_id: str) -> PlannedChange:
    detail = {"tool": "nightly", "operation_id": operation_id}
    return PlannedChange(memory=memory, audit="store", detail=detail, vector=encode_vector(vector))


def _closing_change(
    decision: Decision, target: Memory, by: Memory | None, context: RunContext, operation_id: str
) -> PlannedChange:
    now, erases = context.caller.now, decision.operation == "FORGET"
    if by is not None and not erases:
        after, audit = transitions.superseded(target, by.memory_id, now), "supersede"
    else:
        after, audit = (transitions.erased(target, now), "erase") if erases else (transitions.deleted(target, now), "delete")
    return PlannedChange(memory=after, audit=audit, detail={"operation_id": operation_id}, before=target, erases=erases)
