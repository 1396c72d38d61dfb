"""Operations on one user's nightly runs, for people and applications. Models have no access to these operations.

The modules that read interactions are imported on demand because most callers only look at results.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from commonplace.domain.errors import CommonplaceError, ErrorCode, invalid, of_type
from commonplace.domain.flaws import Flaws, gathered
from commonplace.domain.ids import may_be_id
from commonplace.domain.interactions import History, HistoryRequest, ListedRuns, RecordResult, RunReport
from commonplace.domain.runs import OF_NO_CHANGE, Mode, Run
from commonplace.runs import report, undo
from commonplace.runs.apply import Lease, RunContext, leased
from commonplace.runs.finalize import with_unread
from commonplace.runs.queueing import exclusive_lease, resume

if TYPE_CHECKING:
    from commonplace.nightly.day_planner import ReadDay
    from commonplace.nightly.steps import Progress, RunOptions

LAST = "last"
MOST_RUNS = 100
_RUNS_A_NIGHT = 20
_TAKEN_OVER = "another process has taken over this run"


@dataclass(frozen=True)
class Nights:
    """The nightly runs of one user. `read` reads one day. A run pauses before a day if `may_continue` returns False."""

    context: RunContext
    read: "ReadDay"
    may_continue: Callable[[], bool] = lambda: True

    def record(self, interactions: Sequence[Any]) -> RecordResult:
        """Record interactions for a later nightly run. Each interaction is checked separately."""
        from commonplace.nightly.intake import record_interactions

        return record_interactions(interactions, self.context.caller, self.context.night.ledger)

    def nightly(self, mode: Mode | None = None, progress: "Progress | None" = None) -> Iterator[Run]:
        """Complete an unfinished run, read the pending interactions, and yield each run. One call performs up to twenty runs.

        The iterator ends without an error if another process takes over. Raises `CONFLICT` if another run is already active.
        """
        from commonplace.nightly import steps

        night = self._build_options(mode, progress)
        tried: set[str] = set()
        with leased(self.context) as lease:
            for _ in range(_RUNS_A_NIGHT):
                run = self._take_up_unfinished(lease) or steps.begin(self.context, night, lease, tried)
                if run is None:
                    ports = self.context.night
                    ports.ledger.drop_texts(self.context.user_id, self.context.clock(), ports.text_retention)
                    return
                tried |= set(run.interactions)
                with gathered() as flaws:
                    run = self._carry_out_run(run, night, lease)
                if run.status != "running":
                    run = self._publish_run(run, lease, flaws)
                yield with_unread(run, self.context)
                if run.status == "running":
                    return

    def preview(self, mode: Mode | None = None, progress: "Progress | None" = None) -> RunReport:
        """Return the changes that `nightly` would make now, without writing anything."""
        from commonplace.nightly import steps

        with gathered() as flaws:
            run, planned = steps.preview(self.context, self._build_options(mode, progress))
        return report.report_plan(_add_notes(run, flaws.note), planned)

    def empty_run(self, mode: Mode | None = None) -> Run:
        """Return a finished run without interactions, which notes that nothing is pending. The run is not stored."""
        from commonplace.nightly import steps

        run = steps.new_run(self.context, self._build_options(mode), [])
        notes = (*run.notes, "nothing is pending")
        return run.model_copy(update={"status": "done", "finished_at": self.context.clock(), "notes": notes})

    def runs(self, limit: int = 20) -> list[Run]:
        """Return up to `limit` runs, newest first. `limit` ranges from 1 to 100."""
        if not 1 <= of_type(int, limit, "limit") <= MOST_RUNS:
            raise invalid("limit", f"must be from 1 to {MOST_RUNS}")
        return self.context.night.runs.newest(self.context.user_id, limit)

    def listed(self, limit: int = 20) -> ListedRuns:
        """Return the newest runs that fit into one answer. The `notes` of the result count the omitted runs."""
        return report.newest_that_fit(self.runs(limit))

    def run(self, run_id: str) -> Run:
        """Return the run with this id. The id "last" means the newest run. Raises `NOT_FOUND` if there is no such run."""
        runs, user_id = self.context.night.runs, self.context.user_id
        if of_type(str, run_id, "run_id") == LAST:
            run, message = next(iter(runs.newest(user_id, 1)), None), "there is no run yet"
        else:
            run, message = runs.get(user_id, run_id) if may_be_id(run_id) else None, "there is no such run"
        if run is None:
            raise CommonplaceError(ErrorCode.NOT_FOUND, f"run_id: {message}", "run_id")
        return run

    def run_report(self, run_id: str) -> RunReport:
        """Return a run together with the texts of its memories."""
        return report.report(with_unread(self.run(run_id), self.context, wait=False), self.context)

    def undo_run(self, run_id: str, reread: bool = False) -> Run:
        """Undo a run, and return the run that undoes it. If `reread` is true, the next night rereads the interactions."""
        with exclusive_lease(self.context) as lease, gathered() as flaws:
            run = undo.undo_run(self._get_run_to_undo(run_id), self.context, lease, reread)
            return self._publish_run(run, lease, flaws)

    def undo(self, operation_id: str) -> Run:
        """Undo an operation, and return the run that undoes it. The id "last" means the last operation that isn't an undo."""
        of_type(str, operation_id, "operation_id")
        with exclusive_lease(self.context) as lease, gathered() as flaws:
            chosen = undo.last_operation(self.context) if operation_id == LAST else operation_id
            return self._publish_run(undo.undo_operation(chosen, self.context, lease), lease, flaws)

    def approve_run(self, run_id: str) -> Run:
        """Apply a run's operations that wait for review. An operation is `lost` if its memory has changed since planning."""
        with exclusive_lease(self.context) as lease, gathered() as flaws:
            run = undo.approve(self._get_run_to_change(run_id), self.context, lease)
            return with_unread(self._publish_run(run, lease, flaws), self.context)

    def discard_run(self, run_id: str) -> Run:
        """Discard a run's operations that wait for review."""
        with exclusive_lease(self.context) as lease:
            return undo.discard(self._get_run_to_change(run_id), self.context, lease)

    def history(self, name: str) -> History:
        """Return all values of a key, or the lineage of a memory. The error `KEY_NOT_FOUND` suggests similar keys."""
        from commonplace.contract import validate
        from commonplace.use_cases import history
        from commonplace.use_cases.named import naming

        request = validate.check(HistoryRequest, naming(name, self.context.caller, self.context.ports))
        with gathered() as flaws:
            history_read = history.history(request, self.context.caller, self.context.ports, compares=False)
        return history_read.naming(flaws)

    def _build_options(self, mode: Mode | None, progress: "Progress | None" = None) -> "RunOptions":
        from commonplace.llm.prompts import prompt_version
        from commonplace.nightly.readers import mode_of
        from commonplace.nightly.steps import RunOptions

        model = self.context.night.model
        taken = mode_of(mode, model)
        name = model.name if model is not None and taken != "rules" else None
        return RunOptions(self.read, taken, name, prompt_version(taken), self.may_continue, progress)

    def _take_up_unfinished(self, lease: Lease) -> Run | None:
        """Count another attempt of the unfinished run and return the run, or return None if all runs are finished."""
        run = self.context.night.runs.unfinished(self.context.user_id)
        if run is None:
            return None
        run = run.model_copy(update={"attempts": run.attempts + 1})
        self.context.night.runs.save(run, lease.fence)
        return run

    def _carry_out_run(self, run: Run, night: "RunOptions", lease: Lease) -> Run:
        """Carry out or resume a run. If the lease is lost, the run is returned with a note and no error is raised."""
        from commonplace.nightly import steps

        try:
            if run.kind == "nightly":
                return steps.run_days(run, self.context, night, lease)
            return resume(run, self.context, lease)
        except CommonplaceError as error:
            if error.code is not ErrorCode.LEASE_LOST:
                raise
            return run.model_copy(update={"notes": (*run.notes, _TAKEN_OVER)})

    def _publish_run(self, run: Run, lease: Lease, flaws: Flaws) -> Run:
        """Publish the pages that a run changed. Saves the run again if there are notes on failures or unreadable records."""
        from commonplace.pages.publishing import publish

        trouble = publish(run, self.context)
        noted = _add_notes(run, flaws.note, trouble)
        if noted is not run:
            self.context.night.runs.save(noted, lease.fence)
        return noted

    def _get_run_to_undo(self, run_id: str) -> Run:
        """Return the run with this id. "last" means the newest applied run except undos, so that an undo can be repeated."""
        if run_id != LAST:
            return self.run(run_id)
        applied = next(filter(_was_applied, self.runs(MOST_RUNS)), None)
        if applied is None:
            raise CommonplaceError(ErrorCode.NOT_FOUND, "run_id: no run was applied yet", "run_id")
        return applied

    def _get_run_to_change(self, run_id: str) -> Run:
        """Return the run with this id. "last" means the newest run that changes memories and is not an undo."""
        if run_id != LAST:
            return self.run(run_id)
        newest = self.runs(MOST_RUNS)
        return next((run for run in newest if run.kind not in ("undo", *OF_NO_CHANGE)), None) or self.run(LAST)


def _was_applied(run: Run) -> bool:
    """Return whether the run applied a change. A nightly run with nothing to change counts as applied."""
    if run.kind in ("undo", *OF_NO_CHANGE):
        return False
    outcomes = {operation.outcome for operation in run.operations}
    return "applied" in outcomes or (run.kind == "nightly" and not outcomes & {"needs_review", "discarded"})


def _add_notes(run: Run, *notes: str | None) -> Run:
    added = tuple(filter(None, notes))
    return run.model_copy(update={"notes": (*run.notes, *added)}) if added else run
