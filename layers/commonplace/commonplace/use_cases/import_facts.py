"""Import statements from other stores. An import is planned, then applied as one run. Later imports skip known facts."""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, tzinfo
from typing import Any, Protocol, TypeVar

from commonplace.contract import validate
from commonplace.domain.batching import in_batches
from commonplace.domain.errors import CommonplaceError, ErrorCode, escaped, invalid
from commonplace.domain.fields import Notes, Place, in_zone, is_never
from commonplace.domain.flaws import gathered
from commonplace.domain.ids import new_memory_id
from commonplace.domain.imports import (
    Fact,
    ForeignFact,
    Imported,
    ImportedMemory,
    ImportOutcome,
    RefusedEntry,
    Unread,
    merged_fields,
)
from commonplace.domain.interactions import RunReport
from commonplace.domain.memory import DEFAULT_COLLECTION, Memory
from commonplace.domain.taxonomy import ImportKind, Source
from commonplace.memories.comparison import advice_on, alike, find_similar
from commonplace.memories.enrich import EnrichedStatement, PrecomputedEmbedder, enrich
from commonplace.memories.ingest import new_entry
from commonplace.memories.transitions import PURGE_DELAY
from commonplace.pages.publishing import publish
from commonplace.ports.bundle import Ports
from commonplace.ports.values import Audit, Caller, Entry
from commonplace.retrieval.documents import fingerprint, fingerprint_of, folded
from commonplace.runs.apply import Plan
from commonplace.runs.staging import change_many, run_context
from commonplace.text.redaction import Redaction, redact
from commonplace.use_cases.import_conversation import NOBODY
from commonplace.use_cases.import_plan import ImportPlan, ImportRecord
from commonplace.use_cases.left_out import REFUSED, LeftOutWords, is_technical, words_of
from commonplace.use_cases.legacy_memories import hyphenated
from commonplace.use_cases.legacy_records import MOST_TAGS, moment, noted, split_tags
from commonplace.use_cases.named import memories_by_alias

Progress = Callable[[int, int | None], None]
_BATCH, _READ_BATCH = 100, 500
_MOST_NAMED, _MOST_PEOPLE = 10_000, 1_000  # the limits on a streamed plan: entries per list, and people
_PEOPLE_SHOWN, _OTHER_PEOPLE, NO_NAME = 20, "(other people)", "(no name)"
_CONFLICT = "the memory with this name has another text, which stays"
NOTE_TOO_SHORT = "the note is too short for all fields"
CONFLICT = "a memory with the same name has another text"
KNOWN_FIELDS = "tags and other fields of a statement that is stored already"
ANOTHERS = "of another person"
BEFORE = "an earlier entry"
_ERASED = "name: the memory with this name was erased, and is not restored"
_LOST = "another write came first; the next import adds it"
TOOL = "import"
_PLACE = ("session_id", "position", "speaker")
_Named = TypeVar("_Named", str, RefusedEntry)


@dataclass(frozen=True)
class CheckedFact:
    """A valid statement. `extra` is added to the note, which may be `cut`. `fields` contains tags and `extra` as JSON."""

    where: str
    name: str
    fact: Fact
    source: Source
    extra: Mapping[str, Any]
    cut: bool
    redacted: tuple[str, ...]
    fields: bytes


class Seen(Protocol):
    """The texts that an import has seen so far, by fingerprint."""

    def add(self, fingerprint: bytes, memory_id: str | None, fields: bytes = b"") -> tuple[str | None, bool] | None:
        """Return None for a new text. For a known text, return the memory's id, if any, and whether the fields match."""


def import_facts(
    kind: ImportKind, why: str, entries: Iterable[ForeignFact | RefusedEntry | Unread], caller: Caller, ports: Ports, *,
    apply: bool = False, progress: Progress = lambda _done, _of: None, only: str | None = None, listed: range | None = None,
    seen: Seen | None = None,
) -> Imported:  # fmt: skip
    """Import statements, or only plan the import. Invalid statements are reported in `refused`.

    `kind` is the format, and `why` is the evidence for it. `only` is the person whose memories are imported. `listed` is the
    range of entries to report. The default is all entries and the skipped passages. `progress` receives counts of entries,
    read and then stored, with the total. If `seen` is given, a plan can have any size, because entries are counted as they
    are read, and only listed entries are checked for secrets. Raises `INVALID_ARGUMENT` if no entry belongs to `only`, or if
    a file from several people is applied without `only`, and `CONFLICT` while another run is active.
    """
    left = LeftOutWords(listing=listed is None)
    people = _People(NO_NAME if only == "" else only, left)
    chosen, report = people.chosen(left.taken(entries)), None
    work = _FactImport(caller, ports, progress, chosen, listed, seen, left)
    if seen is None:  # the people must be checked before anything is stored
        work.source_entries = list(chosen)
        people.check(apply)
    with gathered() as flaws:
        if apply:  # the plan is made under the lease, after a crashed run is completed
            report = change_many(
                "import", lambda _: work.planned(), run_context(caller, ports, progress), dry_run=False, publish=publish
            )
        elif seen is not None:
            work.count(seen)
        else:
            work.read()
    warnings = people.check(apply)
    notes = Notes(redacted=list(work.redacted) or None, warnings=warnings or None) if work.redacted or warnings else None
    answer = work.answer(kind, why, report)
    return answer.model_copy(update={"notes": notes, "people": people.entry_counts}).naming(flaws)


@dataclass
class _People:
    """The people in a source. `only` is the person to import, or None for all people."""

    only: str | None
    left: LeftOutWords
    counts: Counter[str] = field(default_factory=Counter)

    def chosen(self, entries: Iterable[ForeignFact | RefusedEntry]) -> Iterator[ForeignFact | RefusedEntry]:
        """Yield the entries to import and the refused entries. Count the entries by name, for up to 1,000 people."""
        for entry in entries:
            if isinstance(entry, RefusedEntry):
                yield entry
                continue
            name = (entry.person or NO_NAME).encode(errors="backslashreplace").decode()  # half a character is escaped
            has_space = name in self.counts or len(self.counts) < _MOST_PEOPLE or name in (self.only, NO_NAME)
            self.counts[name if has_space else _OTHER_PEOPLE] += 1
            if self.only in (None, name):
                yield entry
            else:
                self.left.add(Unread(entry.where, ANOTHERS, attribution(entry)))

    @property
    def entry_counts(self) -> dict[str, int]:
        """The number of entries per person. Entries without a name are only included if several people are named."""
        named = {name: count for name, count in self.counts.items() if name != NO_NAME}
        return dict(self.counts) if len(named) > 1 else named

    def check(self, apply: bool) -> list[str]:
        """Raise an error if nobody is named `only`, or if `apply` is true for several people. Otherwise, return a warning."""
        shown = [f"{escaped(name)} ({count})" for name, count in sorted(self.entry_counts.items())]
        listed = ", ".join([*shown[:_PEOPLE_SHOWN], *(["..."] if len(shown) > _PEOPLE_SHOWN else [])])
        if self.only is not None and self.only not in self.counts:
            named = f"the people are {listed}" if shown else "the file names nobody"
            raise invalid("only", f"nobody has this name; {named}")
        if self.only is not None or len(shown) < 2:
            return []
        number = len(self.entry_counts.keys() - {NO_NAME})
        several = f"these are memories of {number} people: {listed}; choose one of them"
        if apply:
            raise invalid("only", several)
        return [several]


@dataclass
class _FactImport:
    """Decides what to do with each statement by comparing it with stored memories and earlier entries."""

    caller: Caller
    ports: Ports
    progress: Progress
    source_entries: Iterable[ForeignFact | RefusedEntry]
    listed: range | None
    seen: Seen | None
    left: LeftOutWords
    entries: int = 0
    closed: int = 0
    refused: list[RefusedEntry] = field(default_factory=list)
    known: list[str] = field(default_factory=list)
    conflicts: list[str] = field(default_factory=list)
    cut: list[str] = field(default_factory=list)
    redacted: dict[str, None] = field(default_factory=dict)
    plan: ImportPlan = field(default_factory=ImportPlan)
    outcomes: Counter[ImportOutcome] = field(default_factory=Counter)
    rows: dict[int, ImportedMemory] = field(default_factory=dict)

    def planned(self) -> Plan:
        """Read all entries, record their outcomes, and return the plan that stores the new ones."""
        ports = replace(self.ports, embedder=self.read())
        return Plan(operations=self.plan.operations(self.caller, ports), candidates=self.entries)

    def count(self, seen: Seen) -> None:
        """Count the outcomes while reading, without keeping the entries in RAM."""
        for memory in self.ports.records.all(self.caller.user_id):
            if memory.status == "active":
                seen.add(fingerprint(memory), memory.memory_id)
        for number, checked in self._iterate_valid_facts():
            fact, zone = checked.fact, self.caller.now.tzinfo
            is_over = fact.valid_to is not None and in_zone(fact.valid_to, zone) <= self.caller.now
            place = DEFAULT_COLLECTION, self.caller.agent_id, fact.session_id, fact.position
            known = None if is_over else seen.add(fingerprint_of(fact.content, *place), None, checked.fields)
            if known is not None:
                stored = self.ports.records.get(self.caller.user_id, [known[0]])[0] if known[0] else None
                self._add_known(number, checked, stored, f"{known[0] or BEFORE} says the same", same=known[1])
                continue
            self.closed += is_over
            self._add_new(checked)

    def read(self) -> PrecomputedEmbedder:
        """Read all entries into `plan`. Returns an embedder that has precomputed the vectors of all statements."""
        facts = list(self._iterate_valid_facts())
        own_tags = self.ports.facts.tags(self.caller.user_id)
        vectors, memories = PrecomputedEmbedder.of((), self.ports.embedder), list[ImportRecord]()
        for batch in in_batches(facts, _BATCH):
            embedder = PrecomputedEmbedder.of([fact.fact.content for _, fact in batch], self.ports.embedder)
            vectors = replace(vectors, vectors={**vectors.vectors, **embedder.vectors})
            for number, fact in batch:
                speaker = None if (fact.fact.speaker or "").lower() in NOBODY else fact.fact.speaker
                statement = enrich(fact.fact.content, self.ports.words, embedder, own_tags, speaker)
                memories.append(ImportRecord(number, memory_of(fact, statement, self.caller, self.ports), name=fact.name))
            self.progress(len(memories), len(facts))
        self.plan = ImportPlan.of(memories, self.caller, self.ports)
        self._record_outcomes(facts)
        self._report_near_duplicates(vectors)
        return vectors

    def _report_near_duplicates(self, vectors: PrecomputedEmbedder) -> None:
        """Report new memories that paraphrase a stored memory. They are stored anyway."""
        caller, ports = self.caller, replace(self.ports, embedder=vectors)
        if not ports.facts.statistics(caller.user_id, caller.now, vectors.name).active:
            return
        for new in self.plan.new:
            if new.memory.status == "active":
                memory = new.memory.model_copy(update={"created_at": caller.now})
                entry = Entry(memory, vectors.embed(memory.content), Audit("import", caller.now, {}))
                same, _ = advice_on(entry, alike(find_similar(entry, ports) or ()), ports)
                if same:
                    self._set_result(new.number, "near_duplicate", same[0].memory_id, f"says the same as {same[0].memory_id}")

    def _iterate_valid_facts(self) -> Iterator[tuple[int, CheckedFact]]:
        """Yield the valid statements whose names are not yet known, each with its number."""
        for batch in in_batches(self.source_entries, _READ_BATCH):
            names = [entry.alias for entry in batch if isinstance(entry, ForeignFact)]
            erased = self.ports.erased.among(self.caller.user_id, names)
            holders = memories_by_alias(names, self.caller, self.ports)
            for entry in batch:
                self.entries += 1
                self.outcomes["added"] += 1
                if self._is_shown(self.entries):
                    self.rows[self.entries] = ImportedMemory(where=entry.where, outcome="added", content="")
                fact = self._check(entry, holders, erased)
                if fact is not None:
                    yield self.entries, fact
            if self.seen is not None:
                self.progress(self.entries, None)

    def _check(
        self, entry: ForeignFact | RefusedEntry, holders: Mapping[str, Memory], erased: set[str]
    ) -> CheckedFact | None:
        """Return an entry's statement if it is valid and its name is not yet known. Otherwise record the outcome."""
        number, zone, holder = self.entries, self.caller.now.tzinfo, None
        if isinstance(entry, RefusedEntry):
            self._refuse(entry)
            return None
        try:
            if entry.alias in erased:
                raise CommonplaceError(ErrorCode.ERASED, _ERASED, "name")
            holder = holders.get(entry.alias)
            checked = checked_fact(entry, zone, redacting=self._is_shown(number))
            if holder is not None and folded(holder.content) != folded(checked.fact.content):
                checked = checked_fact(entry, zone)  # maybe they differ only by a secret, which the stored text lacks
        except CommonplaceError as error:
            self._refuse(refused(entry.where, error))
            self.left.add(Unread(entry.where, REFUSED.format(error.code.label), attribution(entry)))
            return None
        if number in self.rows:
            self.rows[number] = self.rows[number].model_copy(update={"content": checked.fact.content})
        if holder is None:
            return checked
        if folded(holder.content) == folded(checked.fact.content):
            self._add_known(number, checked, holder, None)
        else:
            self._add_conflict(number, checked, holder.memory_id, _CONFLICT)
        return None

    def _add_new(self, fact: CheckedFact) -> None:
        """Record the redactions and the cut fields of a new statement, whose outcome is "added" by default."""
        self.redacted |= dict.fromkeys(fact.redacted)
        if fact.cut:
            self._append_within_limit(self.cut, fact.name)
            self.left.add(Unread(fact.where, NOTE_TOO_SHORT, fact.extra))

    def _add_known(self, number: int, fact: CheckedFact, item: Memory | None, why: str | None, *, same: bool = False) -> None:
        """Count the tags and note of a known statement as left out, unless the stored memory has the same ones (`same`)."""
        self._append_within_limit(self.known, fact.name)
        self._set_result(number, "known", item.memory_id if item is not None else None, why)
        tags, note = fact.fact.tags, fact.fact.user_note or ""
        if item is not None:  # the stored note is redacted, but the new one may not be
            tags = [tag for tag in tags if not words_of(tag) <= words_of(" ".join(item.tags))]
            same = not tags and not fact.cut and (item.user_note or "") in (note, redact(note).text)
        if not same and (tags or fact.extra):
            self.left.add(Unread(fact.where, KNOWN_FIELDS, {"tags": tags, **fact.extra}))

    def _add_conflict(self, number: int, fact: CheckedFact, memory_id: str | None, why: str) -> None:
        self._append_within_limit(self.conflicts, fact.name)
        self._set_result(number, "conflict", memory_id, why)
        self.left.add(Unread(fact.where, CONFLICT, [fact.fact.content, fact.fact.tags, fact.extra]))

    def _refuse(self, refused: RefusedEntry) -> None:
        self._append_within_limit(self.refused, refused)
        self._set_result(self.entries, "refused", None, refused.message)

    def _set_result(self, number: int, outcome: ImportOutcome, memory_id: str | None, why: str | None) -> None:
        """Replace an entry's outcome in the counts and, if it has a row, in the row. Each entry starts as "added"."""
        row = self.rows.get(number)
        self.outcomes.subtract([row.outcome if row else "added"])
        self.outcomes[outcome] += 1
        if row is not None:
            self.rows[number] = row.model_copy(update={"outcome": outcome, "memory_id": memory_id, "why": why})

    def _is_shown(self, number: int) -> bool:
        """Return whether the entry gets a row. Without `seen`, every entry does, and otherwise only those in `listed`."""
        return self.seen is None or self.listed is None or number - 1 in self.listed

    def _append_within_limit(self, names: list[_Named], named: _Named) -> None:
        """Append a name. If `seen` is given, the list is limited to `_MOST_NAMED` names."""
        if self.seen is None or len(names) < _MOST_NAMED:
            names.append(named)

    def _record_outcomes(self, facts: Sequence[tuple[int, CheckedFact]]) -> None:
        """Record, for each statement, whether the plan adds it or skips it as known or in conflict."""
        left_out = {omission.record.number: omission for omission in self.plan.left_out}
        ids = sorted({omission.other for omission in self.plan.left_out if omission.other})
        memories = {memory.memory_id: memory for memory in self.ports.records.get(self.caller.user_id, ids)}
        new, firsts = {record.number: record.memory.memory_id for record in self.plan.new}, dict[str, CheckedFact]()
        for number, fact in facts:
            left = left_out.get(number)
            if left is None:
                self._add_new(fact)
                firsts[new[number]] = fact
            elif left.why == "known" and left.other in firsts:
                same = firsts[left.other].fields == fact.fields
                self._add_known(number, fact, None, f"{BEFORE} says the same", same=same)
            elif left.why == "known":
                self._add_known(number, fact, memories.get(left.other or ""), left.message)
            else:
                self._add_conflict(number, fact, left.other, left.message)

    def answer(self, kind: ImportKind, why: str, report: RunReport | None) -> Imported:
        """Return the plan, or the outcome of the run."""
        run = report.run if report is not None and report.run.operations else None
        lost = {operation.memory_id for operation in run.operations if operation.outcome == "lost"} if run else set()
        added = [new for new in self.plan.new if new.memory.memory_id not in lost]
        for new in self.plan.new:
            if new.memory.memory_id in lost:
                self._set_result(new.number, "lost", None, _LOST)
        shown = list(self.rows.values())
        return Imported(
            kind=kind,
            why=why,
            applied=report is not None,
            run_id=run.run_id if run else None,
            status=run.status if run else None,
            entries=self.entries,
            added=len(added) if self.seen is None else self.outcomes["added"],
            closed=self.closed + sum(new.memory.status != "active" for new in added),
            known=self.known,
            conflicts=self.conflicts,
            refused=self.refused,
            outcomes=dict(+self.outcomes),
            memories=shown if self.seen is not None or self.listed is None else shown[self.listed.start : self.listed.stop],
            lost=[new.called for new in self.plan.new if new.memory.memory_id in lost],
            cut=self.cut,
            **self.left.answer_fields,
        )


def attribution(fact: ForeignFact) -> dict[str, Any]:
    """Return an entry's text, tags, speaker, other fields and unreadable times."""
    odd = {name: time for name, time in fact.times.items() if not isinstance(time, datetime) and not is_technical(time)}
    speaker = None if (fact.speaker or "").lower() in NOBODY else fact.speaker
    return merged_fields({"content": fact.content, "tags": fact.tags, "speaker": speaker}, fact.extra, odd)


def refused(where: str, error: CommonplaceError) -> RefusedEntry:
    """Return the report on an entry that can't be imported."""
    return RefusedEntry(where=where, field=error.field, code=error.code.label, message=error.message)


def checked_fact(foreign: ForeignFact, zone: tzinfo | None, *, redacting: bool = True) -> CheckedFact:
    """Validate a statement and redact its secrets. Unreadable times are moved to the note. Errors mention the invalid field.

    For entries that are only counted, `redacting=False` skips the search for secrets, which takes most of the time.
    """
    if not isinstance(foreign.content, str):
        raise CommonplaceError(ErrorCode.MISSING_FIELD, "content: there are no words", "content")
    content = foreign.content.strip()
    redaction = redact(content, foreign.before) if redacting else Redaction(content, (), only_secret=False)
    if redaction.only_secret:
        raise CommonplaceError(ErrorCode.SECRET_ONLY, "content: contains only a secret", "content")
    times, odd = dict[str, datetime](), dict[str, Any]()
    for name, value in foreign.times.items():
        try:
            times[name] = value if isinstance(value, datetime) else moment(value)
        except (ValueError, TypeError, OverflowError, OSError):
            odd[name] = value
    words, more = _split_tags(foreign.tags)
    tags, over = split_tags(words)
    changed = [tag for tag in tags if not words_of(tag) <= words_of(hyphenated(tag))]  # `js` is stored as `javascript`
    extra = merged_fields(foreign.extra, odd, {"tags": [*over, *changed, *more]})
    note, cut = noted(None, extra)
    fields: dict[str, Any] = {name: getattr(foreign, name) for name in _PLACE}
    fields |= {"content": redaction.text, "tags": tags[:MOST_TAGS], "user_note": note, **times}
    fields = {name: value for name, value in fields.items() if value is not None}
    fact, kinds = validate.validate(Fact, fields, zone) if redacting else (validate.check(Fact, fields), [])
    redacted = tuple(dict.fromkeys((*redaction.kinds, *kinds)))
    labels = json.dumps([tags, extra], sort_keys=True, default=str).encode()
    return CheckedFact(foreign.where, foreign.alias, fact, foreign.source, extra, cut, redacted, labels)


def _split_tags(value: Any) -> tuple[list[str], list[Any]]:
    """Return two lists: the tags that are strings, and the remaining values."""
    several = value.split(",") if isinstance(value, str) else value if isinstance(value, (list, tuple)) else [value]
    words = [word.strip() for word in several if isinstance(word, str) and word.strip()]
    return words, [item for item in several if not isinstance(item, str) and item not in (None, [], {})]


def memory_of(checked: CheckedFact, statement: EnrichedStatement, caller: Caller, ports: Ports) -> Memory:
    """Build a memory from a statement. Missing fields are derived by rules, as when a statement is stored.

    A statement that is no longer true becomes a closed memory. If it stops being true in the future, the memory will expire.
    """
    fact, now = checked.fact, caller.now
    ends = min(filter(None, (fact.expires_at, fact.valid_to)), default=None)
    later = ends is not None and not is_never(ends) and ends > now
    fields: dict[str, Any] = {
        "agent_id": caller.agent_id,
        "source": checked.source,
        "user_note": fact.user_note,
        "tags": tuple(dict.fromkeys(filter(None, map(hyphenated, fact.tags)))) or statement.tags,
        "expires_at": ends if later else None,
    }
    place = Place(session_id=fact.session_id, position=fact.position, speaker=fact.speaker, event_time=fact.event_time)
    made = new_entry(TOOL, statement, place, caller, ports, fields).memory
    created = min(fact.created_at or now, now)
    original_fields: dict[str, Any] = {
        "memory_id": new_memory_id(created),
        "created_at": created,
        "last_accessed": fact.last_accessed,
        "valid_from": fact.valid_from,
    }
    return made.model_copy(update={**original_fields, **_build_closing_fields(fact, now)})


def _build_closing_fields(fact: Fact, now: datetime) -> Mapping[str, Any]:
    """Return the fields that mark a memory as closed or expiring, if any."""
    if fact.valid_to is not None and fact.valid_to <= now:
        return {"status": "superseded", "valid_to": fact.valid_to, "expires_at": None, "purge_at": None}
    if fact.expires_at is not None and fact.expires_at <= now:  # purged as if the memory expired now
        return {"durability": "daily", "expires_at": fact.expires_at, "purge_at": now + PURGE_DELAY}
    return {}
