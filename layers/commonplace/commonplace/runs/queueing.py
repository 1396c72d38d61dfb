"""Queue long work as a run for a worker. Apply plans under a lease within a call's time, and complete them after a crash."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import timedelta
from typing import TypeVar

from pydantic import JsonValue

from commonplace.domain.errors import CommonplaceError, ErrorCode
from commonplace.domain.fields import FrozenPart, Notes, Request
from commonplace.domain.flaws import gathered
from commonplace.domain.ids import may_be_id, new_run_id
from commonplace.domain.runs import LongResult, Outcome, Run, RunKind, RunOperation
from commonplace.ports.values import OutOfTime
from commonplace.runs import apply
from commonplace.runs.apply import Lease, Plan, PlannedOperation, RunContext, leased, parse_saved, review_part, with_outcome

TOOLS: Mapping[RunKind, str] = {
    "tags": "optimize_tags", "merge": "merge_memories", "import": "import_memories", "export": "export_memories",
    "backup": "backup_restore", "restore": "backup_restore", "validation": "validate_storage", "repair": "repair_index",
}  # fmt: skip
"""Maps the kinds of runs that a worker can continue to the tools that create the runs."""
_REQUEST = "request"
_MOST_ATTEMPTS = 3
_NO_END = "a worker began it three times and did not get to its end"
_LOST = "the stored request can't be read any more; nothing was changed"
AnyResult = TypeVar("AnyResult", bound=LongResult)


class QueuedRequest(FrozenPart):
    """The request and caller of a queued run. Stored with the run, so that queue messages need not be trusted."""

    arguments: dict[str, JsonValue]
    agent_id: str
    admin: bool


def parse_run(kind: RunKind, run_id: str, context: RunContext) -> Run:
    """Return the run with this id and kind. Raises `NOT_FOUND` if no such run exists."""
    run = context.night.runs.get(context.user_id, run_id) if may_be_id(run_id) else None
    if run is None or run.kind != kind:
        raise CommonplaceError(ErrorCode.NOT_FOUND, f"run_id: no run of this kind ({kind}) has this id", "run_id")
    return run


def new_run(kind: RunKind, context: RunContext) -> Run:
    """Create a run that starts now."""
    now = context.caller.now
    return Run(run_id=new_run_id(now), user_id=context.user_id, kind=kind, date=now.date(), started_at=now)


def queued(run: Run, request: Request, so_far: dict[str, JsonValue] | None, context: RunContext, lease: Lease) -> Run:
    """Queue a run and its request for a worker, and drop the parts of an incomplete plan. `so_far` is the progress."""
    parts, caller = context.night.parts, context.caller
    parts.drop_parts(run.user_id, run.run_id, [_REQUEST])
    arguments = request.model_dump(mode="json", exclude_none=True)
    call = QueuedRequest(arguments=arguments, agent_id=caller.agent_id, admin=caller.admin)
    parts.save_part(run, _REQUEST, call.model_dump_json(), lease.fence)
    attempts = run.attempts if so_far == run.result else 0
    run = run.model_copy(update={"status": "queued", "result": so_far, "attempts": attempts})
    context.night.runs.save(run, lease.fence)
    return run


def stored_request(run: Run, context: RunContext) -> QueuedRequest:
    """Return the request of a queued run. Raises `NOT_FOUND` if the request is missing or invalid."""
    saved = context.night.parts.part(run.user_id, run.run_id, _REQUEST)
    try:
        return QueuedRequest.model_validate_json(saved or "")
    except ValueError:
        raise CommonplaceError(ErrorCode.NOT_FOUND, _LOST) from None


def taken_up(run: Run, context: RunContext, lease: Lease) -> Run:
    """Start a queued run in a worker, and drop its partial plan. After three unfinished attempts, the run is `failed`."""
    if run.status != "queued":
        return run
    if run.attempts >= _MOST_ATTEMPTS:
        return failed(run, _NO_END, context, lease)
    run = run.model_copy(update={"attempts": run.attempts + 1})
    context.night.parts.drop_parts(run.user_id, run.run_id, [_REQUEST])
    context.night.runs.save(run, lease.fence)
    return run


def failed(run: Run, why: str, context: RunContext, lease: Lease) -> Run:
    """End the run as failed, with `why` as its error, and return it."""
    return _end_run(run.model_copy(update={"status": "failed", "error": why}), context, lease)


def drop_request(run: Run, context: RunContext, keep: list[str]) -> None:
    """Drop the stored request, which may contain a file, once the plan is stored. `keep` lists the parts to keep."""
    if context.caller.goes_on is not None:
        context.night.parts.drop_parts(run.user_id, run.run_id, keep)


def in_call_or_queued(
    kind: RunKind, request: Request, context: RunContext, run_id: str | None,
    work: Callable[[Mapping[str, JsonValue] | None], AnyResult], nothing: AnyResult,
) -> AnyResult:  # fmt: skip
    """Do the work of a tool that changes no memory, or queue the work if the call runs out of time.

    `work` receives the progress from an earlier `OutOfTime`. `nothing` is the result before any progress. If `run_id` is
    given, only report that run. Raises `CONFLICT` if the work must be queued while another run is active.
    """
    if context.caller.goes_on is not None:
        return _build_result(_work_on_run(parse_run(kind, context.caller.goes_on, context), request, context, work), nothing)
    if run_id is not None:
        return _build_result(parse_run(kind, run_id, context), nothing)
    try:
        return work(None)
    except OutOfTime as stopped:
        with leased(context) as lease:
            run = queued(new_run(kind, context), request, stopped.so_far, context, lease)
    context.hand_over(run)
    return _build_result(run, nothing)


def _build_result(run: Run, nothing: AnyResult) -> AnyResult:
    """Return the stored result of a run that is done, or else `nothing` with the run's status, progress and error."""
    if run.status == "done":
        return type(nothing).model_validate({"run_id": run.run_id, **(run.result or {})})
    notes = Notes(warnings=[run.error]) if run.error else None
    fields = {"run_id": run.run_id, "status": run.public_status, "progress": run.progress, "notes": notes}
    return nothing.model_copy(update=fields)


def _work_on_run(
    run: Run, request: Request, context: RunContext, work: Callable[[Mapping[str, JsonValue] | None], AnyResult]
) -> Run:
    """Continue a queued run in a worker. Save the result, or queue the run again if the time runs out."""
    with leased(context) as lease:
        run = taken_up(parse_run(run.kind, run.run_id, context), context, lease)
        if run.status != "queued":
            return run
        try:
            with gathered() as flaws:
                result = work(run.result).naming(flaws)
        except OutOfTime as stopped:
            lease.renew()
            run = queued(run, request, stopped.so_far, context, lease)
        else:
            lease.renew()
            answer = result.model_dump(mode="json")
            run = _end_run(run.model_copy(update={"status": "done", "result": answer}), context, lease)
    context.hand_over(run)
    return run


def _end_run(run: Run, context: RunContext, lease: Lease) -> Run:
    """Save a run with the current time as its end, drop its parts, and return it."""
    run = run.model_copy(update={"finished_at": context.clock()})
    context.night.runs.save(run, lease.fence)
    context.night.parts.drop_parts(run.user_id, run.run_id)
    return run


_PLAN = "plan"
_DIED = "it stopped before its plan was stored; nothing was changed"
_DAMAGED = "its plan can't be read; applied operations stay, and the rest was not done"
_MISSING = "the plan is no longer stored, or can't be read"
_AS_UNDO: dict[Outcome, Outcome] = {"applied": "undone", "lost": "kept"}
_TO_DO: tuple[Outcome, ...] = ("planned", "needs_review")
_SAVED_EVERY = timedelta(seconds=10)


@contextmanager
def exclusive_lease(context: RunContext) -> Iterator[Lease]:
    """Complete an interrupted run, then hold the user's lease. Raises `CONFLICT` if that run is nightly or takes too long."""
    with leased(context) as lease:
        run = context.night.runs.unfinished(context.user_id)
        if run is not None and run.kind == "nightly":
            raise CommonplaceError(ErrorCode.CONFLICT, f"{run.run_id} did not get to its end; nightly finishes it")
        left = None if run is None else resume(run, context, lease)
        if left is None or not left.is_at_work:
            yield lease
            return
    context.hand_over(left)
    raise CommonplaceError(ErrorCode.CONFLICT, f"{left.run_id} is not at its end yet; try again when it is")


def apply_plan(run: Run, plan: Plan, context: RunContext, lease: Lease) -> Run:
    """Save a run with its plan, apply the plan, and close the run.

    A new run is saved before its plan, so that every plan has a run. A queued run is saved as `running` only after its plan
    is stored. After a crash before that, planning starts again.
    """
    night = context.night
    if context.caller.goes_on is None:
        night.runs.save(run, lease.fence)
    night.parts.save_part(run, _PLAN, plan.model_dump_json(), lease.fence)
    if context.caller.goes_on is not None:
        night.runs.save(run, lease.fence)
    return resume(run, context, lease)


def resume(run: Run, context: RunContext, lease: Lease) -> Run:
    """Apply the rest of a run and close the run. A run without a stored plan is closed as failed.

    If the call runs out of time, the progress is saved and the run stays `running`. Otherwise, the run is saved as finished,
    its plan is deleted, and the run is closed last, so that a crash leaves no text of the plan behind.
    """
    runs = context.night.runs
    if run.finished_at is None:
        run = _finish_run(run, context, lease)
        runs.save(run, lease.fence)
        if run.finished_at is None:
            return run
    context.night.parts.drop_parts(run.user_id, run.run_id)
    run = run.model_copy(update={"status": "failed" if run.error else "done"})
    runs.close(run, {}, lease.fence)
    return run


def _finish_run(run: Run, context: RunContext, lease: Lease) -> Run:
    """Apply a run's remaining operations. Returns the unsaved run, with an error if its plan is missing or damaged."""
    if any(operation.outcome == "needs_review" for operation in run.operations):
        return go_through(run, run.operations, lambda operation: [approved(operation, run, lease)], lease)
    saved = context.night.parts.part(run.user_id, run.run_id, _PLAN)
    plan = parse_saved(Plan, saved)
    if plan is None:
        error = _DIED if saved is None else _DAMAGED
        return run.model_copy(update={"error": error, "finished_at": context.clock()})
    by_id = {planned.told.operation_id: planned for planned in plan.operations}
    all_planned = run.operations or tuple(planned.told for planned in plan.operations)
    return go_through(run, all_planned, lambda operation: _apply_operation(by_id[operation.operation_id], run, lease), lease)


def go_through(
    run: Run, operations: Sequence[RunOperation], make: Callable[[RunOperation], list[RunOperation]], lease: Lease
) -> Run:
    """Call `make` for each operation that is planned or waits for review, and replace the operation with the returned ones.

    The progress is saved every ten seconds. The returned run is not saved, and its `finished_at` is None if time ran out.
    """
    context, saved_at, made = lease.context, lease.context.clock(), 0
    done: list[RunOperation] = []
    for number, operation in enumerate(operations):
        if operation.outcome not in _TO_DO:
            done.append(operation)
            continue
        if not context.may_go_on(made):
            return run.model_copy(update={"operations": (*done, *operations[number:]), "finished_at": None})
        done += make(operation)
        made += 1
        if context.progress is not None:
            context.progress(number + 1, len(operations))
        if context.clock() - saved_at > _SAVED_EVERY:
            so_far = {"operations": (*done, *operations[number + 1 :])}
            context.night.runs.save(run.model_copy(update=so_far), lease.fence)
            saved_at = context.clock()
    return run.model_copy(update={"operations": tuple(done), "finished_at": context.clock()})


def approved(operation: RunOperation, run: Run, lease: Lease) -> RunOperation:
    """Apply an operation that waits for review. The result is `lost` if its plan is missing or another write came first."""
    saved = lease.context.night.parts.part(run.user_id, run.run_id, review_part(operation.operation_id))
    planned = parse_saved(PlannedOperation, saved)
    if planned is None:
        return with_outcome(operation, "lost", _MISSING)
    return apply.apply(planned.with_outcome("planned"), run.run_id, lease)


def _apply_operation(planned: PlannedOperation, run: Run, lease: Lease) -> list[RunOperation]:
    """Apply a planned operation. An undo that can't reopen its memory still closes the others, by a second operation."""
    reported = apply.apply(planned, run.run_id, lease, last_try=True)
    if run.kind != "undo":
        return [reported]
    ends = [reported.model_copy(update={"outcome": _AS_UNDO.get(reported.outcome, reported.outcome)})]
    if reported.outcome == "lost" and planned.opens and planned.closes:
        ends += _apply_operation(planned.without_opening(), run, lease)  # still close the successor
    return ends
