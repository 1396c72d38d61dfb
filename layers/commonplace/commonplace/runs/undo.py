"""Undo and review: a run or one operation undone, approved or discarded."""

from collections.abc import Sequence
from dataclasses import replace

from commonplace.domain.errors import CommonplaceError, ErrorCode
from commonplace.domain.ids import may_be_id, new_run_id
from commonplace.domain.runs import OF_FILES, Run
from commonplace.domain.transfer import BY_WHOM
from commonplace.ports.values import Applied
from commonplace.runs import resume
from commonplace.runs.apply import Lease, RunContext
from commonplace.runs.finalize import drop_renamed, erase_forgotten, keep_renamed
from commonplace.runs.plan import Plan, PlannedOperation, with_outcome
from commonplace.runs.undo_plan import UndoPlanner

_VERBS = {"import": "import", "restore": "runs approve", "migration": "migrate"}
_NOT_BEGUN = "it was discarded before a worker had planned it"
_GIVING_ALIASES = ("migration", "import", "restore", "undo")
_NOTHING = "there was nothing to take back"


def approve(run: Run, context: RunContext, lease: Lease) -> Run:
    """Applies what waits for review; where a memory was changed since, the operation is `lost`. Harmless twice.

    Where the call has no time for all of it the run is `running` afterwards, for a worker to go on with. Raises
    `FORBIDDEN` where a file's memories would come in and no person or program asks.
    """
    if run.kind in OF_FILES and not context.caller.admin:
        raise CommonplaceError(ErrorCode.FORBIDDEN, f"that may do {BY_WHOM.format(verb=_VERBS[run.kind])}")
    if any(one.outcome == "needs_review" for one in run.operations):
        keep_renamed(run, context, lease)  # first: a name that nobody has any more leads on, whatever dies in between
    reviewed = resume.go_through(run, run.operations, lambda told: [resume.approved(told, run, lease)], lease)
    if reviewed.finished_at is None:  # the rest is for a worker, or for whoever comes first
        reviewed = reviewed.model_copy(update={"status": "running"})
        context.night.runs.save(reviewed, lease.fence)
        return reviewed
    approved = erase_forgotten(run.model_copy(update={"operations": reviewed.operations}), context, lease)
    return _save_review(approved, run, context, lease)


def discard(run: Run, context: RunContext, lease: Lease) -> Run:
    """Discards what waits for review, or for a worker to plan it. Harmless twice."""
    if run.status == "queued":
        run = run.model_copy(update={"status": "done", "finished_at": context.clock(), "notes": (*run.notes, _NOT_BEGUN)})
        context.night.runs.save(run, lease.fence)
        context.night.parts.drop_parts(run.user_id, run.run_id)
        return run
    operations = tuple(with_outcome(one, "discarded") if one.outcome == "needs_review" else one for one in run.operations)
    return _save_review(run.model_copy(update={"operations": operations}), run, context, lease)


def _save_review(run: Run, before: Run, context: RunContext, lease: Lease) -> Run:
    if run.operations == before.operations:
        return run
    run = run.model_copy(update={"status": "done" if run.status == "needs_review" else run.status})
    context.night.runs.save(run, lease.fence)
    context.night.parts.drop_parts(run.user_id, run.run_id)
    return run


def undo_run(run: Run, context: RunContext, lease: Lease, reread: bool = False) -> Run:
    """Undoes a run; what waits for review is discarded. `reread`: its interactions are read once more.

    Every memory is as it was but for version, time of writing and usage. What was changed since, whose key was taken
    meanwhile, or whose words were erased stays as it is and is listed as `kept`. Harmless twice.
    """
    run = discard(run, context, lease)
    applied = [context.ports.operations.applied(context.user_id, one.operation_id) for one in run.operations]
    undone = _undo(run.run_id, [one for one in applied if one is not None], context, lease)
    _turn_aliases(run, undone, context)
    _turn_names(run, context, lease)
    if reread:
        context.night.ledger.reread(context.user_id, run.interactions)
    return undone


def _turn_names(run: Run, context: RunContext, lease: Lease) -> None:
    """The names that a run gave to tags go with it; they are back when its undo is undone."""
    if run.kind == "tags":
        drop_renamed(run, context, lease)
    made = context.night.runs.get(run.user_id, run.undoes) if run.kind == "undo" and run.undoes else None
    if made is not None:
        keep_renamed(made, context, lease)


def _turn_aliases(run: Run, undone: Run, context: RunContext) -> None:
    """The aliases that a run gave go with it, but for those of what is kept; they are back when its undo is undone."""
    if run.kind not in _GIVING_ALIASES:
        return
    made_by, withdrawn = (run.undoes, False) if run.kind == "undo" else (run.run_id, True)
    kept = {one.memory_id for one in undone.operations if withdrawn and one.outcome == "kept"}
    aliases = context.ports.aliases
    given = [one for one in aliases.all(context.user_id) if one.run_id == made_by and one.memory_id not in kept]
    aliases.add(context.user_id, [replace(one, withdrawn=withdrawn) for one in given])


def last_operation(context: RunContext) -> str:
    """The id of the operation that was applied last and is no undo; `NOT_FOUND` if there is none.

    The operations of one run have the run's time: of them it is the last that the run made.
    """
    newest = context.ports.operations.newest(context.user_id)
    if newest is None:
        raise CommonplaceError(ErrorCode.NOT_FOUND, "operation_id: there is no operation yet", "operation_id")
    run = context.night.runs.get(context.user_id, newest.run_id) if newest.run_id else None
    made = [one.operation_id for one in run.operations if one.outcome == "applied"] if run else []
    return made[-1] if made else newest.operation_id


def undo_operation(operation_id: str, context: RunContext, lease: Lease) -> Run:
    """Undoes one operation; `NOT_FOUND` if it was never applied."""
    applied = context.ports.operations.applied(context.user_id, operation_id) if may_be_id(operation_id) else None
    if applied is None:
        raise CommonplaceError(ErrorCode.NOT_FOUND, "operation_id: no such operation was applied", "operation_id")
    return _undo(operation_id, [applied], context, lease)


def _undo(undoes: str, applied: Sequence[Applied], context: RunContext, lease: Lease) -> Run:
    now = context.caller.now
    restoring = UndoPlanner(context.user_id, undoes, now, context.ports.records, context.ports.operations)
    operations = restoring.plan(applied)
    kept = [PlannedOperation(told=reported, at=now) for reported in restoring.kept]
    run = Run(
        run_id=new_run_id(now),
        user_id=context.user_id,
        kind="undo",
        date=now.date(),
        undoes=undoes,
        notes=() if operations or kept else (_NOTHING,),
        started_at=now,
    )
    return resume.apply_plan(run, Plan(operations=(*operations, *kept)), context, lease)
