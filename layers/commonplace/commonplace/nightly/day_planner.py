"""Plan the changes that a day's interactions make to memories. One unreadable interaction doesn't block the others."""

import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from commonplace.domain.errors import CommonplaceError, ErrorCode, places_of
from commonplace.domain.runs import Mode, Run
from commonplace.extraction.candidate import MemoryView, Reading
from commonplace.extraction.days import Day
from commonplace.nightly.budget import Answers
from commonplace.nightly.memory_view import RunMemoryView
from commonplace.nightly.operations_planner import plan_operations
from commonplace.runs.apply import Lease, Plan, RunContext, merged
from commonplace.runs.limits import apply_limits, usage_of_day

ReadDay = Callable[[Mode, Day, MemoryView, Answers, frozenset[str]], Reading]
"""A function that reads a day in a mode, using saved answers. The set contains the ids of interactions that failed twice."""

_RUNS = 20  # how many of the newest runs are searched for earlier runs of the same day
_TRY_LATER = (ErrorCode.STORAGE_UNAVAILABLE, ErrorCode.LEASE_LOST)
_NOT_ADDED = 'than one day adds were left out; say "remember that" before anything important'
_log = logging.getLogger("commonplace")


@dataclass(frozen=True)
class SavedAnswers:
    """Model answers stored as parts of a run."""

    run: Run
    lease: Lease
    prefix: str = "answers/"

    def get(self, name: str) -> str | None:
        return self.lease.context.night.parts.part(self.run.user_id, self.run.run_id, self.prefix + name)

    def save(self, name: str, body: str) -> None:
        self.lease.renew()
        self.lease.context.night.parts.save_part(self.run, self.prefix + name, body, self.lease.fence)


@dataclass(frozen=True)
class UnsavedAnswers:
    """The model's answers in a dry run. They are kept only in RAM."""

    answers: dict[str, str] = field(default_factory=dict)
    prefix: str = ""

    def get(self, name: str) -> str | None:
        return self.answers.get(self.prefix + name)

    def save(self, name: str, body: str) -> None:
        self.answers[self.prefix + name] = body


@dataclass(frozen=True)
class DayPlanner:
    """Plans the days of one user in one mode. `failed_twice` lists the ids of interactions that two runs failed to read."""

    context: RunContext
    read: ReadDay
    mode: Mode
    failed_twice: frozenset[str]
    view: RunMemoryView

    def plan(self, day: Day, answers: SavedAnswers | UnsavedAnswers) -> Plan:
        """Plan the operations of a day and apply the limits to them."""
        draft = self.draft(day, answers)
        caller, ports = self.context.caller, self.context.ports
        active = ports.facts.statistics(caller.user_id, caller.now, ports.embedder.name).active
        spent = usage_of_day(day.date, self.context.night.runs.newest(caller.user_id, _RUNS))
        operations = apply_limits(draft.operations, active, spent)
        surplus = sum(planned.told.outcome == "over_cap" for planned in operations)
        notes = (*draft.notes, f"{day.date}: {surplus} more {_NOT_ADDED}") if surplus else draft.notes
        return draft.model_copy(update={"operations": operations, "notes": notes})

    def draft(self, day: Day, answers: SavedAnswers | UnsavedAnswers) -> Plan:
        """Plan a day. If that fails, plan each interaction separately and leave only the faulty interactions unread."""
        try:
            reading = self.read(self.mode, day, self.view, answers, self.failed_twice)
            return plan_operations(reading, day, self.view, self.context)
        except Exception as error:  # whatever the failure, read the other interactions
            if isinstance(error, CommonplaceError) and error.code in _TRY_LATER:
                raise
            failure = error
        ids = interactions_of(day)
        if len(ids) > 1:
            return merged(self._draft_separately(day, ids, answers))
        why = f"{type(failure).__name__} at {places_of(failure)}"
        _log.error("an interaction of %s can't be read: %s", day.date, why)
        return Plan(unread=ids, notes=("an interaction can't be read; it is tried again in the next run",))

    def _draft_separately(self, day: Day, ids: Sequence[str], answers: SavedAnswers | UnsavedAnswers) -> Iterator[Plan]:
        """Yield one plan per interaction. Earlier plans count as applied, so that later interactions can correct them."""
        view = self.view.copy()
        for interaction_id in ids:
            utterances = tuple(utterance for utterance in day.utterances if utterance.interaction_id == interaction_id)
            titles = tuple(title for title in day.titles if title.interaction_id == interaction_id)
            narrowed = replace(day, utterances=utterances, titles=titles)
            own_answers = replace(answers, prefix=f"{answers.prefix}{interaction_id}/")
            plan = replace(self, view=view).draft(narrowed, own_answers)
            view.stage(plan.operations)
            yield plan


def interactions_of(day: Day) -> tuple[str, ...]:
    """Return the ids of a day's interactions, oldest first."""
    times = [(utterance.time, utterance.interaction_id) for utterance in day.utterances]
    title_times = [(title.time, title.interaction_id) for title in day.titles]
    return tuple(dict.fromkeys(interaction_id for _, interaction_id in sorted(times + title_times)))
