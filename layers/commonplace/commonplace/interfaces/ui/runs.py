"""The views that list, explain, approve, discard and undo runs. A run is a nightly run or another bulk operation."""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import groupby

from starlette.responses import Response

from commonplace.domain.runs import Outcome, Run
from commonplace.interfaces.http.routing import Route
from commonplace.interfaces.ui.visit import Visit, whole_number

SHOWN, MOST_SHOWN = 20, 100
OPERATIONS = 100
"""The maximum number of operations on the page of a run."""
KINDS = {
    "nightly": "Night", "undo": "Undo", "markdown": "Edited pages", "tags": "Merge of tags", "merge": "Merge",
    "import": "Import", "restore": "Restore of a backup", "migration": "Migration", "export": "Export",
    "backup": "Backup", "validation": "Check", "repair": "Repair",
}  # fmt: skip
STATUSES = {
    "queued": "queued", "running": "running", "done": "done", "needs_review": "waiting for approval", "failed": "failed",
}  # fmt: skip
VERBS = {"ADD": "Add", "UPDATE": "Change", "DELETE": "Close", "NOOP": "No change", "FORGET": "Erase", "UNDO": "Undo"}
OUTCOMES: Mapping[Outcome, str] = {
    "needs_review": "waiting for approval", "applied": "done", "planned": "planned", "lost": "skipped, changed meanwhile",
    "over_cap": "over the limit of a day", "kept": "kept, changed since", "undone": "undone", "discarded": "discarded",
}  # fmt: skip
"""The labels of the outcomes, in display order. Outcomes that await a person's approval come first."""


def runs(visit: Visit) -> Response:
    """Show the newest runs."""
    limit = MOST_SHOWN if "all" in visit.arguments else SHOWN
    listed = visit.memory.nights().listed(limit)
    more = limit == SHOWN and len(listed.runs) == SHOWN
    shown = [(run, _count_outcomes(run)) for run in listed.runs]
    return visit.show("runs.html", listed=listed, runs=shown, more=more, kinds=KINDS, statuses=STATUSES)


def run_page(visit: Visit, run_id: str) -> Response:
    """Show a page of a run's applied or planned operations, with their reasons and source texts."""
    report = visit.memory.run_report(run_id)
    order = list(OUTCOMES)
    operations = sorted(report.operations, key=lambda operation: order.index(operation.operation.outcome))
    start = beginning(visit, len(operations))
    shown = operations[start : start + OPERATIONS]
    groups = [(outcome, list(same)) for outcome, same in groupby(shown, key=lambda operation: operation.operation.outcome)]
    undone_by = _find_undo(report.run, visit.memory.runs(MOST_SHOWN))
    may_undo = undone_by is None and (
        _has_outcome(report.run, "applied") or (report.run.kind == "undo" and _has_outcome(report.run, "undone"))
    )
    return visit.show(
        "run.html", run=report.run, groups=groups, end=start + len(shown), start=start, most=OPERATIONS,
        counts=_count_outcomes(report.run), waiting=_has_outcome(report.run, "needs_review"), may_undo=may_undo,
        undone_by=undone_by, kinds=KINDS, statuses=STATUSES, verbs=VERBS, outcomes=OUTCOMES,
    )  # fmt: skip


def approve(visit: Visit, run_id: str) -> Response:
    """Apply a run's operations that are waiting for review."""
    run = visit.memory.approve_run(run_id)
    summary = ", ".join(f"{count:,} {says}" for count, says in _count_outcomes(run))
    return visit.go(f"/ui/runs/{run_id}", f"Approved: {summary}.")


def discard(visit: Visit, run_id: str) -> Response:
    """Discard a run's operations that are waiting for review."""
    visit.memory.discard_run(run_id)
    return visit.go(f"/ui/runs/{run_id}", "Discarded: the waiting changes are not applied.")


def undo(visit: Visit, run_id: str) -> Response:
    run = visit.memory.undo_run(run_id)
    unchanged = sum(operation.outcome == "kept" for operation in run.operations)
    message = f"Undone: {len(run.operations) - unchanged:,} of {len(run.operations):,} changes"
    return visit.go(f"/ui/runs/{run_id}", f"{message}; the others have changed since." if unchanged else f"{message}.")


def _find_undo(run: Run, newest: Sequence[Run]) -> Run | None:
    """Return the run that undid `run`, or None. An undo that was itself undone does not count."""
    undo = next((undo_run for undo_run in newest if undo_run.kind == "undo" and undo_run.undoes == run.run_id), None)
    return undo if undo is not None and _find_undo(undo, newest) is None else None


def beginning(visit: Visit, of: int) -> int:
    """Return the index of the first item to show, from the URL parameter `from`. The result is at most `of`."""
    number = whole_number(visit.arguments.get("from"))
    return min(number, of) if isinstance(number, int) else 0


def _count_outcomes(run: Run) -> list[tuple[int, str]]:
    counts = Counter(operation.outcome for operation in run.operations)
    return [(counts[outcome], says) for outcome, says in OUTCOMES.items() if counts[outcome]]


def _has_outcome(run: Run, outcome: Outcome) -> bool:
    return any(operation.outcome == outcome for operation in run.operations)


ROUTES = (
    Route("/ui/runs", runs),
    Route("/ui/runs/<run_id>", run_page),
    Route("/ui/runs/<run_id>/approve", approve, "POST"),
    Route("/ui/runs/<run_id>/discard", discard, "POST"),
    Route("/ui/runs/<run_id>/undo", undo, "POST"),
)
