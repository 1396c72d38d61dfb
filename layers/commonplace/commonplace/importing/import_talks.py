"""Conversations of an export, read like those of a night: in order of their time, and as runs that can be undone."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from commonplace.domain.batching import in_batches
from commonplace.domain.fields import Notes
from commonplace.domain.imports import Imported, ImportedMemory, RefusedEntry
from commonplace.domain.interactions import Interaction, RefusedInteraction
from commonplace.domain.runs import Mode, Run, RunStatus
from commonplace.domain.taxonomy import ImportKind
from commonplace.extraction.candidate import MemoryView, Reading
from commonplace.extraction.days import Day, days_of
from commonplace.extraction.rules import LEAST_WORTH, RulesReader
from commonplace.importing.in_its_time import in_its_time, in_order_of_messages, piece_times
from commonplace.importing.kept_talks import KeptTalk, Talks, in_order
from commonplace.nightly.budget import Answers
from commonplace.nightly.day_planner import DayPlanner, UnsavedAnswers
from commonplace.nightly.given_interactions import redacted, well_formed, without_answers
from commonplace.nightly.intake import split_interaction
from commonplace.nightly.memory_view import RunMemoryView
from commonplace.pages.publishing import publish
from commonplace.ports.bundle import Ports
from commonplace.ports.ledger_values import LedgerMark
from commonplace.ports.values import Caller
from commonplace.runs.apply import RunContext, leased
from commonplace.runs.limits import apply_limits
from commonplace.runs.plan import Plan, PlannedOperation, merged
from commonplace.runs.staging import change_many, run_context
from commonplace.use_cases.import_facts import Progress

_AT_ONCE = 500  # talks that one run reads, as of a night
_RUNS = 200  # newest ones, among which are those that were undone
_IN_PART = "the plan read the oldest {read} of {all} talks; the others are read when it is applied"
_WAITS = "wishes to forget, and what would close much, wait for review: commonplace runs show {run_id}"
_UNREAD = "it can't be read"


def import_talks(
    kind: ImportKind, why: str, given: Talks, caller: Caller, ports: Ports, *, apply: bool, listed: range | None,
    progress: Progress,
) -> Imported:  # fmt: skip
    """Tells what reading these talks would bring, or reads them. Those that were read before are known.

    In order of their time, and what was said after a message is neither changed, closed nor forgotten by it. 500 talks are
    a run; wishes to forget wait for review in a run of their own. `progress` is told how many of how many are read.
    `listed`: which of the memories are told; with None all are, and a plan reads all talks.
    """
    context = run_context(caller, ports)
    work = _Work(context, progress)
    with in_order(given, work.refused, work.left_out) as (talks, number):
        known = work.known_among(talks)
        fresh = [one for one in talks if one.name not in known]
        work.total, batches = len(fresh), list(in_batches(fresh, _AT_ONCE))
        for batch in batches if apply or listed is None else batches[:1]:
            work.read([one.load() for one in batch], apply)
    warnings = [_WAITS.format(run_id=one) for one in work.waiting]
    if not apply and listed is not None and len(fresh) > _AT_ONCE:
        warnings.append(_IN_PART.format(read=_AT_ONCE, all=len(fresh)))
    return Imported(
        kind=kind,
        why=why,
        applied=apply,
        run_id=work.runs[-1] if work.runs else None,
        status=work.status,
        runs=work.runs,
        entries=number,
        added=work.added,
        closed=work.closed,
        known=sorted(known),
        conflicts=[],
        refused=work.refused,
        left_out=dict(work.left_out),
        outcomes={"added": work.added},
        memories=work.rows if listed is None else work.rows[listed.start : listed.stop],
        notes=Notes(redacted=list(dict.fromkeys(work.kinds)) or None, warnings=warnings or None) or None,
    )


@dataclass
class _Work:
    """What came of the talks that were read so far."""

    context: RunContext
    progress: Progress
    total: int = 0
    read_so_far: int = 0
    added: int = 0
    closed: int = 0
    runs: list[str] = field(default_factory=list)
    status: RunStatus | None = None
    waiting: list[str] = field(default_factory=list)
    refused: list[RefusedEntry] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)
    times: dict[str, list[datetime]] = field(default_factory=dict)
    kinds: list[str] = field(default_factory=list)
    rows: list[ImportedMemory] = field(default_factory=list)
    preview: tuple[RunMemoryView, dict[str, datetime]] | None = None

    def known_among(self, talks: Sequence[KeptTalk]) -> set[str]:
        """The names of those that a run has read that was not undone."""
        night, user_id = self.context.night, self.context.user_id
        undone = {run.undoes for run in night.runs.newest(user_id, _RUNS) if run.kind == "undo"}
        return {
            one.interaction_id
            for few in in_batches([talk.name for talk in talks], _AT_ONCE)
            for one in night.ledger.entries(user_id, few)
            if one.run_id not in undone
        }

    def read(self, talks: Sequence[Mapping[str, Any]], apply: bool) -> None:
        """Reads some talks: plans their days one after the other, and applies that as a run."""
        self.times.clear()
        clean = list(self._clean(talks))
        if not apply:
            self.preview = self.preview or (RunMemoryView(self.context), {})
            self._count(self._planned(clean, *self.preview)[0].operations)
            return
        planned = list[tuple[Plan, Plan]]()

        def planner(_: RunContext) -> Plan:
            planned.append(self._planned(clean, RunMemoryView(self.context), {}))
            return planned[-1][0]

        run = change_many("import", planner, self.context, dry_run=False, publish=publish).run
        self._keep_as_read(run, clean)
        applied = {one.operation_id for one in run.operations if one.outcome == "applied"}
        plan, waiting = planned[-1]
        self._count([one for one in plan.operations if one.told.operation_id in applied])
        if waiting.operations:
            staged = change_many("import", lambda _: waiting, self.context, dry_run=True)
            self.waiting.append(staged.run.run_id)

    def _clean(self, talks: Sequence[Mapping[str, Any]]) -> Iterator[Interaction]:
        """The talks without secrets, as a night reads them; what may not be recorded is refused."""
        wrong, last, caller = list[RefusedInteraction](), None, self.context.caller
        for talk in talks:
            given = {name: value for name, value in talk.items() if name != "times"}
            for one in well_formed([given], caller, wrong, []):
                before, last = last, one
                clean = redacted(one, caller, self.kinds, before)
                self.times[clean.id] = piece_times(talk, clean)
                yield from split_interaction(clean)
        told = (
            RefusedEntry(where=one.id or "?", field=one.field, code="invalid_argument", message=one.message) for one in wrong
        )
        self.refused.extend(told)

    def _planned(self, talks: Sequence[Interaction], view: RunMemoryView, moved: dict[str, datetime]) -> tuple[Plan, Plan]:
        """What the days come to, one after the other, and what of it a person decides."""
        caller = self.context.caller
        planner = DayPlanner(self.context, _by_rules(self.context), "rules", frozenset(), view)
        zone = caller.now.tzinfo
        assert zone is not None
        plans, waits = list[Plan](), list[Plan]()
        for whole in days_of(without_answers(talks, caller), zone):
            day = in_order_of_messages(whole, self.times)
            drafted = planner.draft(day, UnsavedAnswers())
            self.refused += [RefusedEntry(where=one, field=None, code="internal", message=_UNREAD) for one in drafted.unread]
            plan, waiting = in_its_time(_limited(drafted, self.context), day, caller.now, moved)
            view.stage(plan.operations)
            plans.append(plan)
            waits.append(waiting)
            self.read_so_far += len({one.interaction_id for one in day.utterances})
            self.progress(min(self.read_so_far, self.total), self.total)
        return merged(plans), merged(waits)

    def _count(self, operations: Sequence[PlannedOperation]) -> None:
        opened = [one.opens.memory for one in operations if one.opens is not None]
        self.rows += [
            ImportedMemory(where=one.told.interaction_id or "", outcome="added", content=one.opens.memory.content)
            for one in operations
            if one.opens is not None
        ]
        self.added += len(opened)
        self.closed += sum(one.status != "active" for one in opened) + sum(len(one.closes) for one in operations)

    def _keep_as_read(self, run: Run, talks: Sequence[Interaction]) -> None:
        """Records the talks once they are read: no night is to read them, which knows nothing of their place in time."""
        context, ids = self.context, tuple(dict.fromkeys(one.id for one in talks))
        with leased(context) as lease:
            context.night.ledger.record(context.user_id, talks, context.caller.now)
            run = run.model_copy(update={"interactions": ids})
            context.night.runs.close(run, dict.fromkeys(ids, LedgerMark("read")), lease.fence)
        self.runs.append(run.run_id)
        self.status = run.status


def _limited(plan: Plan, context: RunContext) -> Plan:
    """A day within the limits of one, but for wishes to forget: those wait whatever they are."""
    caller, ports = context.caller, context.ports
    active = ports.facts.statistics(caller.user_id, caller.now, ports.embedder.name).active
    wishes = [one for one in plan.operations if one.told.kind == "FORGET"]
    others = apply_limits([one for one in plan.operations if one.told.kind != "FORGET"], active)
    return plan.model_copy(update={"operations": (*wishes, *others)})


def _by_rules(context: RunContext) -> Any:
    least = context.night.least_worth
    rules = RulesReader(context.ports.words, LEAST_WORTH if least is None else least)

    def read(_mode: Mode, day: Day, view: MemoryView, _answers: Answers, _failed: frozenset[str]) -> Reading:
        return rules.read(day, view)

    return read
