"""Change many memories in a run. Plan a run for review and apply it by id, or do both in one call."""

import time
from collections.abc import Callable, Sequence
from datetime import timedelta

from commonplace.domain.errors import CommonplaceError, ErrorCode, invalid
from commonplace.domain.fields import Request
from commonplace.domain.interactions import RunReport
from commonplace.domain.runs import Outcome, Run, RunKind, RunOperation
from commonplace.memories.transitions import PLAN_TTL, believed
from commonplace.ports.bundle import Ports
from commonplace.ports.values import Caller, Clock, OutOfTime
from commonplace.runs import report, undo
from commonplace.runs.apply import Lease, Plan, Progress, RunContext, leased, review_part
from commonplace.runs.finalize import keep_renamed
from commonplace.runs.limits import most_replacements
from commonplace.runs.queueing import apply_plan, drop_request, exclusive_lease, new_run, parse_run, queued, resume, taken_up

_WAITS = "nothing was changed: apply it by its run_id within 7 days, or discard it"
_TOO_MANY = "it is more than a model may change in a day: a person approves or discards it"
_MOST_RUNS = 100
Planner = Callable[[RunContext], Plan]
"""A function that plans a run. The operations to apply have the outcome `planned`."""
Publish = Callable[[Run, RunContext], str | None]
"""A callback that publishes an applied run while the lease is held. It returns a note if publishing fails, else None."""


def run_context(caller: Caller, ports: Ports, progress: Progress | None = None) -> RunContext:
    """Create the context for a tool's run. The context's clock starts at the caller's time."""
    if ports.night is None:
        raise CommonplaceError(ErrorCode.INTERNAL, "this interface has no runs")
    begun = time.monotonic()
    clock: Clock = lambda: caller.now + timedelta(seconds=time.monotonic() - begun)  # noqa: E731
    return RunContext(caller, ports, ports.night(), clock, progress or ports.progress)


def change_many(
    kind: RunKind, planner: Planner, context: RunContext, *, dry_run: bool, run_id: str | None = None,
    request: Request | None = None, publish: Publish = lambda _run, _context: None,
) -> RunReport:  # fmt: skip
    """Plan and apply changes. If `dry_run` is true, only store the plan for review. If `run_id` is given, apply that plan.

    If both are given, report the stored plan or its outcome. An operation is `lost` if its memory has changed since planning.
    If a model calls, changes beyond a nightly run's limit wait for review. If the call runs out of time, the run is `queued`
    or `running`, and a worker continues it with `request`. Raises `CONFLICT` while another run of the user is active,
    `NOT_FOUND` for an unknown run of this kind, and `INVALID_ARGUMENT` for a plan older than seven days.
    """
    if run_id is not None:
        run = parse_run(kind, run_id, context)
        if dry_run or run.is_at_work:
            return _build_report(run, context)
    with exclusive_lease(context) as lease:
        _discard_old(context, lease)
        if run_id is not None:
            run = _approve_run(parse_run(kind, run_id, context), context, lease)
            report = _build_report(_publish_run(run, context, lease, publish), context)
        else:
            report = _plan_run(kind, planner, context, lease, dry_run, request, publish)
    context.hand_over(report.run)
    return report


def go_on(run: Run, context: RunContext, publish: Publish) -> Run:
    """Continue applying a run. The run stays `running` if the call runs out of time."""
    with leased(context) as lease:
        run = parse_run(run.kind, run.run_id, context)
        if run.status == "running":
            run = _publish_run(resume(run, context, lease), context, lease, publish)
    context.hand_over(run)
    return run


def _plan_run(
    kind: RunKind, planner: Planner, context: RunContext, lease: Lease, dry_run: bool, request: Request | None,
    publish: Publish,
) -> RunReport:  # fmt: skip
    """Plan a new or queued run, then apply it or store it for review. Queues it with `request` if the time runs out."""
    goes_on = context.caller.goes_on
    run = new_run(kind, context) if goes_on is None else taken_up(parse_run(kind, goes_on, context), context, lease)
    if goes_on is not None and run.status != "queued":
        return _build_report(run, context)
    try:
        plan = planner(context)
        planned = run.model_copy(update={
            "status": "running", "notes": plan.notes, "dropped": plan.dropped, "candidates": plan.candidates,
            "tags": plan.tags, "archived": plan.archived, "result": plan.result,
            "backup_id": plan.backup_id,
        })  # fmt: skip
        if not plan.operations:
            return _report_empty_plan(planned, context, lease)
        if dry_run:
            return _store_for_review(planned, plan, context, lease, _WAITS)
        if _exceeds_limits([planned.told for planned in plan.operations], context):
            return _store_for_review(planned, plan, context, lease, _TOO_MANY)
    except OutOfTime:
        if request is None:
            raise
        return RunReport(run=queued(run, request, None, context, lease), operations=())
    keep_renamed(planned, context, lease)
    return _build_report(_publish_run(apply_plan(planned, plan, context, lease), context, lease, publish), context)


def _build_report(run: Run, context: RunContext) -> RunReport:
    return RunReport(run=run, operations=()) if run.is_at_work else report.report(run, context)


def _approve_run(run: Run, context: RunContext, lease: Lease) -> Run:
    """Apply a plan in review, unless it exceeds a model's limit. Raises `INVALID_ARGUMENT` for a discarded or old plan."""
    if any(operation.outcome == "discarded" for operation in run.operations):
        raise invalid("run_id", "was discarded; plan anew")
    if run.status == "needs_review" and context.caller.now - run.started_at > PLAN_TTL:
        raise invalid("run_id", "is older than seven days; plan anew")
    return _add_note(run, _TOO_MANY) if _exceeds_limits(run.operations, context) else undo.approve(run, context, lease)


def _report_empty_plan(run: Run, context: RunContext, lease: Lease) -> RunReport:
    """Report an empty plan. The run is stored only if the caller already knows the run's id."""
    run = run.model_copy(update={"status": "done", "finished_at": context.clock()})
    if context.caller.goes_on is not None:
        context.night.runs.save(run, lease.fence)
        drop_request(run, context, [])
    return report.report_plan(run, ())


def _store_for_review(run: Run, plan: Plan, context: RunContext, lease: Lease, why: str) -> RunReport:
    """Store a plan for review. A new run is unfinished until its plan is stored, so the next call cleans up after a crash."""
    runs, is_new = context.night.runs, context.caller.goes_on is None
    waiting = [step.with_outcome("needs_review") if step.told.outcome == "planned" else step for step in plan.operations]
    in_review = [planned for planned in waiting if planned.told.outcome == "needs_review"]
    if is_new:
        runs.save(run, lease.fence)
    try:
        for planned in context.ports.in_time(in_review):
            lease.renew()
            context.night.parts.save_part(run, review_part(planned.told.operation_id), planned.model_dump_json(), lease.fence)
    except OutOfTime:
        if is_new:
            runs.close(run.model_copy(update={"status": "queued"}), {}, lease.fence)
        raise
    ended = {"status": "needs_review", "finished_at": context.clock(), "operations": tuple(step.told for step in waiting)}
    run = run.model_copy(update=ended)
    runs.close(run, {}, lease.fence)  # after its parts are saved, because a run in review can be applied
    drop_request(run, context, [review_part(planned.told.operation_id) for planned in in_review])
    return report.report_plan(_add_note(run, why), waiting)


def _exceeds_limits(operations: Sequence[RunOperation], context: RunContext) -> bool:
    """Return whether the day's changes by models would exceed the number of memories that a nightly run may replace."""
    if context.caller.admin:
        return False
    today = [run for run in context.night.runs.newest(context.user_id, _MOST_RUNS) if run.date == context.caller.now.date()]
    spent = sum(_count_changed(run.operations, "applied") for run in today if run.kind not in ("nightly", "undo"))
    wanted = _count_changed(operations, "planned") + _count_changed(operations, "needs_review")
    memories = sum(memory.status == "active" for memory in context.ports.records.all(context.user_id))
    return wanted > 0 and spent + wanted > most_replacements(memories)


def _count_changed(operations: Sequence[RunOperation], outcome: Outcome) -> int:
    """Count the changed memories. An operation counts once for each memory that it closes, but at least once."""
    return sum(len(operation.closed) or 1 for operation in operations if operation.outcome == outcome)


def _publish_run(run: Run, context: RunContext, lease: Lease, publish: Publish) -> Run:
    """Publish a run that is neither running nor in review. If publishing fails, add a note to the run and save it."""
    trouble = None if run.status in ("running", "needs_review") else publish(run, context)
    if trouble is None:
        return run
    run = _add_note(run, trouble)
    context.night.runs.save(run, lease.fence)
    return run


def _add_note(run: Run, note: str) -> Run:
    return run.model_copy(update={"notes": (*run.notes, note)})


def _discard_old(context: RunContext, lease: Lease) -> None:
    """Discard plans that are older than seven days, with their texts, unless the clock seems wrong."""
    runs = context.night.runs.newest(context.user_id, _MOST_RUNS)
    now = believed(context.caller.now.timestamp(), [run.started_at.timestamp() for run in runs], PLAN_TTL.total_seconds())
    for run in runs:
        old = now - run.started_at.timestamp() > PLAN_TTL.total_seconds()
        if old and run.status in ("needs_review", "queued") and run.kind not in ("nightly", "undo"):
            undo.discard(run, context, lease)
