"""The steps in a nightly run. Each step is saved before it takes effect, so that a crashed run can resume.

A run processes one day after another. It saves each day's plan before applying it, applies each operation at most once, and
saves its state after each day. A resumed run starts with the first unfinished day.
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace

from commonplace.domain.ids import new_run_id
from commonplace.domain.runs import Mode, Run, RunOperation
from commonplace.extraction.days import Day, days_of
from commonplace.nightly.budget import cost_of
from commonplace.nightly.day_planner import DayPlanner, ReadDay, SavedAnswers, UnsavedAnswers, interactions_of
from commonplace.nightly.given_interactions import without_answers
from commonplace.nightly.memory_view import RunMemoryView
from commonplace.ports.night import LedgerEntry
from commonplace.runs import apply, finalize
from commonplace.runs.apply import Lease, Plan, PlannedOperation, RunContext, parse_saved, review_part

MOST_INTERACTIONS = 500
"""The maximum number of interactions per run. The next run of the same night reads the rest."""
_DAMAGED = "these interactions can't be read, and are given up"
_FAILURES_BEFORE_RULES = 2  # how many runs must fail before the rule-based reader reads the interaction
_TRIES = 3
_NO_PROGRESS = "reading this day stopped the run three times; it is left for another run"
_DAMAGED_PLAN = "the plan of a day can't be read; applied operations stay, and its interactions are left for another run"

Progress = Callable[[int, int], None]
"""A callback that receives the number of finished interactions and the total number."""


@dataclass(frozen=True)
class RunOptions:
    """The options for a run. `mode` is for new runs. `may_continue` is called before each day, and `progress` after it."""

    read: ReadDay
    mode: Mode
    model: str | None = None
    prompt_version: str | None = None
    may_continue: Callable[[], bool] = lambda: True
    progress: Progress | None = None


def begin(context: RunContext, night: RunOptions, lease: Lease, tried: Collection[str] = ()) -> Run | None:
    """Start a run over the pending interactions that aren't in `tried`. Returns None if there are none."""
    entries = pending(context, tried)
    if not entries:
        return None
    run = new_run(context, night, entries)
    context.night.runs.save(run, lease.fence)
    return run


def pending(context: RunContext, tried: Collection[str] = ()) -> list[LedgerEntry]:
    """Return the pending ledger entries that the next run reads, oldest first. Entries in `tried` are skipped."""
    entries = context.night.ledger.pending(context.user_id, MOST_INTERACTIONS + len(tried))
    return [entry for entry in entries if entry.interaction_id not in tried][:MOST_INTERACTIONS]


def new_run(context: RunContext, night: RunOptions, entries: Collection[LedgerEntry]) -> Run:
    """Create a run over `entries` without saving the run."""
    now = context.caller.now
    damaged = [entry.interaction_id for entry in entries if entry.interaction is None]
    return Run(
        run_id=new_run_id(now),
        user_id=context.user_id,
        date=now.date(),
        mode=night.mode,
        model=night.model,
        prompt_version=night.prompt_version,
        interactions=tuple(entry.interaction_id for entry in entries),
        started_at=now,
        notes=(f"{_DAMAGED}: {', '.join(damaged)}",) if damaged else (),
    )


def run_days(run: Run, context: RunContext, night: RunOptions, lease: Lease) -> Run:
    """Read and apply the remaining days of a run. If `may_continue` returns False, the run stays `running` until resumed."""
    entries = context.night.ledger.entries(context.user_id, run.interactions)
    if run.finished_at is not None:
        return finalize.close(run, entries, context, lease)
    zone = context.caller.now.tzinfo
    context = replace(context, caller=replace(context.caller, now=run.started_at.astimezone(zone)))  # same when resumed
    failed_twice = frozenset(entry.interaction_id for entry in entries if entry.failures >= _FAILURES_BEFORE_RULES)
    planner = DayPlanner(context, night.read, run.mode or night.mode, failed_twice, RunMemoryView(context))
    done = 0
    for day in _build_days(entries, context):
        done += len(interactions_of(day))
        if run.through is not None and day.date <= run.through:
            continue
        if not night.may_continue():
            return run
        lease.renew()
        plan = _load_or_make_plan(run, day, planner, lease)
        operations = tuple(apply.apply(planned, run.run_id, lease, run.attempts >= _TRIES) for planned in plan.operations)
        for planned in plan.operations:
            if planned.told.outcome == "needs_review":
                name = review_part(planned.told.operation_id)
                context.night.parts.save_part(run, name, planned.model_dump_json(), lease.fence)
        run = with_plan(run, plan, operations, context).model_copy(update={"through": day.date, "attempts": 0})
        context.night.runs.save(run, lease.fence)
        _report_progress(night, done, entries)
    return finalize.close(run, entries, context, lease)


def preview(context: RunContext, night: RunOptions) -> tuple[Run, tuple[PlannedOperation, ...]]:
    """Return the changes that a run would make now. No memory is changed, but the model is called, which may cost money."""
    entries = pending(context)
    run, view, planned = new_run(context, night, entries), RunMemoryView(context), list[PlannedOperation]()
    failed_twice = frozenset(entry.interaction_id for entry in entries if entry.failures >= _FAILURES_BEFORE_RULES)
    planner, done = DayPlanner(context, night.read, night.mode, failed_twice, view), 0
    for day in _build_days(entries, context):
        plan = planner.plan(day, UnsavedAnswers())
        view.stage(planned for planned in plan.operations if planned.told.outcome == "planned")
        planned += plan.operations
        run = with_plan(run, plan, tuple(planned.told for planned in plan.operations), context)
        done += len(interactions_of(day))
        _report_progress(night, done, entries)
    notes = (*run.notes, "a dry run: nothing was changed")
    return run.model_copy(update={"status": "done", "finished_at": context.clock(), "notes": notes}), tuple(planned)


def with_plan(run: Run, plan: Plan, operations: tuple[RunOperation, ...], context: RunContext) -> Run:
    """Return a copy of the run that includes a plan's results and `operations`."""
    summed = ("dropped", "candidates", "unread", "stopped", "calls", "input_tokens", "output_tokens")
    results = {name: getattr(run, name) + getattr(plan, name) for name in summed}
    results["operations"] = (*run.operations, *operations)
    results["notes"] = tuple(dict.fromkeys((*run.notes, *plan.notes)))
    results["cost"] = run.cost + cost_of(plan.input_tokens, plan.output_tokens, context.night.allowance)
    return run.model_copy(update=results)


def _build_days(entries: Collection[LedgerEntry], context: RunContext) -> list[Day]:
    zone = context.caller.now.tzinfo
    assert zone is not None
    interactions = [entry.interaction for entry in entries if entry.interaction is not None]
    return days_of(without_answers(interactions, context.caller), zone)


def _report_progress(night: RunOptions, done: int, entries: Collection[LedgerEntry]) -> None:
    if night.progress:
        night.progress(done, len(entries))


def _load_or_make_plan(run: Run, day: Day, planner: DayPlanner, lease: Lease) -> Plan:
    """Return the saved plan for a day, or make and save one. After three failed attempts, the interactions stay unread."""
    parts, name = lease.context.night.parts, f"plan/{day.date}"
    saved = parts.part(run.user_id, run.run_id, name)
    if saved is not None:
        return parse_saved(Plan, saved) or Plan(unread=interactions_of(day), notes=(_DAMAGED_PLAN,))
    if run.attempts >= _TRIES:
        left = interactions_of(day)
        plan = Plan(unread=left, stopped=left, notes=(_NO_PROGRESS,))
    else:
        plan = planner.plan(day, SavedAnswers(run, lease))
    parts.save_part(run, name, plan.model_dump_json(), lease.fence)
    return plan
