"""A change of many memories as a run: planned and kept for review first, applied by its id, or both at once."""

import time
from collections.abc import Callable
from datetime import timedelta

from commonplace.domain.errors import CommonplaceError, ErrorCode
from commonplace.domain.ids import may_be_id, new_run_id
from commonplace.domain.interactions import RunReport
from commonplace.domain.runs import Run, RunKind
from commonplace.ports.bundle import Ports
from commonplace.ports.values import Caller, Clock
from commonplace.runs import apply, report, undo
from commonplace.runs.apply import Lease, Progress, RunContext
from commonplace.runs.plan import Plan, review_part

KEPT_FOR = timedelta(days=7)
"""How long a plan that nobody applied or discarded can be applied."""
_WAITS = "nothing was changed: apply it by its run_id within 7 days, or discard it"
_MOST_RUNS = 100

Planner = Callable[[RunContext], Plan]
"""Makes the plan of a run, with every operation `planned` that is to be done."""


def run_context(caller: Caller, ports: Ports, progress: Progress | None = None) -> RunContext:
    """The context of a run that a tool makes; its clock goes on from the caller's."""
    if ports.night is None:
        raise CommonplaceError(ErrorCode.INTERNAL, "this way in has no runs")
    begun = time.monotonic()
    clock: Clock = lambda: caller.now + timedelta(seconds=time.monotonic() - begun)  # noqa: E731
    return RunContext(caller, ports, ports.night(), clock, progress)


def change_many(
    kind: RunKind, planner: Planner, context: RunContext, *, dry_run: bool, run_id: str | None = None
) -> RunReport:
    """Plans, applies, or both: `dry_run` keeps the plan for review, a `run_id` is a plan kept before.

    With `run_id` and `dry_run` the kept plan, or what became of it, is told. What changed since it was planned is `lost`.
    Raises `CONFLICT` while another run of the user is at work, `NOT_FOUND` for no such run of this kind, and
    `INVALID_ARGUMENT` for a plan that is older than seven days: then it is discarded.
    """
    if run_id is not None and dry_run:
        return report.report(kept_run(kind, run_id, context), context)
    with apply.exclusive_lease(context) as lease:
        _discard_old(context, lease)
        if run_id is not None:
            run = kept_run(kind, run_id, context)
            _refuse_discarded(run)
            return report.report(undo.approve(run, context, lease), context)
        plan = planner(context)
        run = _new_run(kind, plan, context)
        if dry_run:
            return _stage(run, plan, context, lease)
        if not plan.operations:
            return report.report_plan(run.model_copy(update={"status": "done", "finished_at": context.clock()}), ())
        return report.report(apply.apply_plan(run, plan, context, lease), context)


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
        candidates=plan.candidates, started_at=now,
    )  # fmt: skip


def _stage(run: Run, plan: Plan, context: RunContext, lease: Lease) -> RunReport:
    """Keeps the plan: each operation waits for review, as one of a night does."""
    ended = {"status": "done", "finished_at": context.clock()}
    if not plan.operations:
        return report.report_plan(run.model_copy(update=ended), ())
    waiting = [one.with_outcome("needs_review") if one.told.outcome == "planned" else one for one in plan.operations]
    for one in waiting:
        if one.told.outcome == "needs_review":
            lease.renew()
            context.night.parts.save_part(run, review_part(one.told.operation_id), one.model_dump_json(), lease.fence)
    told = tuple(one.told for one in waiting)
    run = run.model_copy(update={**ended, "status": "needs_review", "operations": told, "notes": (*run.notes, _WAITS)})
    context.night.runs.save(run, lease.fence)  # after its parts: a run that is there can be applied
    return report.report_plan(run, waiting)


def _refuse_discarded(run: Run) -> None:
    if any(one.outcome == "discarded" for one in run.operations):
        raise CommonplaceError(ErrorCode.INVALID_ARGUMENT, "run_id: was discarded; plan anew", "run_id")


def _discard_old(context: RunContext, lease: Lease) -> None:
    """Discards what was planned more than seven days ago: its words go too."""
    for run in context.night.runs.newest(context.user_id, _MOST_RUNS):
        old = context.caller.now - run.started_at > KEPT_FOR
        if old and run.status == "needs_review" and run.kind not in ("nightly", "undo"):
            undo.discard(run, context, lease)
