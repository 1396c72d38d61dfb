"""Runs whose whole plan is known when they begin: an undo, an edited file. They are saved and resumed like a night."""

from collections.abc import Iterator
from contextlib import contextmanager

from commonplace.errors import CommonplaceError, ErrorCode
from commonplace.models.runs import Outcome, Run, RunOperation
from commonplace.nightly import applying
from commonplace.nightly.desk import Desk, Lease, leased
from commonplace.nightly.plan import Plan, PlannedOperation

_PLAN = "plan"
_DIED = "it stopped before its plan was kept; nothing was changed"
_AS_UNDO: dict[Outcome, Outcome] = {"applied": "undone", "lost": "kept"}


@contextmanager
def alone(desk: Desk) -> Iterator[Lease]:
    """The user's lease, with no run left half done by one that died; a night that did is finished by `nightly` only."""
    with leased(desk) as lease:
        run = desk.night.runs.unfinished(desk.user_id)
        if run is not None and run.kind == "nightly":
            raise CommonplaceError(ErrorCode.CONFLICT, f"{run.run_id} did not get to its end; nightly finishes it")
        if run is not None:
            resume(run, desk, lease)
        yield lease


def carry_out(run: Run, plan: Plan, desk: Desk, lease: Lease) -> Run:
    """Saves the run with its plan, does it, and closes it."""
    desk.night.runs.save(run, lease.fence)
    desk.night.runs.save_part(run, _PLAN, plan.model_dump_json(), lease.fence)
    return resume(run, desk, lease)


def resume(run: Run, desk: Desk, lease: Lease) -> Run:
    """Does what is left of a run and closes it; one whose plan was never kept is closed as failed.

    It is kept as finished before its plan goes, and closed last, so that a crash leaves none of the words behind.
    """
    runs = desk.night.runs
    if run.finished_at is None:
        run = _finished(run, desk, lease)
        runs.save(run, lease.fence)
    runs.drop_parts(run.user_id, run.run_id)
    run = run.model_copy(update={"status": "failed" if run.error else "done"})
    runs.close(run, {}, lease.fence)
    return run


def _finished(run: Run, desk: Desk, lease: Lease) -> Run:
    saved = desk.night.runs.part(run.user_id, run.run_id, _PLAN)
    operations: list[RunOperation] = []
    for planned in Plan.model_validate_json(saved).operations if saved is not None else ():
        operations += _done(planned, run, lease)
    ended = {"operations": tuple(operations), "error": None if saved is not None else _DIED, "finished_at": desk.clock()}
    return run.model_copy(update=ended)


def _done(planned: PlannedOperation, run: Run, lease: Lease) -> list[RunOperation]:
    told = applying.apply(planned, run.run_id, lease, last_try=True)
    if run.kind != "undo":
        return [told]
    ends = [told.model_copy(update={"outcome": _AS_UNDO.get(told.outcome, told.outcome)})]
    if told.outcome == "lost" and planned.opens and planned.closes:
        ends += _done(planned.only_closing(), run, lease)  # what can't come back doesn't keep what took its place
    return ends
