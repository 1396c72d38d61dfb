"""What a user wanted forgotten goes from everywhere: the record did its part, here goes what the ledger and the runs hold."""

from commonplace.models.runs import Run, RunOperation
from commonplace.nightly.desk import Desk, Lease
from commonplace.nightly.plan import review_part

_ERASED = "(erased)"
RUNS_WITH_WORDS = 200
"""The newest runs, in which or in whose interactions words of a memory may still stand."""


def erase_what_was_forgotten(run: Run, desk: Desk, lease: Lease) -> Run:
    """Erases, for the memories that this run forgot: the texts they rest on, the wish itself, and what runs tell of them.

    What waits for review and would bring them back is discarded. Safe to repeat. Gives the run without their words.
    """
    forgetting = [one for one in run.operations if one.kind == "FORGET" and one.outcome == "applied"]
    if not forgetting:
        return run
    forgotten = {memory_id for one in forgetting for memory_id in one.closed}
    memories = desk.ports.records.get(run.user_id, sorted(forgotten))
    wishes = {one.interaction_id for one in forgetting if one.interaction_id} | {
        said for one in forgetting for said in one.erases
    }
    runs = desk.night.runs.newest(run.user_id, RUNS_WITH_WORDS)
    rested = {said for one in (run, *runs) for said in _rested_on(one, forgotten)}
    sources = {memory.session_id for memory in memories if memory.session_id} | wishes | rested
    desk.night.ledger.erase_texts(run.user_id, sorted(sources))
    for other in runs:
        cleaned = _cleaned(other, forgotten, sources)
        if cleaned != other and other.run_id != run.run_id:
            desk.night.runs.save(cleaned, lease.fence)
            waits = [review_part(one.operation_id) for one in cleaned.operations if one.outcome == "needs_review"]
            desk.night.runs.drop_parts(run.user_id, other.run_id, waits)
    return _cleaned(run, forgotten, sources)


def _rested_on(run: Run, forgotten: set[str]) -> set[str]:
    """The interactions, where they were several, that a forgotten memory was made of."""
    return {said for one in run.operations if one.memory_id in forgotten for said in one.rests_on}


def _cleaned(run: Run, forgotten: set[str], sources: set[str]) -> Run:
    """Reasons may quote, and what waits holds whole memories."""
    operations = tuple(_without_words(one, forgotten) for one in run.operations)
    dropped = tuple(one.model_copy(update={"why": _ERASED}) if one.interaction_id in sources else one for one in run.dropped)
    waits = any(one.outcome == "needs_review" for one in operations)
    status = "done" if run.status == "needs_review" and not waits else run.status
    return run.model_copy(update={"operations": operations, "dropped": dropped, "status": status})


def _without_words(operation: RunOperation, forgotten: set[str]) -> RunOperation:
    if operation.kind == "FORGET" or not forgotten & {*operation.closed, operation.memory_id}:
        return operation
    outcome = "discarded" if operation.outcome == "needs_review" else operation.outcome
    return operation.model_copy(update={"why": _ERASED, "outcome": outcome})
