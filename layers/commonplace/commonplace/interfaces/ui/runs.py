"""The runs: what nights and other bulk changes did and why; they can be approved, discarded or undone."""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import groupby

from starlette.responses import Response

from commonplace.domain.runs import Outcome, Run
from commonplace.interfaces.http.routing import Route
from commonplace.interfaces.ui.visit import Visit, whole_number

SHOWN, MOST_SHOWN = 20, 100
OPERATIONS = 100
"""Of one run, per page."""
KINDS = {
    "nightly": "Night", "undo": "Undo", "markdown": "Edited pages", "tags": "Merge of tags", "merge": "Merge",
    "import": "Import", "restore": "Restore of a backup", "migration": "Migration", "export": "Export",
    "backup": "Backup", "validation": "Check", "repair": "Repair",
}  # fmt: skip
STATUSES = {
    "queued": "queued", "running": "running", "done": "done", "needs_review": "waiting for approval", "failed": "failed",
}  # fmt: skip
VERBS = {
    "ADD": "Add", "UPDATE": "Change", "DELETE": "Close", "NOOP": "No change", "FORGET": "Erase",
    "UNDO": "Undo",
}  # fmt: skip
OUTCOMES: Mapping[Outcome, str] = {
    "needs_review": "waiting for approval", "applied": "done", "planned": "planned", "lost": "skipped, changed meanwhile",
    "over_cap": "over the limit of a day", "kept": "kept, changed since", "undone": "undone", "discarded": "discarded",
}  # fmt: skip
"""In display order: outcomes that need a person come first."""


def runs(visit: Visit) -> Response:
    """Show the newest runs."""
    limit = MOST_SHOWN if "all" in visit.arguments else SHOWN
    listed = visit.memory.nights().listed(limit)
    more = limit == SHOWN and len(listed.runs) == SHOWN
    shown = [(run, _counted(run)) for run in listed.runs]
    return visit.show("runs.html", listed=listed, runs=shown, more=more, kinds=KINDS, statuses=STATUSES)


def one_run(visit: Visit, run_id: str) -> Response:
    """Show a run with all its operations, done or planned: what, why, and the source texts."""
    told = visit.memory.told(run_id)
    order = list(OUTCOMES)
    sorted_ones = sorted(told.operations, key=lambda one: order.index(one.operation.outcome))
    start = beginning(visit, len(sorted_ones))
    shown = sorted_ones[start : start + OPERATIONS]
    groups = [(outcome, list(same)) for outcome, same in groupby(shown, key=lambda one: one.operation.outcome)]
    undone_by = _undo_of(told.run, visit.memory.runs(MOST_SHOWN))
    may_undo = undone_by is None and (_has(told.run, "applied") or (told.run.kind == "undo" and _has(told.run, "undone")))
    return visit.show(
        "run.html", run=told.run, groups=groups, end=start + len(shown), start=start, most=OPERATIONS,
        counts=_counted(told.run), waiting=_has(told.run, "needs_review"), may_undo=may_undo, undone_by=undone_by,
        kinds=KINDS, statuses=STATUSES, verbs=VERBS, outcomes=OUTCOMES,
    )  # fmt: skip


def approve(visit: Visit, run_id: str) -> Response:
    """Apply the operations of a run that wait for review."""
    run = visit.memory.approve_run(run_id)
    return visit.go(f"/ui/runs/{run_id}", f"Approved: {_told(run)}.")


def discard(visit: Visit, run_id: str) -> Response:
    """Discard the operations of a run that wait for review."""
    visit.memory.discard_run(run_id)
    return visit.go(f"/ui/runs/{run_id}", "Discarded: the waiting changes are not applied.")


def undo(visit: Visit, run_id: str) -> Response:
    """Undo a run."""
    run = visit.memory.undo_run(run_id)
    kept = sum(one.outcome == "kept" for one in run.operations)
    said = f"Undone: {len(run.operations) - kept:,} of {len(run.operations):,} changes"
    return visit.go(f"/ui/runs/{run_id}", f"{said}; the others have changed since." if kept else f"{said}.")


def _undo_of(run: Run, newest: Sequence[Run]) -> Run | None:
    """Return the run that undid this one, unless it was undone itself."""
    undo = next((one for one in newest if one.kind == "undo" and one.undoes == run.run_id), None)
    return undo if undo is not None and _undo_of(undo, newest) is None else None


def beginning(visit: Visit, of: int) -> int:
    """Return the start of the current page in a list, as given in the address; at most `of`."""
    given = whole_number(visit.arguments.get("from"))
    return min(given, of) if isinstance(given, int) else 0


def _counted(run: Run) -> list[tuple[int, str]]:
    found = Counter(one.outcome for one in run.operations)
    return [(found[outcome], says) for outcome, says in OUTCOMES.items() if found[outcome]]


def _told(run: Run) -> str:
    return ", ".join(f"{count:,} {says}" for count, says in _counted(run))


def _has(run: Run, outcome: Outcome) -> bool:
    return any(one.outcome == outcome for one in run.operations)


ROUTES = (
    Route("/ui/runs", runs),
    Route("/ui/runs/<run_id>", one_run),
    Route("/ui/runs/<run_id>/approve", approve, "POST"),
    Route("/ui/runs/<run_id>/discard", discard, "POST"),
    Route("/ui/runs/<run_id>/undo", undo, "POST"),
)
