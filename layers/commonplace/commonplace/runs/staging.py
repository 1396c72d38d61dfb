"""A change of many memories as a run: planned and kept for review first, applied by its id, or both at once."""

import time
from collections.abc import Callable, Sequence
from datetime import timedelta

from commonplace.domain.errors import CommonplaceError, ErrorCode
from commonplace.domain.ids import may_be_id, new_run_id
from commonplace.domain.interactions import RunReport
from commonplace.domain.runs import Outcome, Run, RunKind, RunOperation
from commonplace.ports.bundle import Ports
from commonplace.ports.values import Caller, Clock
from commonplace.runs import apply, report, undo
from commonplace.runs.apply import Lease, Progress, RunContext
from commonplace.runs.limits import most_replacements
from commonplace.runs.plan import Plan, review_part
from commonplace.runs.renaming import keep_renamed

KEPT_FOR = timedelta(days=7)
"""How long a plan that nobody applied or discarded can be applied."""
_WAITS = "nothing was changed: apply it by its run_id within 7 days, or discard it"
_TOO_MANY = "it is more than a model may change in a day: a person approves or discards it"
_MOST_RUNS = 100

Planner = Callable[[RunContext], Plan]
"""Makes the plan of a run, with every operation `planned` that is to be done."""
Publish = Callable[[Run, RunContext], str | None]
"""Writes what follows a run that was applied, while its lease is held; what it could not is told in the run's notes."""


def run_context(caller: Caller, ports: Ports, progress: Progress | None = None) -> RunContext:
    """The context of a run that a tool makes; its clock goes on from the caller's."""
    if ports.night is None:
        raise CommonplaceError(ErrorCode.INTERNAL, "this way in has no runs")
    begun = time.monotonic()
    clock: Clock = lambda: caller.now + timedelta(seconds=time.monotonic() - begun)  # noqa: E731
    return RunContext(caller, ports, ports.night(), clock, progress)


def change_many(
    kind: RunKind, planner: Planner, context: RunContext, *, dry_run: bool, run_id: str | None = None,
    publish: Publish = lambda _run, _context: None,
) -> RunReport:  # fmt: skip
    """Plans, applies, or both: `dry_run` keeps the plan for review, a `run_id` is a plan kept before.

    With `run_id` and `dry_run` the kept plan, or what became of it, is told. What changed since it was planned is `lost`.
    Of a model's, what is more than a night may replace waits for review. Raises `CONFLICT` while another run of the user is
    at work, `NOT_FOUND` for no such run of this kind, and `INVALID_ARGUMENT` for a plan that is older than seven days: then
    it is discarded.
    """
    if run_id is not None and dry_run:
        return report.report(kept_run(kind, run_id, context), context)
    with apply.exclusive_lease(context) as lease:
        _discard_old(context, lease)
        if run_id is not None:
            run = kept_run(kind, run_id, context)
            _refuse_discarded(run)
            if _is_too_much(run.operations, context):
                return report.report(_noted(run, _TOO_MANY), context)
            run = undo.approve(run, context, lease)
            return report.report(_published(run, context, lease, publish), context)
        plan = planner(context)
        run = _new_run(kind, plan, context)
        if not plan.operations:
            return report.report_plan(run.model_copy(update={"status": "done", "finished_at": context.clock()}), ())
        if dry_run:
            return _stage(run, plan, context, lease, _WAITS)
        if _is_too_much([one.told for one in plan.operations], context):
            return _stage(run, plan, context, lease, _TOO_MANY)
        keep_renamed(run, context, lease)
        run = apply.apply_plan(run, plan, context, lease)
        return report.report(_published(run, context, lease, publish), context)


def kept_run(kind: RunKind, run_id: str, context: RunContext) -> Run:
    """The run of that id and kind; `NOT_FOUND` if there is none."""
    run = context.night.runs.get(context.user_id, run_id) if may_be_id(run_id) else None
    if run is None or run.kind != kind:
        raise CommonplaceError(ErrorCode.NOT_FOUND, f"run_id: no run of this kind ({kind}) has this id", "run_id")
    return run


def _new_run(kind: RunKind, plan: Plan, context: RunContext) -> Run:
    now = context.caller.now
    return Run(
        run_id=new_run_id(now), user_id=context.user_id, kind=kind, date=now.date(), notes=plan.notes, dropped=plan.dropped,
        candidates=plan.candidates, tags=plan.tags, archived=plan.archived, backup_id=plan.backup_id,
        started_at=now,
    )  # fmt: skip


def _stage(run: Run, plan: Plan, context: RunContext, lease: Lease, why: str) -> RunReport:
    """Keeps the plan: each operation waits for review, as one of a night does."""
    waiting = [one.with_outcome("needs_review") if one.told.outcome == "planned" else one for one in plan.operations]
    for one in waiting:
        if one.told.outcome == "needs_review":
            lease.renew()
            context.night.parts.save_part(run, review_part(one.told.operation_id), one.model_dump_json(), lease.fence)
    ended = {"status": "needs_review", "finished_at": context.clock(), "operations": tuple(one.told for one in waiting)}
    run = run.model_copy(update=ended)
    context.night.runs.save(run, lease.fence)  # after its parts: a run that is there can be applied
    return report.report_plan(_noted(run, why), waiting)


def _is_too_much(operations: Sequence[RunOperation], context: RunContext) -> bool:
    """Whether a model would change more memories in a day than a night may replace."""
    if context.caller.admin:
        return False
    today = [run for run in context.night.runs.newest(context.user_id, _MOST_RUNS) if run.date == context.caller.now.date()]
    spent = sum(_changed(run.operations, "applied") for run in today if run.kind not in ("nightly", "undo"))
    wanted = _changed(operations, "planned") + _changed(operations, "needs_review")
    memories = sum(memory.status == "active" for memory in context.ports.records.all(context.user_id))
    return wanted > 0 and spent + wanted > most_replacements(memories)


def _changed(operations: Sequence[RunOperation], outcome: Outcome) -> int:
    """How many memories operations change; what takes the place of others counts as those."""
    return sum(len(one.closed) or 1 for one in operations if one.outcome == outcome)


def _published(run: Run, context: RunContext, lease: Lease, publish: Publish) -> Run:
    trouble = publish(run, context)
    if trouble is None:
        return run
    run = _noted(run, trouble)
    context.night.runs.save(run, lease.fence)
    return run


def _noted(run: Run, note: str) -> Run:
    return run.model_copy(update={"notes": (*run.notes, note)})


def _refuse_discarded(run: Run) -> None:
    if any(one.outcome == "discarded" for one in run.operations):
        raise CommonplaceError(ErrorCode.INVALID_ARGUMENT, "run_id: was discarded; plan anew", "run_id")


def _discard_old(context: RunContext, lease: Lease) -> None:
    """Discards what was planned more than seven days ago: its words go too."""
    for run in context.night.runs.newest(context.user_id, _MOST_RUNS):
        old = context.caller.now - run.started_at > KEPT_FOR
        if old and run.status == "needs_review" and run.kind not in ("nightly", "undo"):
            undo.discard(run, context, lease)
