"""Choose whether rules or a model read a run's days. Rules also read the interactions that the model can't read."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from commonplace.domain.runs import Mode
from commonplace.extraction.candidate import MemoryView, Reader, Reading
from commonplace.extraction.days import Day
from commonplace.extraction.rules import LEAST_WORTH, RulesReader
from commonplace.nightly.agent import read_by_agent
from commonplace.nightly.budget import Answers, MeteredModel, Unread
from commonplace.nightly.day_planner import ReadDay
from commonplace.nightly.memory_view import StagedView
from commonplace.nightly.pipeline import read_by_pipeline
from commonplace.ports.models import LanguageModel
from commonplace.ports.night import NightPorts
from commonplace.runs.apply import RunContext

NO_MODEL = "there is no model: read by rules"


def mode_of(requested: Mode | None, model: LanguageModel | None) -> Mode:
    """Return the requested mode of a run (default: `pipeline`). If there is no model, the mode is always `rules`."""
    return "rules" if model is None else requested or "pipeline"


@dataclass(frozen=True)
class ModeReader:
    """Reads days in any mode during one user's run. Calls to the model count toward the token budget for `now`'s UTC date."""

    rules: Reader
    ports: NightPorts
    user_id: str
    now: datetime

    def read_day(
        self, mode: Mode, day: Day, view: MemoryView, answers: Answers, failed_twice: frozenset[str] = frozenset()
    ) -> Reading:
        """Read one day and return the decisions about memories.

        A failing model raises no error. If a retry would not help (no model, no budget, a malformed request), the rule-based
        reader reads the interactions now and adds a note. If a retry may help (the model is down, slow or declines), the
        interactions are `unread` and stay pending. `failed_twice` contains the ids of interactions that two runs failed to
        read. The rule-based reader reads these instead. `answers` contains the run's saved answers.
        """
        model = self.ports.model
        if model is None:
            read = self.rules.read(day, view)
            return replace(read, notes=(*read.notes, NO_MODEL))
        if mode == "rules":
            return self.rules.read(day, view)
        today = self.now.astimezone(UTC).date()
        metered = MeteredModel(model, self.ports.budget, answers, self.user_id, today, self.ports.allowance)
        read_by_model = read_by_agent if mode == "agent" else read_by_pipeline
        reading, unread = read_by_model(day, view, metered, self.now)
        whole = self._read_unread_by_rules(reading, unread, day, view, failed_twice)
        return replace(whole, calls=metered.calls, input_tokens=metered.input_tokens, output_tokens=metered.output_tokens)

    def _read_unread_by_rules(
        self, reading: Reading, unread: Sequence[Unread], day: Day, view: MemoryView, failed_twice: frozenset[str]
    ) -> Reading:
        """Read titles with the rule-based reader, and the unread interactions that don't wait for another run."""
        waiting = {interaction for skipped in unread if skipped.waits for interaction in skipped.interactions - failed_twice}
        missed = {interaction for gap in unread for interaction in gap.interactions} - waiting
        remaining = Day(
            day.date,
            tuple(utterance for utterance in day.utterances if utterance.interaction_id in missed),
            tuple(title for title in day.titles if title.interaction_id not in waiting),
        )
        # The rules need whole interactions. Drop the model's decisions on the same interactions to avoid duplicates.
        by_model = tuple(decision for decision in reading.decisions if decision.candidate.interaction_id not in missed)
        by_rules = self.rules.read(remaining, StagedView(view, by_model))
        reasons = (f"{'left unread' if gap.interactions & waiting else 'read by rules'}: {gap.why}" for gap in unread)
        return Reading(
            decisions=by_model + by_rules.decisions,
            dropped=reading.dropped + by_rules.dropped,
            candidates=reading.candidates + by_rules.candidates,
            unread=tuple(sorted(waiting)),
            notes=tuple(dict.fromkeys((*reading.notes, *reasons, *by_rules.notes))),
        )


def reader_for(context: RunContext) -> ReadDay:
    """Return a function that reads days with the models of `context`. Tokens are charged to the user of `context`."""
    least_worth = context.night.least_worth
    rules = RulesReader(context.ports.words, LEAST_WORTH if least_worth is None else least_worth)
    return lambda *arguments: ModeReader(rules, context.night, context.user_id, context.clock()).read_day(*arguments)
