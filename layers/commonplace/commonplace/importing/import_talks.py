"""Conversations of an export, read like those of a night: in order of their time, and as runs that can be undone."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import Any

from commonplace.domain.batching import in_batches
from commonplace.domain.fields import Notes
from commonplace.domain.imports import Imported, RefusedEntry, Unread
from commonplace.domain.interactions import Interaction, RefusedInteraction
from commonplace.domain.runs import Mode, Run, RunStatus
from commonplace.domain.taxonomy import ImportKind
from commonplace.extraction.candidate import MemoryView, Reading
from commonplace.extraction.days import Day, Utterance, days_of
from commonplace.extraction.rules import LEAST_WORTH, Refused, RulesReader
from commonplace.extraction.worthiness import NOT_WORTH
from commonplace.importing.in_its_time import in_its_time, in_order_of_messages, piece_times
from commonplace.importing.kept_talks import KeptTalk, in_order
from commonplace.nightly.budget import Answers
from commonplace.nightly.day_planner import DayPlanner, UnsavedAnswers
from commonplace.nightly.given_interactions import redacted, well_formed, without_answers
from commonplace.nightly.intake import split_interaction
from commonplace.nightly.memory_view import RunMemoryView
from commonplace.pages.publishing import publish
from commonplace.ports.bundle import Ports
from commonplace.ports.night import LedgerMark
from commonplace.ports.values import Caller
from commonplace.runs.apply import Plan, PlannedOperation, RunContext, leased, merged
from commonplace.runs.limits import apply_limits
from commonplace.runs.staging import change_many, run_context
from commonplace.text.foundation.sentences import sentence_spans
from commonplace.use_cases.import_facts import REFUSED, Progress
from commonplace.use_cases.left_out import LeftOutWords, words_of

_AT_ONCE = 500  # talks that one run reads, as of a night
_RUNS = 200  # newest ones, among which are those that were undone
_IN_PART = "the plan read the oldest {read} of {all} talks; the others are read when it is applied"
_WAITS = "wishes to forget, and what would close much, wait for review: commonplace runs show {run_id}"
_UNREAD = "it can't be read"
KNOWN, TWICE = "in a conversation that an earlier import read", "in a conversation that stands there twice"
LATER = "in a conversation that is only read when the import is applied"
SAID, WAITING = "said before", "waits for review"
FOREIGN = "not in the user's own words: quoted, pasted or code"
Place = tuple[str, int]
"""The id of a talk, and the message in it."""


def import_talks(
    kind: ImportKind, why: str, given: Iterable[dict[str, Any] | RefusedEntry | Unread], caller: Caller, ports: Ports, *,
    apply: bool, progress: Progress, passages: bool = False,
) -> Imported:  # fmt: skip
    """Tells what reading these talks would bring, or reads them. Those that were read before are known.

    In order of their time, and what was said after a message is neither changed, closed nor forgotten by it. 500 talks are
    a run; wishes to forget wait for review in a run of their own. `progress` is told how many of how many are read;
    `passages`: lists what is left out.
    """
    context, left = run_context(caller, ports), LeftOutWords(passages)
    work = _Work(context, progress, left)
    with in_order(left.taken(given), work.refused, partial(work.leave, TWICE)) as (talks, number):
        known = work.known_among(talks)
        fresh = [one for one in talks if one.name not in known]
        for one in (*(talk for talk in talks if talk.name in known), *([] if apply else fresh[_AT_ONCE:])):
            work.leave(KNOWN if one.name in known else LATER, one.load())
        work.total, batches = len(fresh), list(in_batches(fresh, _AT_ONCE))
        for batch in batches if apply else batches[:1]:
            work.read([one.load() for one in batch], apply)
    warnings = [_WAITS.format(run_id=one) for one in work.waiting]
    if not apply and len(fresh) > _AT_ONCE:
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
        **left.told,
        notes=Notes(redacted=list(dict.fromkeys(work.kinds)) or None, warnings=warnings or None) or None,
    )


@dataclass
class _Work:
    """What came of the talks that were read so far."""

    context: RunContext
    progress: Progress
    left: LeftOutWords
    total: int = 0
    read_so_far: int = 0
    added: int = 0
    closed: int = 0
    runs: list[str] = field(default_factory=list)
    status: RunStatus | None = None
    waiting: list[str] = field(default_factory=list)
    refused: list[RefusedEntry] = field(default_factory=list)
    times: dict[str, list[datetime]] = field(default_factory=dict)
    kinds: list[str] = field(default_factory=list)

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

    def leave(self, reason: str, talk: Mapping[str, Any]) -> None:
        """Counts what the user says in a talk that is not read; what others say in it is counted already."""
        before = None
        for message in talk["messages"]:
            if message["role"] == "user":
                self.left.add(Unread(talk["id"], reason, message["content"], before))
            before = message["content"]

    def _leave_all(self, unread: Iterable[Unread]) -> None:
        for one in unread:
            self.left.add(one)

    def read(self, talks: Sequence[Mapping[str, Any]], apply: bool) -> None:
        """Reads some talks: plans their days one after the other, and applies that as a run."""
        self.times.clear()
        clean = list(self._clean(talks))
        if not apply:
            plan, _, unread = self._planned(clean)
            self._count(plan.operations)
            self._leave_all(unread)
            return
        planned = list[tuple[Plan, Plan, list[Unread]]]()

        def planner(_: RunContext) -> Plan:
            planned.append(self._planned(clean))
            return planned[-1][0]

        run = change_many("import", planner, self.context, dry_run=False, publish=publish).run
        self._keep_as_read(run, clean)
        applied = {one.operation_id for one in run.operations if one.outcome == "applied"}
        plan, waiting, unread = planned[-1]
        self._leave_all(unread)
        self._count([one for one in plan.operations if one.told.operation_id in applied])
        if waiting.operations:
            staged = change_many("import", lambda _: waiting, self.context, dry_run=True)
            self.waiting.append(staged.run.run_id)

    def _clean(self, talks: Sequence[Mapping[str, Any]]) -> Iterator[Interaction]:
        """The talks without secrets, as a night reads them; what may not be recorded is refused."""
        wrong, last, caller = list[RefusedInteraction](), None, self.context.caller
        for talk in talks:
            given = {name: value for name, value in talk.items() if name != "times"}
            refused = len(wrong)
            for one in well_formed([given], caller, wrong):
                before, last = last, one
                clean = redacted(one, caller, self.kinds, before)
                self.times[clean.id] = piece_times(talk, clean)
                yield from split_interaction(clean)
            if len(wrong) > refused:
                self.leave(REFUSED.format("invalid_argument"), talk)
        told = (
            RefusedEntry(where=one.id or "?", field=one.field, code="invalid_argument", message=one.message) for one in wrong
        )
        self.refused.extend(told)

    def _planned(self, talks: Sequence[Interaction]) -> tuple[Plan, Plan, list[Unread]]:
        """What the days come to, one after the other, what of it a person decides, and what becomes no memory."""
        caller, view = self.context.caller, RunMemoryView(self.context)
        refused, unread = dict[Place, dict[str, str]](), list[Unread]()

        def refuse(said: Utterance, clause: str, why: str) -> None:
            refused.setdefault((said.interaction_id, said.position), {})[clause] = why

        planner = DayPlanner(self.context, _by_rules(self.context, refuse), "rules", frozenset(), view)
        zone = caller.now.tzinfo
        assert zone is not None
        plans, waits, moved = list[Plan](), list[Plan](), dict[str, Any]()
        for whole in days_of(without_answers(talks, caller), zone):
            day = in_order_of_messages(whole, self.times)
            drafted = planner.draft(day, UnsavedAnswers())
            self.refused += [RefusedEntry(where=one, field=None, code="internal", message=_UNREAD) for one in drafted.unread]
            plan, waiting = in_its_time(_limited(drafted, self.context), day, caller.now, moved)
            view.stage(plan.operations)
            unread += _unread_in(day, plan, waiting, refused)
            plans.append(plan)
            waits.append(waiting)
            self.read_so_far += len({one.interaction_id for one in day.utterances})
            self.progress(min(self.read_so_far, self.total), self.total)
        return merged(plans), merged(waits), unread

    def _count(self, operations: Sequence[PlannedOperation]) -> None:
        opened = [one.opens.memory for one in operations if one.opens is not None]
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


def _unread_in(day: Day, plan: Plan, waiting: Plan, refused: Mapping[Place, Mapping[str, str]]) -> Iterator[Unread]:
    """The sentences of the user of which a word is in no memory of their message."""
    kept, reasons = dict[Place, set[str]](), dict[Place, str]()
    for one in plan.operations:
        place = one.told.interaction_id or "", one.told.position or 0
        if one.opens is not None and one.told.outcome == "planned":
            memory = one.opens.memory
            kept.setdefault(place, set()).update(words_of(f"{memory.raw_text} {memory.evidence or ''}"))
        else:
            reasons[place] = one.told.why or SAID
    reasons |= {(one.interaction_id, one.position or 0): one.why for one in plan.dropped}
    reasons |= {(one.told.interaction_id or "", one.told.position or 0): WAITING for one in waiting.operations}
    for said in day.utterances:
        place = said.interaction_id, said.position
        clauses = refused.get(place, {})
        for start, end in sentence_spans(said.text) if said.role == "user" else ():
            sentence = said.text[start:end]
            if words_of(sentence) <= kept.get(place, set()):
                continue
            why = next((why for clause, why in clauses.items() if clause in sentence or sentence in clause), None)
            if why is None and not any(first < end and last > start for first, last in said.own):
                why = FOREIGN
            reason = why or reasons.get(place) or (_UNREAD if said.interaction_id in plan.unread else NOT_WORTH)
            yield Unread(f"{said.interaction_id}, message {said.position + 1}", reason, sentence)


def _by_rules(context: RunContext, refused: Refused) -> Any:
    least = context.night.least_worth
    rules = RulesReader(context.ports.words, LEAST_WORTH if least is None else least, refused)

    def read(_mode: Mode, day: Day, view: MemoryView, _answers: Answers, _failed: frozenset[str]) -> Reading:
        return rules.read(day, view)

    return read
