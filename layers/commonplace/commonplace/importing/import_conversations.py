"""Import exported conversations, oldest first, with the rules of a nightly run. An import consists of several runs."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from io import SEEK_END
from tempfile import TemporaryFile
from typing import IO, Any

from commonplace.domain.batching import in_batches
from commonplace.domain.fields import Notes
from commonplace.domain.imports import Imported, ImportedMemory, RefusedEntry, Unread
from commonplace.domain.interactions import Discussion, Interaction, RefusedInteraction
from commonplace.domain.memory import Memory
from commonplace.domain.runs import Dropped, Run, RunStatus
from commonplace.domain.taxonomy import ImportKind
from commonplace.extraction.days import Day, Utterance, days_of
from commonplace.extraction.decisions import KNOWN as RESTATED
from commonplace.extraction.rules import LEAST_WORTH, Refused, RulesReader
from commonplace.extraction.worthiness import NOT_WORTH
from commonplace.importing.chat_exports import Conversations
from commonplace.memories.ingest import DAILY_FOR
from commonplace.memories.transitions import PURGE_DELAY
from commonplace.nightly.day_planner import DayPlanner, ReadDay, UnsavedAnswers
from commonplace.nightly.given_interactions import redacted, well_formed, without_answers
from commonplace.nightly.growth import growth, messages_of, part_id, recorded_parts
from commonplace.nightly.intake import split_messages, split_text
from commonplace.nightly.memory_view import RunMemoryView
from commonplace.pages.publishing import publish
from commonplace.ports.bundle import Ports
from commonplace.ports.night import LedgerMark
from commonplace.ports.values import Caller
from commonplace.runs.apply import Plan, PlannedChange, PlannedOperation, RunContext, leased, merged
from commonplace.runs.limits import apply_limits
from commonplace.runs.staging import change_many, run_context
from commonplace.text.foundation.sentences import sentence_spans
from commonplace.use_cases.import_facts import Progress
from commonplace.use_cases.left_out import REFUSED, LeftOutWords, words_of

_CLOSES_NEWER = "it would close only memories that were said later"
_EXPIRED = "it has expired"
_RUN_SIZE = 500
_RUNS_SEARCHED = 200  # how many of the newest runs are searched for undone runs
_PARTIAL_PLAN = "the plan read the oldest {read} of {all} conversations; the import reads the others when you apply it"
_NEEDS_REVIEW = "requests to forget, and large changes, wait for review: commonplace runs show {run_id}"
_UNREAD = "it can't be read"
KNOWN, TWICE = "in a conversation that an earlier import read", "in a conversation that the file contains twice"
LATER = "in a conversation that is only read when the import is applied"
REPEATED, WAITING = "said before", "waits for review"
FOREIGN = "not in the user's own words: quoted, pasted or code"
Place = tuple[str, int]
"""The id of a conversation, and the position of a message in it."""


def import_conversations(
    kind: ImportKind,
    why: str,
    entries: Conversations,
    caller: Caller,
    ports: Ports,
    *,
    apply: bool,
    listed: range | None,
    progress: Progress,
) -> Imported:
    """Import conversations, or only plan the import. Conversations that an earlier import has read are skipped.

    Conversations are read oldest first. A message never changes, closes or forgets anything that was said later. Each run
    reads up to 500 conversations. Requests to forget await review in a separate run. `progress` receives the number of
    conversations read and the total number. `listed` is the range of memories to report. If `listed` is None, all memories
    and all skipped passages are reported, and planning reads every conversation.
    """
    context, left = run_context(caller, ports), LeftOutWords(listing=listed is None)
    work, most = _Import(context, progress, left), None if apply or listed is None else _RUN_SIZE
    with sorted_by_time(left.taken(entries), work.refused, partial(work.leave, TWICE)) as (conversations, number):
        known = work.find_known(conversations)
        fresh = [conversation for conversation in conversations if conversation.name not in known]
        for entry in (*(stored for stored in conversations if stored.name in known), *(fresh[most:] if most else ())):
            work.leave(KNOWN if entry.name in known else LATER, entry.load())
        work.total = len(fresh)
        for batch in in_batches(fresh[:most], _RUN_SIZE):
            work.read([conversation.load() for conversation in batch], apply)
    warnings = [_NEEDS_REVIEW.format(run_id=run_id) for run_id in work.waiting]
    if most and len(fresh) > most:
        warnings.append(_PARTIAL_PLAN.format(read=most, all=len(fresh)))
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
        **left.answer_fields,
        outcomes={"added": work.added, **({"known": repeated} if (repeated := left.counts[RESTATED]) else {})},
        memories=work.rows if listed is None else work.rows[listed.start : listed.stop],
        notes=Notes(redacted=list(dict.fromkeys(work.kinds)) or None, warnings=warnings or None) or None,
    )


@dataclass(frozen=True)
class StoredConversation:
    """A conversation in the temporary file. `at` is the offset in that file, and `time` is in ISO 8601, in UTC."""

    time: str
    name: str
    names: dict[str, int]
    file: IO[bytes]
    at: int

    def load(self) -> dict[str, Any]:
        self.file.seek(self.at)
        fields: dict[str, Any] = json.loads(self.file.readline())
        return fields


@contextmanager
def sorted_by_time(
    parsed_entries: Iterable[dict[str, Any] | RefusedEntry],
    refused: list[RefusedEntry],
    repeated: Callable[[Mapping[str, Any]], None] = lambda _: None,
) -> Iterator[tuple[list[StoredConversation], int]]:
    """Yield the conversations sorted by time, and the number of entries. Unreadable entries are added to `refused`. If
    several conversations have the same id, the longest one is used, and `repeated` is called with the others."""
    with TemporaryFile() as file:
        by_id, entries = dict[str, StoredConversation](), 0
        for entry in parsed_entries:
            entries += 1
            if isinstance(entry, RefusedEntry):
                refused.append(entry)
                continue
            if (other := by_id.get(entry["id"])) is not None:
                entry, less = sorted((other.load(), entry), key=lambda conversation: -len(conversation["messages"]))
                repeated(less)
            by_id[entry["id"]] = StoredConversation(entry["time"], entry["id"], entry["names"], file, file.seek(0, SEEK_END))
            file.write(json.dumps(entry).encode() + b"\n")
        yield sorted(by_id.values(), key=lambda conversation: (conversation.time, conversation.name)), entries


@dataclass
class _Import:
    """The progress and results of an import."""

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
    rows: list[ImportedMemory] = field(default_factory=list)
    preview: tuple[RunMemoryView, dict[str, datetime]] | None = None
    recorded_ids: set[str] = field(default_factory=set)
    undone: set[str | None] = field(default_factory=set)

    def find_known(self, conversations: Sequence[StoredConversation]) -> set[str]:
        """Return the names of the conversations from which runs have read every user message. Undone runs don't count."""
        night, user_id = self.context.night, self.context.user_id
        self.undone = {run.undoes for run in night.runs.newest(user_id, _RUNS_SEARCHED) if run.kind == "undo"}
        names = in_batches((name for conversation in conversations for name in conversation.names), _RUN_SIZE)
        self.recorded_ids = {entry.interaction_id for few in names for entry in night.ledger.entries(user_id, few)}
        recorded = (conversation for conversation in conversations if not self.recorded_ids.isdisjoint(conversation.names))
        known = {conversation.name for conversation in recorded if not any(self._redact_new_parts([conversation.load()]))}
        self.kinds.clear()  # report only the redactions in imported text
        return known

    def leave(self, reason: str, conversation: Mapping[str, Any]) -> None:
        """Count the user's messages in a skipped conversation. The reader has counted all other passages."""
        before = None
        for message in conversation["messages"]:
            if message["role"] == "user":
                self.left.add(Unread(conversation["id"], reason, message["content"], before))
            before = message["content"]

    def read(self, conversations: Sequence[Mapping[str, Any]], apply: bool) -> None:
        """Plan a batch of conversations, day by day, and apply the plan as one run."""
        self.times.clear()
        clean = list(self._redact_new_parts(conversations))
        if not apply:
            self.preview = self.preview or (RunMemoryView(self.context), {})
            plan, _, unread = self._plan_days(clean, *self.preview)
            self._count_operations(plan.operations, unread)
            return
        planned = list[tuple[Plan, Plan, list[Unread]]]()

        def planner(_: RunContext) -> Plan:
            planned.append(self._plan_days(clean, RunMemoryView(self.context), {}))
            return planned[-1][0]

        run = change_many("import", planner, self.context, dry_run=False, publish=publish).run
        self._record_as_read(run, [discussion for discussion in clean if discussion.id not in self.recorded_ids])
        applied = {operation.operation_id for operation in run.operations if operation.outcome == "applied"}
        plan, waiting, unread = planned[-1]
        self._count_operations((planned for planned in plan.operations if planned.told.operation_id in applied), unread)
        if waiting.operations:
            staged = change_many("import", lambda _: waiting, self.context, dry_run=True)
            self.waiting.append(staged.run.run_id)

    def _redact_new_parts(self, conversations: Sequence[Mapping[str, Any]]) -> Iterator[Discussion]:
        """Yield the new parts of conversations, without secrets. Invalid conversations are refused."""
        last, caller = None, self.context.caller
        for conversation in conversations:
            fields = {name: value for name, value in conversation.items() if name not in ("times", "names")}
            wrong = list[RefusedInteraction]()
            for checked in well_formed([fields], caller, wrong, []):
                before, last = last, checked.interaction
                clean = redacted(checked.interaction, caller, self.kinds, before)
                if isinstance(clean, Discussion):
                    yield from self._split_known_parts(clean, conversation["names"], piece_times(conversation, clean))
            for bad in wrong:
                self.leave(REFUSED.format("invalid_argument"), conversation)
                refused = RefusedEntry(where=bad.id or "?", field=bad.field, code="invalid_argument", message=bad.message)
                self.refused.append(refused)

    def _split_known_parts(self, chat: Discussion, names: dict[str, int], times: Sequence[datetime]) -> Iterator[Discussion]:
        """Yield a new conversation as a whole. Yield a known one in two parts, its earlier messages and its new messages."""
        ledger, user_id, pieces = self.context.night.ledger, self.context.user_id, split_messages(chat.messages)
        recorded = {name: recorded_parts(ledger, user_id, name) for name in names if name in self.recorded_ids}
        old = ((names[name], [row for row in recorded[name] if row.run_id not in self.undone]) for name in reversed(recorded))
        count, entries = next((parts for parts in old if parts[1]), (0, []))
        known = [None] * len(split_messages(chat.messages[:count])) or messages_of(entries)
        before, (added, changed) = part_id(chat.id, 0), growth(known, pieces, aligned=True)
        new = {*added, *(at for at in changed if pieces[at].id is None and pieces[at] not in known)}
        own = part_id(chat.id, len(recorded[chat.id])) if chat.id in recorded else chat.id
        self.recorded_ids.add(before)
        for name, places in (before, {*range(len(pieces))} - new), (own, new):
            if places and any(pieces[at].role == "user" for at in new):
                self.times[name] = [times[at] for at in sorted(places)]
                messages, whole = (tuple(pieces[at] for at in sorted(places)), None if name == chat.id else chat.id)
                yield chat.model_copy(update={"id": name, "messages": messages, "part_of": whole})

    def _plan_days(
        self, conversations: Sequence[Interaction], view: RunMemoryView, moved: dict[str, datetime]
    ) -> tuple[Plan, Plan, list[Unread]]:
        """Plan conversations day by day. Returns the plan, the operations for review, and the passages that add no memory."""
        caller = self.context.caller
        refused, unread = dict[Place, dict[str, str]](), list[Unread]()

        def refuse(utterance: Utterance, clause: str, why: str) -> None:
            refused.setdefault((utterance.interaction_id, utterance.position), {})[clause] = why

        planner = DayPlanner(self.context, _build_rules_reader(self.context, refuse), "rules", frozenset(), view)
        zone = caller.now.tzinfo
        assert zone is not None
        plans, waits = list[Plan](), list[Plan]()
        for whole in days_of(without_answers(conversations, caller), zone):
            day = with_message_times(whole, self.times)
            known = {turn: replace(turn, own=()) for turn in day.utterances if turn.interaction_id in self.recorded_ids}
            refused |= {(utterance.interaction_id, utterance.position): {"": RESTATED} for utterance in known}
            day = replace(day, utterances=tuple(known.get(utterance, utterance) for utterance in day.utterances))
            drafted = planner.draft(day, UnsavedAnswers())
            self.refused += [RefusedEntry(where=at, field=None, code="internal", message=_UNREAD) for at in drafted.unread]
            plan, waiting = backdate(_apply_day_limits(drafted, self.context), day, caller.now, moved)
            view.stage(plan.operations)
            idle = {_get_place(step): step.told.why or REPEATED for step in drafted.operations if step.told.kind == "NOOP"}
            unread += _find_unread_sentences(day, plan, waiting, refused, idle)
            plans.append(plan)
            waits.append(waiting)
            self.read_so_far += len({utterance.conversation_id for utterance in day.utterances})
            self.progress(min(self.read_so_far, self.total), self.total)
        return merged(plans), merged(waits), unread

    def _count_operations(self, operations: Iterable[PlannedOperation], unread: Iterable[Unread]) -> None:
        """Count the memories that operations add and close, list the added ones, and note the unread passages."""
        for planned in operations:
            self.closed += len(planned.closes)
            if planned.opens is not None:
                memory = planned.opens.memory
                self.added += 1
                self.closed += memory.status != "active"
                where = planned.told.interaction_id or ""
                self.rows.append(ImportedMemory(where=where, outcome="added", content=memory.content))
        for part in unread:
            self.left.add(part)

    def _record_as_read(self, run: Run, conversations: Sequence[Interaction]) -> None:
        """Record the conversations as read, so that no nightly run reads them as if they had taken place today."""
        context, ids = self.context, tuple(dict.fromkeys(interaction.id for interaction in conversations))
        with leased(context) as lease:
            context.night.ledger.record(context.user_id, conversations, context.caller.now)
            run = run.model_copy(update={"interactions": ids})
            context.night.runs.close(run, dict.fromkeys(ids, LedgerMark("read")), lease.fence)
        self.runs.append(run.run_id)
        self.status = run.status


def _apply_day_limits(plan: Plan, context: RunContext) -> Plan:
    """Apply a day's limits to a plan. Requests to forget are exempt, because they always wait for review."""
    caller, ports = context.caller, context.ports
    active = ports.facts.statistics(caller.user_id, caller.now, ports.embedder.name).active
    wishes = [planned for planned in plan.operations if planned.told.kind == "FORGET"]
    applied = apply_limits([planned for planned in plan.operations if planned.told.kind != "FORGET"], active)
    return plan.model_copy(update={"operations": (*wishes, *applied)})


def _get_place(planned: PlannedOperation) -> Place:
    return planned.told.interaction_id or "", planned.told.position or 0


def _find_unread_sentences(
    day: Day, plan: Plan, waiting: Plan, refused: Mapping[Place, Mapping[str, str]], idle: Mapping[Place, str]
) -> Iterator[Unread]:
    """Yield the user's sentences that contain a word found in no memory. `idle` maps messages without a memory to reasons."""
    words_by_place, reasons = dict[Place, set[str]](), dict(idle)
    for planned in plan.operations:
        place = _get_place(planned)
        if planned.opens is not None and planned.told.outcome == "planned":
            memory = planned.opens.memory
            words_by_place.setdefault(place, set()).update(words_of(f"{memory.raw_text} {memory.evidence or ''}"))
        else:
            reasons[place] = planned.told.why or REPEATED
    reasons |= {(dropped.interaction_id, dropped.position or 0): dropped.why for dropped in plan.dropped}
    reasons |= {_get_place(planned): WAITING for planned in waiting.operations}
    for utterance in day.utterances:
        place = utterance.interaction_id, utterance.position
        clauses = refused.get(place, {})
        for start, end in sentence_spans(utterance.text) if utterance.role == "user" else ():
            sentence = utterance.text[start:end]
            if words_of(sentence) <= words_by_place.get(place, set()):
                continue
            why = next((why for clause, why in clauses.items() if clause in sentence or sentence in clause), None)
            if why is None and not any(first < end and last > start for first, last in utterance.own):
                why = FOREIGN
            reason = why or reasons.get(place) or (_UNREAD if utterance.interaction_id in plan.unread else NOT_WORTH)
            yield Unread(f"{utterance.interaction_id}, message {utterance.position + 1}", reason, sentence)


def _build_rules_reader(context: RunContext, refused: Refused) -> ReadDay:
    """Return a function that reads days by rules, and calls `refused` with each refused clause."""
    least = context.night.least_worth
    rules = RulesReader(context.ports.words, LEAST_WORTH if least is None else least, refused)
    return lambda _mode, day, view, *_: rules.read(day, view)


def backdate(plan: Plan, day: Day, now: datetime, moved: dict[str, datetime]) -> tuple[Plan, Plan]:
    """Backdate the plan for a past day. Returns the operations to apply, and the operations that wait for review.

    A memory starts when the user stated it, and a memory that it replaces ends at that time. A value that has since been
    replaced is stored as closed. The function adds the start of each imported memory to `moved`, by memory id.
    """
    work = _BackdatedDay(day, now, moved)
    for operation in plan.operations:
        work.add(operation)
    dropped = (*plan.dropped, *work.dropped)
    waiting = Plan(operations=tuple(work.waiting))
    return plan.model_copy(update={"operations": tuple(work.operations), "dropped": dropped}), waiting


def piece_times(conversation: Mapping[str, Any], clean: Interaction) -> list[datetime]:
    """Return the time of each piece of a conversation's messages, because long messages are split into pieces."""
    messages = clean.messages if isinstance(clean, Discussion) else ()
    timed = zip(messages, map(datetime.fromisoformat, conversation["times"]), strict=True)
    return [time for message, time in timed for _ in split_text(message.content)]


def with_message_times(day: Day, times: Mapping[str, Sequence[datetime]]) -> Day:
    """Give a day's messages their own times, and sort them. `times` maps conversations to their `piece_times`."""
    zone = day.utterances[0].time.tzinfo if day.utterances else None
    utterances = (replace(turn, time=times[turn.interaction_id][turn.position].astimezone(zone)) for turn in day.utterances)
    return replace(day, utterances=tuple(sorted(utterances, key=lambda utterance: utterance.time)))


def spoken_time(memory: Memory) -> datetime:
    """Return when the user stated a memory. With evidence, this is the event time, but never later than the creation."""
    event_time = memory.event_time if memory.evidence is not None else None
    return memory.created_at if event_time is None else min(event_time, memory.created_at)


@dataclass
class _BackdatedDay:
    day: Day
    now: datetime
    moved: dict[str, datetime]
    operations: list[PlannedOperation] = field(default_factory=list)
    waiting: list[PlannedOperation] = field(default_factory=list)
    dropped: list[Dropped] = field(default_factory=list)

    def add(self, operation: PlannedOperation) -> None:
        """Backdate an operation and add it to `operations` or `waiting`, or drop it with a reason."""
        reported = operation.told
        if not (operation.opens or operation.closes):
            return None  # a forget request that matches no memory has nothing to erase
        utterance = self.day.utterance_at(*_get_place(operation)) or self.day.utterances[0]
        spoken_at = min(utterance.time, self.now)
        closes = [self._backdate(change) for change in operation.closes]
        earlier = [change for change in closes if change.before is None or spoken_time(change.before) <= spoken_at]
        later = [change.before for change in closes if change not in earlier and change.before is not None]
        opens = None if later and reported.kind in ("FORGET", "DELETE") else operation.opens
        if opens is not None:
            opens = self._backdate_opened(opens, spoken_at, min(later, key=spoken_time) if later else None)
            if opens.memory.has_expired(self.now) and not earlier:
                return self._drop_operation(operation, _EXPIRED)
        if opens is None and not earlier:
            return self._drop_operation(operation, _CLOSES_NEWER)
        ended = tuple(_end_change(change, spoken_at) for change in earlier)
        changed = {"opens": opens, "closes": ended, "told": _describe_change(operation, opens, ended)}
        planned = operation.model_copy(update=changed)
        waits = reported.kind == "FORGET" or reported.outcome == "needs_review"
        (self.waiting if waits else self.operations).append(planned)
        return None

    def _backdate(self, change: PlannedChange) -> PlannedChange:
        """Set the start of a memory from this import to the time when the user said it. Other memories stay unchanged."""
        spoken_at = self.moved.get(change.memory.memory_id)
        if spoken_at is None or change.before is None:
            return change
        began = {"created_at": spoken_at}
        memory, before = (version.model_copy(update=began) for version in (change.memory, change.before))
        return change.model_copy(update={"memory": memory, "before": before})

    def _backdate_opened(self, opens: PlannedChange, spoken_at: datetime, later: Memory | None) -> PlannedChange:
        """Set the start of a new memory to the time when the user stated it. If `later` replaces the memory, close it."""
        memory = opens.memory
        self.moved[memory.memory_id] = spoken_at
        changed: dict[str, Any] = {"created_at": spoken_at}
        if memory.durability == "daily":
            ends = spoken_at + DAILY_FOR
            changed |= {"expires_at": ends, "purge_at": ends + PURGE_DELAY}
        if later is not None:
            by, at = later.memory_id, spoken_time(later)
            changed |= {"status": "superseded", "superseded_by": by, "valid_to": at, "key": None, "supersedes": None}
        return opens.model_copy(update={"memory": memory.model_copy(update=changed)})

    def _drop_operation(self, operation: PlannedOperation, why: str) -> None:
        reported = operation.told
        self.dropped.append(Dropped(interaction_id=reported.interaction_id or "", position=reported.position, why=why))


def _end_change(change: PlannedChange, spoken_at: datetime) -> PlannedChange:
    """Set the end of a replaced value to the time when the newer value was said rather than imported."""
    if change.memory.status != "superseded":
        return change
    return change.model_copy(update={"memory": change.memory.model_copy(update={"valid_to": spoken_at})})


def _describe_change(operation: PlannedOperation, opens: PlannedChange | None, closes: Sequence[PlannedChange]) -> Any:
    """Return the report on a backdated operation. An update that closes no memory is reported as an addition."""
    reported = operation.told
    kind = "ADD" if reported.kind == "UPDATE" and not closes else reported.kind
    closed = tuple(change.memory.memory_id for change in closes)
    return reported.model_copy(update={"kind": kind, "closed": closed, "memory_id": opens and opens.memory.memory_id})
