"""Check each decision about a day and convert it to operations on the records."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from commonplace.domain.batching import in_batches
from commonplace.domain.ids import new_memory_id, new_operation_id
from commonplace.domain.memory import Memory
from commonplace.domain.runs import Dropped, RunOperation
from commonplace.extraction.candidate import Candidate, Decision, Reading
from commonplace.extraction.changes.statements import joined
from commonplace.extraction.clauses import LONGEST_EVIDENCE, sentences
from commonplace.extraction.days import Day
from commonplace.extraction.decisions import WEAK, WEAK_GUESS, is_weak_guess
from commonplace.extraction.forgetting.matching import is_about, mentions, text_without
from commonplace.extraction.gates import is_user_request, refusal_reason
from commonplace.extraction.new_memory import memory_from_decision
from commonplace.memories import transitions
from commonplace.memories.ingest import DURABLE_FROM
from commonplace.memories.lineage import made_of
from commonplace.nightly.memory_view import RunMemoryView
from commonplace.ports.values import Stored, Vector
from commonplace.runs.apply import Plan, PlannedChange, PlannedOperation, RunContext, encode_vector
from commonplace.runs.finalize import RUNS_WITH_WORDS, recorded_entries
from commonplace.use_cases.merge_plan import Sources

_LONGEST_WHY = 300
_GONE = "the memory that it would change does not exist, or no longer exists"
_FORGOTTEN = "the user wanted it forgotten"
_NO_TARGET = f"{_FORGOTTEN}; no memory says it"
_FORGOTTEN_PER_OPERATION = 8  # with their audit rows, 8 memories fit into the 100 items of a DynamoDB transaction
_INHERITED = (
    "collection", "agent_id", "key", "session_id", "position", "source", "scope", "scope_ref", "expires_at", "purge_at",
)  # fmt: skip
_STAYS_BESIDE = "unsure, so the durable memory stays beside it"
_UNSURE = "its confidence is too low to close a durable memory"
_CLOSED = "the memory that it would close was already closed by another operation of that day"


def plan_operations(reading: Reading, day: Day, view: RunMemoryView, context: RunContext) -> Plan:
    """Plan a day's operations, without applying limits. The plan also lists the dropped decisions, with reasons."""
    work = _DayOperations(day, view, context)
    for decision in sorted(reading.decisions, key=lambda decision: not decision.candidate.forgets):
        work.add(decision)  # forget requests first, because other changes apply to the memories that remain
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
        """Plan a decision, or drop it with a reason."""
        shown = self.view.get(decision.targets)
        why = refusal_reason(decision, self.day, shown)
        if why is None and _is_too_unsure_to_close(decision, self._follow_successors(shown)):
            decision, shown = replace(decision, operation="ADD", targets=(), content=None, why=_STAYS_BESIDE), []
            why = refusal_reason(decision, self.day, shown) if decision.says.strip() else _UNSURE
        if why is None and self._is_weak_guess(decision):
            why = WEAK_GUESS
        if why is None and decision.operation == "UPDATE" and not shown:
            why = _GONE
        if why is None and decision.candidate.forgets:
            self._plan_forgetting(decision.candidate, shown)
            return
        if why is None and decision.operation == "NOOP":
            reported = self._report(decision, outcome="applied")
            self.operations.append(PlannedOperation(told=reported, at=self.context.caller.now))
            return
        targets = self._follow_successors(shown)
        if why is None and not targets and not _is_add(decision):
            why = _CLOSED
        if why is None:
            self._plan_operation(decision, targets)
        else:
            candidate = decision.candidate
            place, position = candidate.interaction_id, candidate.position
            self.dropped.append(Dropped(interaction_id=place, position=position, why=why[:_LONGEST_WHY]))

    def _is_weak_guess(self, decision: Decision) -> bool:
        candidate = decision.candidate
        if candidate.confidence >= WEAK or candidate.forgets or not _is_add(decision):
            return False
        similar = self.view.similar(candidate.content)
        return is_weak_guess(candidate, [memory for memory in similar if not memory.is_passage])

    def _plan_forgetting(self, request: Candidate, shown: Sequence[Memory]) -> None:
        """Plan an erasure. If no memory matches, erase only the recorded interactions that match."""
        memories = self._follow_successors(shown)  # earlier requests may have closed some of these memories
        targets = self._follow_successors([*shown, *closed_memories(request, shown, self.view)])
        decision, now = Decision(request, "FORGET"), self.context.caller.now
        erases = interactions_telling(request, self.context)
        if not targets:
            reported = self._report(decision, outcome="applied", erases=erases, why=_NO_TARGET)
            self.operations.append(PlannedOperation(told=reported, at=now))
            return
        lefts = (_compute_remaining_text(request, memory, self.context) for memory in memories)
        begun, remainder = len(self.operations), joined([left for left in lefts if left])
        for few in in_batches(targets, _FORGOTTEN_PER_OPERATION):
            self._plan_operation(replace(decision, content=remainder or None), few, erases=erases)
            remainder = ""  # so that the remaining text of all targets is stored once
        left = self.operations[begun].opens
        self.successors |= dict.fromkeys((memory.memory_id for memory in targets), left.memory if left else None)

    def _plan_operation(self, decision: Decision, targets: Sequence[Memory], **more: Any) -> None:
        """Plan an operation that closes the targets and stores the decision's memory, or what a forget request leaves."""
        operation_id, now = new_operation_id(self.context.caller.now), self.context.caller.now
        if decision.operation == "FORGET":
            opens = self._build_remainder(decision.content, targets[0], operation_id) if decision.content else None
        else:
            opens = self._create_memory(decision, targets, operation_id) if _is_add(decision) else None
        new = opens.memory if opens else None
        closes = tuple(_build_close_change(decision, target, new, self.context, operation_id) for target in targets)
        self.successors |= {target.memory_id: new for target in targets}
        closed = tuple(target.memory_id for target in targets)
        reported = self._report(decision, operation_id=operation_id, memory_id=new and new.memory_id, closed=closed, **more)
        is_request = opens is not None and is_user_request(decision.candidate, self.day)
        self.operations.append(PlannedOperation(told=reported, at=now, opens=opens, closes=closes, asked_for=is_request))

    def _follow_successors(self, shown: Sequence[Memory]) -> list[Memory]:
        """Return the newest value of each memory, so that a day's second correction applies to the result of the first."""
        memories: dict[str, Memory] = {}
        for memory in shown:
            last: Memory | None = memory
            while last is not None and last.memory_id in self.successors:
                last = self.successors[last.memory_id]
            if last is not None:
                memories[last.memory_id] = last
        return list(memories.values())

    def _build_remainder(self, text: str, of: Memory, operation_id: str) -> PlannedChange:
        """Build a memory from what remains of the targets after a forget request. Its fields come from the target `of`."""
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
        adding, caller = Decision(candidate, "ADD"), self.context.caller
        memory, vector = memory_from_decision(adding, self.day, caller, self.context.ports, now, new_memory_id(now))
        fields: dict[str, Any] = {name: getattr(of, name) for name in _INHERITED}
        evidence = text if of.evidence and text in of.evidence else None
        return _build_store_change(memory.model_copy(update={**fields, "evidence": evidence}), vector, operation_id)

    def _create_memory(self, decision: Decision, targets: Sequence[Memory], operation_id: str) -> PlannedChange:
        """Build the new memory of a decision. It replaces the first target, under the targets' key. A used key is dropped."""
        now = self.context.caller.now
        memory_id = new_memory_id(now)
        memory, vector = memory_from_decision(decision, self.day, self.context.caller, self.context.ports, now, memory_id)
        taken = memory.key in self.keys or (memory.key is not None and self.view.holder(memory.key) is not None)
        key = None if taken else memory.key
        replaced: dict[str, Any] = {"key": key}
        if targets:
            first = targets[0]
            replaced = {"supersedes": first.memory_id, "collection": first.collection, "agent_id": first.agent_id}
            replaced["key"] = next((memory.key for memory in targets if memory.key), key)
        memory = memory.model_copy(update=replaced)
        self.keys |= {memory.key} if memory.key else set()
        return _build_store_change(memory, vector, operation_id)

    def _report(self, decision: Decision, **more: Any) -> RunOperation:
        candidate = decision.candidate
        fields: dict[str, Any] = {
            "operation_id": new_operation_id(self.context.caller.now),
            "kind": decision.operation,
            "outcome": "planned",
            "interaction_id": candidate.interaction_id,
            "position": candidate.position,
            "rests_on": candidate.rests_on,
            "day": self.day.date,
            "why": _FORGOTTEN if decision.operation == "FORGET" else (decision.why or decision.operation)[:_LONGEST_WHY],
        }
        return RunOperation(**{**fields, **more})


def _is_too_unsure_to_close(decision: Decision, targets: Sequence[Memory]) -> bool:
    """Return whether a decision is unsure and one of its targets is durable. Forget requests need no confidence."""
    unsure = decision.candidate.confidence < DURABLE_FROM and not decision.candidate.forgets
    return unsure and any(memory.durability == "durable" for memory in targets)


def _is_add(decision: Decision) -> bool:
    """Return whether a decision adds a memory. A DELETE may add the text that replaces its targets."""
    says = bool(decision.says.strip())
    return decision.operation in ("ADD", "UPDATE") or (decision.operation == "DELETE" and says)


def _build_store_change(memory: Memory, vector: Vector | None, operation_id: str) -> PlannedChange:
    detail = {"tool": "nightly", "operation_id": operation_id}
    return PlannedChange(memory=memory, audit="store", detail=detail, vector=encode_vector(vector))


def _build_close_change(
    decision: Decision, target: Memory, by: Memory | None, context: RunContext, operation_id: str
) -> PlannedChange:
    now, erases = context.caller.now, decision.operation == "FORGET"
    if by is not None and not erases:
        after, audit = transitions.superseded(target, by.memory_id, now), "supersede"
    else:
        after, audit = (transitions.erased(target, now), "erase") if erases else (transitions.deleted(target, now), "delete")
    return PlannedChange(memory=after, audit=audit, detail={"operation_id": operation_id}, before=target, erases=erases)


def closed_memories(request: Candidate, shown: Sequence[Memory], view: RunMemoryView) -> list[Memory]:
    """Return the closed memories that match a forget request or were superseded by `shown` or by another match."""
    ids = {memory.memory_id for memory in shown}
    ended = [memory for memory in view.closed() if memory.memory_id not in ids]
    before = ids | {memory.supersedes for memory in shown}
    with_content = (item for item in ended if item.content)
    memories = [item for item in with_content if item.superseded_by in before or is_about(request.content, item.content)]
    older = {memory.memory_id for memory in memories}
    while more := [item for item in ended if item.memory_id not in older and item.content and item.superseded_by in older]:
        memories += more
        older |= {memory.memory_id for memory in more}
    return memories


def interactions_telling(request: Candidate, context: RunContext) -> tuple[str, ...]:
    """Return the ids of earlier interactions that mention the subject of a forget request, even if no memory mentions it."""
    since, until = context.caller.now - context.night.text_retention, request.event_time or context.caller.now
    runs = [run for run in context.night.runs.newest(context.user_id, RUNS_WITH_WORDS) if run.started_at >= since]
    return tuple(
        entry.interaction_id
        for entry, texts in recorded_entries(runs, context)
        if (entry.time if entry.time.tzinfo else entry.time.replace(tzinfo=until.tzinfo)) <= until
        and any(is_about(request.content, part.text) for text in texts for part in sentences(text))
    )


def _compute_remaining_text(request: Candidate, memory: Memory, context: RunContext) -> str:
    """Return the sentences that a request doesn't cover. For a merge, they come from its sources, which may contain more."""
    records = context.ports.records
    ids = made_of(memory, records)
    sources = [memory for memory in records.get(memory.user_id, sorted(ids)) if memory.content]
    if not ids or len(sources) < len(ids):
        return text_without(request.content, memory.content)
    left: list[Stored] = []
    for source in sources:
        text = text_without(request.content, source.content) if mentions(request.content, source.content) else source.content
        if text:
            left.append(Stored(source.model_copy(update={"raw_text": text, "normalized_text": text}), None))
    return Sources.of(left, context.caller, context.ports).text
