"""Taking back: a run, or one operation of whatever kind. It is a run itself, and can be taken back in its turn."""

from collections.abc import Sequence

from commonplace.errors import CommonplaceError, ErrorCode
from commonplace.ids import may_be_id, new_run_id
from commonplace.models.runs import Run
from commonplace.nightly import at_once, review
from commonplace.nightly.desk import Desk, Lease
from commonplace.nightly.plan import Plan, PlannedOperation
from commonplace.nightly.restoring import Restoring
from commonplace.ports import Applied

_NOTHING = "there was nothing to take back"


def undo_run(run: Run, desk: Desk, lease: Lease, reread: bool = False) -> Run:
    """Takes back what a run did; what waits for review is discarded. `reread`: its interactions are read once more.

    Every memory is as it was but for version, time of writing and usage. What was changed since, whose key was taken
    meanwhile, or whose words were erased stays as it is and is listed as `kept`. Harmless twice.
    """
    run = review.discard(run, desk, lease)
    applied = [desk.ports.operations.applied(desk.user_id, one.operation_id) for one in run.operations]
    undone = _undo(run.run_id, [one for one in applied if one is not None], desk, lease)
    if reread:
        desk.night.ledger.reread(desk.user_id, run.interactions)
    return undone


def undo_operation(operation_id: str, desk: Desk, lease: Lease) -> Run:
    """The same for one operation; `NOT_FOUND` if it was never applied."""
    applied = desk.ports.operations.applied(desk.user_id, operation_id) if may_be_id(operation_id) else None
    if applied is None:
        raise CommonplaceError(ErrorCode.NOT_FOUND, "operation_id: no such operation was applied", "operation_id")
    return _undo(operation_id, [applied], desk, lease)


def _undo(undoes: str, applied: Sequence[Applied], desk: Desk, lease: Lease) -> Run:
    now = desk.caller.now
    restoring = Restoring(desk.user_id, undoes, now, desk.ports.records, desk.ports.operations)
    operations = restoring.plan(applied)
    kept = [PlannedOperation(told=told, at=now) for told in restoring.kept]
    run = Run(
        run_id=new_run_id(now),
        user_id=desk.user_id,
        kind="undo",
        date=now.date(),
        undoes=undoes,
        notes=() if operations or kept else (_NOTHING,),
        started_at=now,
    )
    return at_once.carry_out(run, Plan(operations=(*operations, *kept)), desk, lease)
