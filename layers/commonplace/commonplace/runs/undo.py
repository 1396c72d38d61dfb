"""Undo a run or an operation, and approve or discard operations in review. An undo is planned before it is written."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from commonplace.domain.errors import CommonplaceError, ErrorCode
from commonplace.domain.ids import may_be_id, new_operation_id, new_run_id
from commonplace.domain.memory import Memory
from commonplace.domain.runs import OF_FILES, Run, RunOperation
from commonplace.domain.transfer import ADMINS
from commonplace.memories import transitions
from commonplace.memories.lineage import successors
from commonplace.memories.transitions import TAGS_BEFORE, replaced_tags
from commonplace.ports.records import MemoryRecords, Operations
from commonplace.ports.values import Applied, AppliedChange, Audit
from commonplace.runs import queueing
from commonplace.runs.apply import Lease, Plan, PlannedChange, PlannedOperation, RunContext, with_outcome
from commonplace.runs.finalize import drop_renamed, erase_forgotten, keep_renamed

_NO_CHANGE = ("embed", "usage")  # audit operations of re-embedding and of usage counts
_OF_ITS_OWN = {"version", "updated_at", "access_count", "last_accessed"}
_GONE = "it is not there any more"
_ERASED = "its words were erased and can't be restored"
_PARTLY_ERASED = "it is the rest of a memory whose words were erased"
_CHANGED = "it was changed since"
_SUCCESSOR = "its replacement was changed since"
_KEY = "its key was taken meanwhile"


@dataclass
class UndoPlanner:
    """Plans one undo. `undoes` is the id of the run or operation to undo."""

    user_id: str
    undoes: str
    now: datetime
    records: MemoryRecords
    operations: Operations
    goals: dict[str, tuple[Memory, Memory]] = field(default_factory=dict)
    """The current state and the target state of each memory, by memory id."""
    made: set[str] = field(default_factory=set)
    """The ids of all memories that the operations changed."""
    unchanged: list[RunOperation] = field(default_factory=list)

    def plan(self, applied: Sequence[Applied]) -> list[PlannedOperation]:
        """Return the operations that undo `applied`. Memories that can't be restored are added to `unchanged`."""
        made: dict[str, list[AppliedChange]] = {}
        ids = dict.fromkeys(change.memory_id for operation in applied for change in operation.made)
        self.made |= ids.keys()
        current = {memory.memory_id: memory for memory in self.records.get(self.user_id, list(ids))}
        back = {
            change.memory_id
            for operation in applied
            for change in operation.made
            if (change.before is not None and change.before.get("status") == "active")
        }
        for operation in applied:
            leaves = any(_is_unrecoverable(change, current.get(change.memory_id)) for change in operation.made)
            leaves &= all(change.memory_id not in back for change in operation.made if _is_move(change))
            for change in operation.made:
                if leaves and (change.before is None or _is_move(change)):
                    self._report_unchanged(change.memory_id, _PARTLY_ERASED)
                else:
                    made.setdefault(change.memory_id, []).append(change)
        ours = {name for applied in applied for name in (applied.operation_id, applied.run_id) if name} | {self.undoes}
        for memory_id, changes in made.items():
            in_order = sorted(changes, key=lambda change: change.version)
            self._set_goal(memory_id, current.get(memory_id), in_order, ours)
        reopening = list(self._plan_reopening())  # evaluated first, because this removes goals
        remaining = [
            self._plan_step(None if goal.status != "active" else (current, goal), [(current, goal)])
            for current, goal in self.goals.values()
        ]
        return [*reopening, *remaining]

    def _set_goal(self, memory_id: str, current: Memory | None, changes: Sequence[AppliedChange], ours: set[str]) -> None:
        """Set the state to restore for a memory, or report the reason that the memory stays unchanged."""
        if current is None:
            return self._report_unchanged(memory_id, _GONE)
        if not current.content or any(change.erased for change in changes):
            return self._report_unchanged(memory_id, _ERASED)
        later = changes_since(current, changes[-1].version, self.records)
        if any(not ({audit.detail.get("undoes"), audit.detail.get("operation_id")} & ours) for audit in later):
            return self._report_unchanged(memory_id, _CHANGED)
        goal = _restore_state(current, changes, self.now, self.records)
        if _dump_restorable_fields(goal) != _dump_restorable_fields(current):
            self.goals[memory_id] = (current, goal)
        return None

    def _plan_reopening(self) -> Iterable[PlannedOperation]:
        """Yield an operation for each reopened memory, which also closes the memories that replaced it or hold its key.

        Intermediate values are closed by separate operations, because the number of changes in an operation is limited.
        """
        back = [goal for goal in self.goals.values() if goal[1].status == "active" and goal[0].status != "active"]
        for current, _ in back:
            del self.goals[current.memory_id]
        going = {memory_id for memory_id, (_, other) in self.goals.items() if other.status != "active"}
        for current, goal in back:
            later = successors(current, self.records)
            holder = None if goal.key is None else self.operations.holder(self.user_id, goal.collection, goal.key, self.now)
            opened = current.superseded_by in self.made  # otherwise the memory was closed in favour of an older memory
            if opened and any(memory.status == "active" and memory.memory_id not in going for memory in later):
                self._report_unchanged(current.memory_id, _SUCCESSOR)
            elif holder is not None and holder.memory_id not in going:
                self._report_unchanged(current.memory_id, _KEY)
            else:
                ids = dict.fromkeys(memory_id.memory_id for memory_id in (*later, *((holder,) if holder else ())))
                # a memory that replaced several others is closed with the first of them
                blocking = [
                    memory_id
                    for memory_id in ids
                    if memory_id in going & self.goals.keys() and self.goals[memory_id][0].status == "active"
                ]
                yield self._plan_step((current, goal), [self.goals.pop(memory_id) for memory_id in blocking])

    def _plan_step(self, opened: tuple[Memory, Memory] | None, closed: Sequence[tuple[Memory, Memory]]) -> PlannedOperation:
        """Return one operation that restores memories. Each pair contains a memory's current and its target state."""
        operation_id = new_operation_id(self.now)
        opens = self._build_change(*opened, operation_id) if opened else None
        closes = tuple(self._build_change(*pair, operation_id) for pair in closed if opened is None or pair[0] != opened[0])
        reported = RunOperation(
            operation_id=operation_id,
            kind="UNDO",
            outcome="planned",
            memory_id=opens.memory.memory_id if opens else None,
            closed=tuple(change.memory.memory_id for change in closes),
            why=f"takes back {self.undoes}",
        )
        return PlannedOperation(told=reported, at=self.now, opens=opens, closes=closes)

    def _build_change(self, current: Memory, goal: Memory, operation_id: str) -> PlannedChange:
        after = goal.model_copy(update={"version": current.version}).next_version(self.now)
        detail = {"operation_id": operation_id, "undoes": self.undoes, **replaced_tags(current, after)}
        return PlannedChange(memory=after, audit="undo", detail=detail, before=current)

    def _report_unchanged(self, memory_id: str, why: str) -> None:
        reported = RunOperation(
            operation_id=new_operation_id(self.now), kind="UNDO", outcome="kept", memory_id=memory_id, why=why
        )
        self.unchanged.append(reported)


def changes_since(memory: Memory, version: int, records: MemoryRecords) -> list[Audit]:
    """Return the audits of a memory's changes after a version, except for usage counts and re-embedding."""
    if memory.version == version:
        return []
    made = _map_audits_to_versions(memory, records).items()
    return [audit for later, audit in made if later > version and audit.operation not in _NO_CHANGE]


def _map_audits_to_versions(memory: Memory, records: MemoryRecords) -> dict[int, Audit]:
    """Return the audits by version. Each write has one audit, but an imported memory has none for earlier writes."""
    audits = records.audits(memory.user_id, memory.memory_id)
    return dict(enumerate(audits, max(1, memory.version - len(audits) + 1)))


def _is_move(change: AppliedChange) -> bool:
    """Return whether a change marked a memory as replaced by another one."""
    return change.before is not None and "superseded_by" in change.before


def _is_unrecoverable(change: AppliedChange, memory: Memory | None) -> bool:
    """Return whether a change replaced a text that has been erased or purged since."""
    if change.before is None or _is_move(change):
        return False
    return change.erased or memory is None or not memory.content


def _restore_state(memory: Memory, changes: Sequence[AppliedChange], now: datetime, records: MemoryRecords) -> Memory:
    """Restore the fields that `changes` (oldest first) replaced. If the first change created the memory, delete it."""
    if changes[0].before is None:
        return memory if memory.status == "deleted" else transitions.deleted(memory, now)
    fields = memory.model_dump(mode="json")
    for change in reversed(changes):
        fields |= change.before or {}
    return Memory.model_validate({**fields, **_find_replaced_tags(memory, changes, records)})


def _find_replaced_tags(memory: Memory, changes: Sequence[AppliedChange], records: MemoryRecords) -> Mapping[str, object]:
    """Return the replaced tags from the audits. The result is empty if the changes only opened or closed the memory."""
    if all("status" in (change.before or {}) for change in changes):
        return {}
    audits = _map_audits_to_versions(memory, records)
    details = [audits[change.version].detail for change in changes if change.version in audits]
    return next(({"tags": detail[TAGS_BEFORE]} for detail in details if TAGS_BEFORE in detail), {})


def _dump_restorable_fields(memory: Memory) -> dict[str, object]:
    return memory.model_dump(exclude=_OF_ITS_OWN)


_VERBS = {"import": "import", "restore": "runs approve", "migration": "migrate"}
_NOT_BEGUN = "it was discarded before a worker had planned it"
_GIVING_ALIASES = ("migration", "import", "restore")
_NOTHING = "there was nothing to take back"


def approve(run: Run, context: RunContext, lease: Lease) -> Run:
    """Apply the operations that wait for review. An operation is `lost` if its memory has changed since.

    If the call runs out of time, the run becomes `running` and a worker continues it. The call is safe to repeat. Raises
    `FORBIDDEN` if a model approves a run that imports a file.
    """
    if run.kind in OF_FILES and not context.caller.admin:
        raise CommonplaceError(ErrorCode.FORBIDDEN, f"that may do {ADMINS.format(verb=_VERBS[run.kind])}")
    if any(operation.outcome == "needs_review" for operation in run.operations):
        keep_renamed(run, context, lease)  # before the changes, so that old tag names work even after a crash
    reviewed = queueing.go_through(run, run.operations, lambda operation: [queueing.approved(operation, run, lease)], lease)
    if reviewed.finished_at is None:  # a worker or the next call applies the rest
        reviewed = reviewed.model_copy(update={"status": "running"})
        context.night.runs.save(reviewed, lease.fence)
        return reviewed
    approved = erase_forgotten(run.model_copy(update={"operations": reviewed.operations}), context, lease)
    return _save_review(approved, run, context, lease)


def discard(run: Run, context: RunContext, lease: Lease) -> Run:
    """Discard a queued run, or the operations of a run that wait for review. The call is safe to repeat."""
    if run.status == "queued":
        run = run.model_copy(update={"status": "done", "finished_at": context.clock(), "notes": (*run.notes, _NOT_BEGUN)})
        context.night.runs.save(run, lease.fence)
        context.night.parts.drop_parts(run.user_id, run.run_id)
        return run
    operations = tuple(with_outcome(step, "discarded") if step.outcome == "needs_review" else step for step in run.operations)
    return _save_review(run.model_copy(update={"operations": operations}), run, context, lease)


def _save_review(run: Run, before: Run, context: RunContext, lease: Lease) -> Run:
    """Save a reviewed run, which is done if it was in review, and drop its parts. Do nothing if no operation changed."""
    if run.operations == before.operations:
        return run
    run = run.model_copy(update={"status": "done" if run.status == "needs_review" else run.status})
    context.night.runs.save(run, lease.fence)
    context.night.parts.drop_parts(run.user_id, run.run_id)
    return run


def undo_run(run: Run, context: RunContext, lease: Lease, reread: bool = False) -> Run:
    """Undo a run and discard its operations that wait for review. If `reread` is true, its interactions are read again.

    All fields except version, time of writing and usage are restored. A memory stays unchanged and is listed as
    `kept` if it has since changed, lost its key to another or had its text erased. The call is safe to repeat.
    """
    run = discard(run, context, lease)
    first, restores = _find_first_run(run, context)
    if restores:
        keep_renamed(first, context, lease)
    applied = [context.ports.operations.applied(context.user_id, operation.operation_id) for operation in run.operations]
    undone = _undo_applied(run.run_id, [applied for applied in applied if applied is not None], context, lease)
    _turn_aliases(first, restores, undone, context)
    if first.kind == "tags" and not restores:
        drop_renamed(first, context, lease)
    if reread:
        context.night.ledger.reread(context.user_id, run.interactions)
    return undone


def _find_first_run(run: Run, context: RunContext) -> tuple[Run, bool]:
    """Return the run with which a chain of undos began, and whether undoing `run` restores its changes."""
    first, restores = run, False
    while first.kind == "undo" and first.undoes and (undone := context.night.runs.get(run.user_id, first.undoes)):
        first, restores = undone, not restores
    return first, restores


def _turn_aliases(first: Run, restores: bool, undone: Run, context: RunContext) -> None:
    """Withdraw the aliases that a run gave, except for those of unchanged memories, or restore them."""
    if first.kind not in _GIVING_ALIASES:
        return
    unchanged = {operation.memory_id for operation in undone.operations if not restores and operation.outcome == "kept"}
    aliases = context.ports.aliases
    given = [each for each in aliases.all(context.user_id) if each.run_id == first.run_id and each.memory_id not in unchanged]
    aliases.add(context.user_id, [replace(alias, withdrawn=not restores) for alias in given])


def last_operation(context: RunContext) -> str:
    """Return the id of the last applied operation that is not an undo. Raises `NOT_FOUND` if there is none.

    All operations in a run share one timestamp, so the last one is found by its position in the run.
    """
    newest = context.ports.operations.newest(context.user_id)
    if newest is None:
        raise CommonplaceError(ErrorCode.NOT_FOUND, "operation_id: there is no operation yet", "operation_id")
    run = context.night.runs.get(context.user_id, newest.run_id) if newest.run_id else None
    made = [operation.operation_id for operation in run.operations if operation.outcome == "applied"] if run else []
    return made[-1] if made else newest.operation_id


def undo_operation(operation_id: str, context: RunContext, lease: Lease) -> Run:
    """Undo one operation. Raises `NOT_FOUND` if the operation was never applied."""
    applied = context.ports.operations.applied(context.user_id, operation_id) if may_be_id(operation_id) else None
    if applied is None:
        raise CommonplaceError(ErrorCode.NOT_FOUND, "operation_id: no such operation was applied", "operation_id")
    return _undo_applied(operation_id, [applied], context, lease)


def _undo_applied(undoes: str, applied: Sequence[Applied], context: RunContext, lease: Lease) -> Run:
    """Undo applied operations in a new run of kind `undo`, and return that run. `undoes` is the id of what is undone."""
    now = context.caller.now
    restoring = UndoPlanner(context.user_id, undoes, now, context.ports.records, context.ports.operations)
    operations = restoring.plan(applied)
    unchanged = [PlannedOperation(told=reported, at=now) for reported in restoring.unchanged]
    run = Run(
        run_id=new_run_id(now),
        user_id=context.user_id,
        kind="undo",
        date=now.date(),
        undoes=undoes,
        notes=() if operations or unchanged else (_NOTHING,),
        started_at=now,
    )
    return queueing.apply_plan(run, Plan(operations=(*operations, *unchanged)), context, lease)
