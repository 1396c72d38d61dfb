"""A run ends: what was to be erased is erased, what it knew of the users' words is dropped, and the ledger is marked."""

import logging
from collections.abc import Collection, Mapping, Sequence

from commonplace.models.runs import Run, RunStatus
from commonplace.night_ports import LedgerEntry, Mark
from commonplace.nightly.desk import Desk, Lease
from commonplace.nightly.erasing import erase_what_was_forgotten
from commonplace.nightly.plan import review_part

_GIVEN_UP = 3  # runs that failed on an interaction
_log = logging.getLogger("commonplace")


def close(run: Run, entries: Sequence[LedgerEntry], desk: Desk, lease: Lease) -> Run:
    """Closes a run that has done everything. Safe to repeat after a crash: it is kept as finished first, and closed last."""
    runs = desk.night.runs
    if run.finished_at is None:
        run = run.model_copy(update={"finished_at": desk.clock()})
        runs.save(run, lease.fence)
    run = erase_what_was_forgotten(run, desk, lease)
    runs.drop_parts(run.user_id, run.run_id, [review_part(one) for one in waiting(run)])
    closed = run.model_copy(update={"status": _status(run), "error": _error(run)})
    runs.close(closed, _marks(run, entries), lease.fence)
    desk.night.ledger.drop_texts(run.user_id, desk.clock() - desk.night.texts_kept)
    return closed


def waiting(run: Run) -> list[str]:
    """The ids of its operations that wait for a person."""
    return [one.operation_id for one in run.operations if one.outcome == "needs_review"]


def _nothing_read(run: Run) -> bool:
    return bool(run.interactions) and not run.operations and set(run.interactions) <= set(run.unread)


def _status(run: Run) -> RunStatus:
    if _nothing_read(run):
        return "failed"
    return "needs_review" if waiting(run) else "done"


def _error(run: Run) -> str | None:
    return "nothing could be read; the interactions stay pending" if _nothing_read(run) else None


def _marks(run: Run, entries: Collection[LedgerEntry]) -> Mapping[str, Mark]:
    """What becomes of its interactions. Those that an attempt which died has marked already have counted it."""
    unread, marks = set(run.unread), dict[str, Mark]()
    for entry in (one for one in entries if one.run_id != run.run_id):
        failures = entry.failures + 1
        if entry.interaction_id not in unread:
            marks[entry.interaction_id] = Mark("read", entry.failures)
        elif failures < _GIVEN_UP:
            marks[entry.interaction_id] = Mark("pending", failures)
        else:
            _log.error("an interaction failed %d runs and is given up; the last is %s", failures, run.run_id)
            marks[entry.interaction_id] = Mark("failed", failures)
    return marks
