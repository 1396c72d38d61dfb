"""What waits for a person: approved, each change is made if its memory is still as it was; discarded, it never is."""

from commonplace.models.runs import Run, RunOperation
from commonplace.nightly import applying
from commonplace.nightly.desk import Desk, Lease
from commonplace.nightly.erasing import erase_what_was_forgotten
from commonplace.nightly.plan import PlannedOperation, review_part, with_outcome

_MISSING = "what was planned is no longer kept"


def approve(run: Run, desk: Desk, lease: Lease) -> Run:
    """Does what waits; a memory that was changed since is left, and its operation listed as `lost`. Harmless twice."""
    operations = tuple(_approved(one, run, desk, lease) for one in run.operations)
    approved = erase_what_was_forgotten(run.model_copy(update={"operations": operations}), desk, lease)
    return _settled(approved, run, desk, lease)


def discard(run: Run, desk: Desk, lease: Lease) -> Run:
    """Lets go of what waits. Harmless twice."""
    operations = tuple(with_outcome(one, "discarded") if one.outcome == "needs_review" else one for one in run.operations)
    return _settled(run.model_copy(update={"operations": operations}), run, desk, lease)


def _approved(told: RunOperation, run: Run, desk: Desk, lease: Lease) -> RunOperation:
    if told.outcome != "needs_review":
        return told
    saved = desk.night.runs.part(run.user_id, run.run_id, review_part(told.operation_id))
    if saved is None:
        return with_outcome(told, "lost", _MISSING)
    planned = PlannedOperation.model_validate_json(saved).with_outcome("planned")
    return applying.apply(planned, run.run_id, lease)


def _settled(run: Run, before: Run, desk: Desk, lease: Lease) -> Run:
    if run.operations == before.operations:
        return run
    run = run.model_copy(update={"status": "done" if run.status == "needs_review" else run.status})
    desk.night.runs.save(run, lease.fence)
    desk.night.runs.drop_parts(run.user_id, run.run_id)
    return run
