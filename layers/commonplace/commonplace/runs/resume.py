"""Brings a plan to its end under a lease, also one that a run left half done; in the time that the call has."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta

from commonplace.domain.errors import CommonplaceError, ErrorCode
from commonplace.domain.runs import Outcome, Run, RunOperation
from commonplace.runs import apply
from commonplace.runs.apply import Lease, RunContext, leased
from commonplace.runs.plan import Plan, PlannedOperation, review_part, with_outcome

_PLAN = "plan"
_DIED = "it stopped before its plan was kept; nothing was changed"
_DAMAGED = "its plan can't be read; what was done of it is done, and the rest is not"
_MISSING = "what was planned is no longer kept, or can't be read"
_AS_UNDO: dict[Outcome, Outcome] = {"applied": "undone", "lost": "kept"}
_TO_DO: tuple[Outcome, ...] = ("planned", "needs_review")
_SAVED_EVERY = timedelta(seconds=10)


@contextmanager
def exclusive_lease(context: RunContext) -> Iterator[Lease]:
    """Holds the user's lease after finishing what another run left half done; a night is finished by `nightly` only.

    Where the call has no time for all of that run a worker goes on with it; until then it is `CONFLICT`.
    """
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
    """Saves a run with its plan, applies the plan, and closes the run.

    A new run is saved before its plan, of which nothing is to stay without it. One that was queued is there already: it is
    `running` only once its plan is kept, so that after a crash in between it is planned again.
    """
    night = context.night
    if context.caller.goes_on is None:
        night.runs.save(run, lease.fence)
    night.parts.save_part(run, _PLAN, plan.model_dump_json(), lease.fence)
    if context.caller.goes_on is not None:
        night.runs.save(run, lease.fence)
    return resume(run, context, lease)


def resume(run: Run, context: RunContext, lease: Lease) -> Run:
    """Applies what is left of a run and closes it; a run whose plan was never saved is closed as failed.

    Where the call has no time for all of it, the run is kept as far as it came, and is still `running`.
    It is kept as finished before its plan goes, and closed last, so that a crash leaves none of the words behind.
    """
    runs = context.night.runs
    if run.finished_at is None:
        run = _finish(run, context, lease)
        runs.save(run, lease.fence)
        if run.finished_at is None:
            return run
    context.night.parts.drop_parts(run.user_id, run.run_id)
    run = run.model_copy(update={"status": "failed" if run.error else "done"})
    runs.close(run, {}, lease.fence)
    return run


def _finish(run: Run, context: RunContext, lease: Lease) -> Run:
    if any(one.outcome == "needs_review" for one in run.operations):
        return go_through(run, run.operations, lambda told: [approved(told, run, lease)], lease)
    saved = context.night.parts.part(run.user_id, run.run_id, _PLAN)
    plan = None if saved is None else Plan.kept(saved)
    if plan is None:
        error = _DIED if saved is None else _DAMAGED
        return run.model_copy(update={"error": error, "finished_at": context.clock()})
    by_id = {one.told.operation_id: one for one in plan.operations}
    all_planned = run.operations or tuple(one.told for one in plan.operations)
    return go_through(run, all_planned, lambda told: _apply_operation(by_id[told.operation_id], run, lease), lease)


def go_through(
    run: Run, operations: Sequence[RunOperation], make: Callable[[RunOperation], list[RunOperation]], lease: Lease
) -> Run:
    """Makes one operation after the other, those that are to be done yet, and gives the run as far as it came.

    It has a `finished_at` at its end, and none where the call has no time for the rest. Now and then it is saved.
    """
    context, saved_at, made = lease.context, lease.context.clock(), 0
    done: list[RunOperation] = []
    for number, told in enumerate(operations):
        if told.outcome not in _TO_DO:
            done.append(told)
            continue
        if not context.may_go_on(made):
            return run.model_copy(update={"operations": (*done, *operations[number:]), "finished_at": None})
        done += make(told)
        made += 1
        if context.progress is not None:
            context.progress(number + 1, len(operations))
        if context.clock() - saved_at > _SAVED_EVERY:
            so_far = {"operations": (*done, *operations[number + 1 :])}
            context.night.runs.save(run.model_copy(update=so_far), lease.fence)
            saved_at = context.clock()
    return run.model_copy(update={"operations": tuple(done), "finished_at": context.clock()})


def approved(told: RunOperation, run: Run, lease: Lease) -> RunOperation:
    """Applies an operation that waits for review; `lost` where what was planned can't be read any more."""
    saved = lease.context.night.parts.part(run.user_id, run.run_id, review_part(told.operation_id))
    planned = None if saved is None else PlannedOperation.kept(saved)
    if planned is None:
        return with_outcome(told, "lost", _MISSING)
    return apply.apply(planned.with_outcome("planned"), run.run_id, lease)


def _apply_operation(planned: PlannedOperation, run: Run, lease: Lease) -> list[RunOperation]:
    reported = apply.apply(planned, run.run_id, lease, last_try=True)
    if run.kind != "undo":
        return [reported]
    ends = [reported.model_copy(update={"outcome": _AS_UNDO.get(reported.outcome, reported.outcome)})]
    if reported.outcome == "lost" and planned.opens and planned.closes:
        ends += _apply_operation(
            planned.without_opening(), run, lease
        )  # what can't come back doesn't keep what took its place
    return ends
