"""Taking in statements that another store kept: planned whole, applied as one run, known when they come again."""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, tzinfo
from typing import Any, Protocol, TypeVar

from commonplace.contract import validate
from commonplace.domain.batching import in_batches
from commonplace.domain.errors import CommonplaceError, ErrorCode, escaped
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
from commonplace.memories.enrich import EnrichedStatement, PrecomputedEmbedder, enrich, labelling
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
from commonplace.use_cases.import_plan import Given, ImportPlan
from commonplace.use_cases.left_out import REFUSED, LeftOutWords, is_technical, words_of
from commonplace.use_cases.legacy_memories import hyphenated
from commonplace.use_cases.legacy_records import MOST_TAGS, moment, noted, split_tags

Progress = Callable[[int, int | None], None]
_BATCH, _READ_AT_ONCE = 100, 500
_MOST_NAMED, _MOST_PEOPLE = 10_000, 1_000  # the known, the refused and the like, and people, in a plan of any size
_PEOPLE_TOLD, _OTHER_PEOPLE, NO_NAME = 20, "(other people)", "(no name)"
_CONFLICT = "says something else here, which stays"
NO_ROOM = "the note has no room for all fields"
CONFLICT = "a memory here has the same name and says something else"
KNOWN_FIELDS = "tags and other fields of a statement that is here already"
ANOTHERS = "of another person"
BEFORE = "an entry before it"
_ERASED = "name: the memory that was called so was erased here, and does not come back"
_LOST = "another write came before; the next run takes it"
TOOL = "import"
_FIRST = datetime(1970, 1, 1, tzinfo=UTC)  # ids know no time before
_PLACE = ("session_id", "position", "speaker")
_Named = TypeVar("_Named", str, RefusedEntry)


@dataclass(frozen=True)
class CheckedFact:
    """A statement that can be kept. `rest`: for its note; `cut`: that had no room for all; `fields`: tags and rest."""

    where: str
    name: str
    fact: Fact
    source: Source
    rest: Mapping[str, Any]
    cut: bool
    redacted: tuple[str, ...]
    fields: bytes


class Seen(Protocol):
    """The words that were there already, by their fingerprints; not held in memory, for there may be very many."""

    def add(self, fingerprint: bytes, memory_id: str | None, fields: bytes = b"") -> tuple[str | None, bool] | None:
        """None for what is new; else the id of the memory here that has the words, if one does, and if the fields match."""


def import_facts(
    kind: ImportKind, why: str, given: Iterable[ForeignFact | RefusedEntry | Unread], caller: Caller, ports: Ports, *,
    apply: bool = False, progress: Progress = lambda _done, _of: None, only: str | None = None, listed: range | None = None,
    seen: Seen | None = None,
) -> Imported:  # fmt: skip
    """Tells what taking in these statements would do, or does it. `kind` and `why`: what they are of, as it is told;
    `only`: the person whose statements are taken in; `listed`: of which entries it is told what happens to them, of all
    without it, and then of the passages that are left out, too.

    What can't be kept is told in `refused`, and the others are taken in. `progress` is called with how many of how many are
    read, and then stored. `INVALID_ARGUMENT` if `only` names nobody, or if several people's are to be stored without it.
    `CONFLICT` while another run of the user is at work. With `seen` it is a plan of any size: entries are counted as they
    are read, by their names and fingerprints, and secrets are only looked for in those that are listed.
    """
    left = LeftOutWords(listing=listed is None)
    people = _People(NO_NAME if only == "" else only, left)
    chosen, report = people.chosen(left.taken(given)), None
    work = _Work(caller, ports, progress, chosen, listed, seen, left)
    if seen is None:  # read first: nothing is stored for several people
        work.given = list(chosen)
        people.check(apply)
    with gathered() as flaws:
        if apply:  # planned under the lease: a run that died is finished first
            report = change_many(
                "import", lambda _: work.planned(), run_context(caller, ports, progress), dry_run=False, publish=publish
            )
        elif seen is not None:
            work.count(seen)
        else:
            work.read()
    warnings = people.check(apply)
    notes = Notes(redacted=list(work.redacted) or None, warnings=warnings or None) if work.redacted or warnings else None
    told = work.told(kind, why, report)
    return told.model_copy(update={"notes": notes, "people": people.told}).naming(flaws)


@dataclass
class _People:
    """Whose statements there are, and whose are taken in: those of `only`, or everybody's."""

    only: str | None
    left: LeftOutWords
    counts: Counter[str] = field(default_factory=Counter)

    def chosen(self, given: Iterable[ForeignFact | RefusedEntry]) -> Iterator[ForeignFact | RefusedEntry]:
        """The entries that are taken in, and those that can't be read. Up to 1,000 people are counted by their names."""
        for one in given:
            if isinstance(one, RefusedEntry):
                yield one
                continue
            name = one.person or NO_NAME
            has_room = name in self.counts or len(self.counts) < _MOST_PEOPLE or name in (self.only, NO_NAME)
            self.counts[name if has_room else _OTHER_PEOPLE] += 1
            if self.only in (None, name):
                yield one
            else:
                self.left.add(Unread(one.where, ANOTHERS, said_by(one)))

    @property
    def told(self) -> dict[str, int]:
        """How many entries each has; those without a name are told where there are several people."""
        named = {name: count for name, count in self.counts.items() if name != NO_NAME}
        return dict(self.counts) if len(named) > 1 else named

    def check(self, apply: bool) -> list[str]:
        """Raises where nobody is called so, or it isn't said whose statements are to be stored; a plan warns of that."""
        shown = [f"{escaped(name)} ({count})" for name, count in sorted(self.told.items())]
        listed = ", ".join([*shown[:_PEOPLE_TOLD], *(["..."] if len(shown) > _PEOPLE_TOLD else [])])
        if self.only is not None and self.only not in self.counts:
            named = f"the people are {listed}" if shown else "the file names nobody"
            raise CommonplaceError(ErrorCode.INVALID_ARGUMENT, f"only: nobody is called so; {named}", "only")
        if self.only is not None or len(shown) < 2:
            return []
        several = f"these are memories of {len(self.told.keys() - {NO_NAME})} people: {listed}; choose one of them"
        if apply:
            raise CommonplaceError(ErrorCode.INVALID_ARGUMENT, f"only: {several}", "only")
        return [several]


@dataclass
class _Work:
    """What is to be done about each statement, by what is here and by what came before it in the file."""

    caller: Caller
    ports: Ports
    progress: Progress
    given: Iterable[ForeignFact | RefusedEntry]
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
        """The plan of the run that takes them in."""
        ports = replace(self.ports, embedder=self.read())
        return Plan(operations=self.plan.operations(self.caller, ports), candidates=self.entries)

    def count(self, seen: Seen) -> None:
        """Counts what is to be done."""
        for memory in self.ports.records.all(self.caller.user_id):
            if memory.status == "active":
                seen.add(fingerprint(memory), memory.memory_id)
        for number, one in self._fresh():
            fact, zone = one.fact, self.caller.now.tzinfo
            is_over = fact.valid_to is not None and in_zone(fact.valid_to, zone) <= self.caller.now
            place = DEFAULT_COLLECTION, self.caller.agent_id, fact.session_id, fact.position
            found = None if is_over else seen.add(fingerprint_of(fact.content, *place), None, one.fields)
            if found is not None:
                there = self.ports.records.get(self.caller.user_id, [found[0]])[0] if found[0] else None
                self._is_known(number, one, there, f"{found[0] or BEFORE} says the same", same=found[1])
                continue
            self.closed += is_over
            self._is_new(one)

    def read(self) -> PrecomputedEmbedder:
        """Fills in what is to be done; returns the memories' embedder with the vectors that it made for that."""
        fresh = list(self._fresh())
        own_tags = self.ports.facts.tags(self.caller.user_id)
        vectors, memories = PrecomputedEmbedder.of((), self.ports.embedder), list[Given]()
        for batch in in_batches(fresh, _BATCH):
            made = PrecomputedEmbedder.of([one.fact.content for _, one in batch], labelling(self.ports))
            if made.name == self.ports.embedder.name:
                vectors = replace(vectors, vectors={**vectors.vectors, **made.vectors})
            for number, one in batch:
                speaker = None if (one.fact.speaker or "").lower() in NOBODY else one.fact.speaker
                statement = enrich(one.fact.content, self.ports.words, made, own_tags, speaker)
                memories.append(Given(number, memory_of(one, statement, self.caller, self.ports), name=one.name))
            self.progress(len(memories), len(fresh))
        self.plan = ImportPlan.of(memories, self.caller, self.ports)
        self._tell(fresh)
        self._compare(vectors)
        return vectors

    def _compare(self, vectors: PrecomputedEmbedder) -> None:
        """Finds which of the new memories say in other words what one that is here says."""
        caller, ports = self.caller, replace(self.ports, embedder=vectors)
        if not ports.facts.statistics(caller.user_id, caller.now, vectors.name).active:
            return
        for one in self.plan.new:
            if one.memory.status == "active":
                memory = one.memory.model_copy(update={"created_at": caller.now})
                entry = Entry(memory, vectors.embed(memory.content), Audit("import", caller.now, {}))
                same, _ = advice_on(entry, alike(find_similar(entry, ports) or ()), ports)
                if same:
                    self._turn_out(one.number, "near_duplicate", same[0].memory_id, f"says the same as {same[0].memory_id}")

    def _fresh(self) -> Iterator[tuple[int, CheckedFact]]:
        """Those that are not here by their names, and can be kept, with their places among the entries."""
        for batch in in_batches(self.given, _READ_AT_ONCE):
            names = [one.alias for one in batch if isinstance(one, ForeignFact)]
            erased, led = self.ports.erased.among(self.caller.user_id, names), self._led(names)
            for one in batch:
                self.entries += 1
                self.outcomes["added"] += 1
                if self._is_shown(self.entries):
                    self.rows[self.entries] = ImportedMemory(where=one.where, outcome="added", content="")
                found = self._checked(one, led, erased)
                if found is not None:
                    yield self.entries, found
            if self.seen is not None:
                self.progress(self.entries, None)

    def _checked(self, one: ForeignFact | RefusedEntry, led: Mapping[str, Memory], erased: set[str]) -> CheckedFact | None:
        number, zone, there = self.entries, self.caller.now.tzinfo, None
        if isinstance(one, RefusedEntry):
            self._refuse(one)
            return None
        try:
            if one.alias in erased:
                raise CommonplaceError(ErrorCode.ERASED, _ERASED, "name")
            there = led.get(one.alias)
            checked = checked_fact(one, zone, redacting=self._is_shown(number))
            if there is not None and folded(there.content) != folded(checked.fact.content):
                checked = checked_fact(one, zone)  # it may differ by a secret that was taken out here
        except CommonplaceError as error:
            self._refuse(refused(one.where, error))
            self.left.add(Unread(one.where, REFUSED.format(error.code.label), said_by(one)))
            return None
        if number in self.rows:
            self.rows[number] = self.rows[number].model_copy(update={"content": checked.fact.content})
        if there is None:
            return checked
        if folded(there.content) == folded(checked.fact.content):
            self._is_known(number, checked, there, None)
        else:
            self._is_conflict(number, checked, there.memory_id, _CONFLICT)
        return None

    def _is_new(self, one: CheckedFact) -> None:
        self.redacted |= dict.fromkeys(one.redacted)
        if one.cut:
            self._name(self.cut, one.name)
            self.left.add(Unread(one.where, NO_ROOM, one.rest))

    def _is_known(self, number: int, one: CheckedFact, there: Memory | None, why: str | None, *, same: bool = False) -> None:
        """Counts the tags and the note of a statement that is here already, unless what is there has the `same`."""
        self._name(self.known, one.name)
        self._turn_out(number, "known", there.memory_id if there is not None else None, why)
        tags, note = one.fact.tags, one.fact.user_note or ""
        if there is not None:  # its note is without secrets, which are not always looked for in the other
            tags = [tag for tag in tags if not words_of(tag) <= words_of(" ".join(there.tags))]
            same = not tags and not one.cut and (there.user_note or "") in (note, redact(note).text)
        if not same and (tags or one.rest):
            self.left.add(Unread(one.where, KNOWN_FIELDS, {"tags": tags, **one.rest}))

    def _is_conflict(self, number: int, one: CheckedFact, memory_id: str | None, why: str) -> None:
        self._name(self.conflicts, one.name)
        self._turn_out(number, "conflict", memory_id, why)
        self.left.add(Unread(one.where, CONFLICT, [one.fact.content, one.fact.tags, one.rest]))

    def _refuse(self, one: RefusedEntry) -> None:
        self._name(self.refused, one)
        self._turn_out(self.entries, "refused", None, one.message)

    def _turn_out(self, number: int, outcome: ImportOutcome, memory_id: str | None, why: str | None) -> None:
        """Notes that an entry is not simply added."""
        row = self.rows.get(number)
        self.outcomes.subtract([row.outcome if row else "added"])
        self.outcomes[outcome] += 1
        if row is not None:
            self.rows[number] = row.model_copy(update={"outcome": outcome, "memory_id": memory_id, "why": why})

    def _is_shown(self, number: int) -> bool:
        return self.seen is None or self.listed is None or number - 1 in self.listed

    def _name(self, names: list[_Named], one: _Named) -> None:
        if self.seen is None or len(names) < _MOST_NAMED:
            names.append(one)

    def _led(self, names: Sequence[str]) -> Mapping[str, Memory]:
        user_id = self.caller.user_id
        led = {name: one for few in in_batches(names, _BATCH) for name, one in self.ports.aliases.get(user_id, few).items()}
        there = {one.memory_id: one for one in self.ports.records.get(user_id, sorted(set(led.values())))}
        return {name: there[memory_id] for name, memory_id in led.items() if memory_id in there}

    def _tell(self, fresh: Sequence[tuple[int, CheckedFact]]) -> None:
        left_out = {one.given.number: one for one in self.plan.left_out}
        others = sorted({one.other for one in self.plan.left_out if one.other})
        there = {one.memory_id: one for one in self.ports.records.get(self.caller.user_id, others)}
        new, firsts = {one.number: one.memory.memory_id for one in self.plan.new}, dict[str, CheckedFact]()
        for number, one in fresh:
            left = left_out.get(number)
            if left is None:
                self._is_new(one)
                firsts[new[number]] = one
            elif left.why == "known" and left.other in firsts:
                same = firsts[left.other].fields == one.fields
                self._is_known(number, one, None, f"{BEFORE} says the same", same=same)
            elif left.why == "known":
                self._is_known(number, one, there.get(left.other or ""), left.message)
            else:
                self._is_conflict(number, one, left.other, left.message)

    def told(self, kind: ImportKind, why: str, report: RunReport | None) -> Imported:
        """The plan, or what became of it."""
        run = report.run if report is not None and report.run.operations else None
        lost = {one.memory_id for one in run.operations if one.outcome == "lost"} if run else set()
        added = [one for one in self.plan.new if one.memory.memory_id not in lost]
        for one in self.plan.new:
            if one.memory.memory_id in lost:
                self._turn_out(one.number, "lost", None, _LOST)
        shown = list(self.rows.values())
        return Imported(
            kind=kind,
            why=why,
            applied=report is not None,
            run_id=run.run_id if run else None,
            status=run.status if run else None,
            entries=self.entries,
            added=len(added) if self.seen is None else self.outcomes["added"],
            closed=self.closed + sum(one.memory.status != "active" for one in added),
            known=self.known,
            conflicts=self.conflicts,
            refused=self.refused,
            outcomes=dict(+self.outcomes),
            memories=shown if self.seen is not None or self.listed is None else shown[self.listed.start : self.listed.stop],
            lost=[one.called for one in self.plan.new if one.memory.memory_id in lost],
            cut=self.cut,
            **self.left.told,
        )


def said_by(fact: ForeignFact) -> dict[str, Any]:
    """All that an entry says."""
    odd = {name: time for name, time in fact.times.items() if not isinstance(time, datetime) and not is_technical(time)}
    speaker = None if (fact.speaker or "").lower() in NOBODY else fact.speaker
    return merged_fields({"content": fact.content, "tags": fact.tags, "speaker": speaker}, fact.rest, odd)


def refused(where: str, error: CommonplaceError) -> RefusedEntry:
    """What is told of an entry that can't be taken in."""
    return RefusedEntry(where=where, field=error.field, code=error.code.label, message=error.message)


def checked_fact(given: ForeignFact, zone: tzinfo | None, *, redacting: bool = True) -> CheckedFact:
    """The statement without secrets; a time that can't be read goes to the note. Raises a 400 that names the field.

    Without `redacting` secrets are not looked for, which is most of the work: for what is only counted.
    """
    if not isinstance(given.content, str):
        raise CommonplaceError(ErrorCode.MISSING_FIELD, "content: there are no words", "content")
    said = (
        redact(given.content.strip(), given.before) if redacting else Redaction(given.content.strip(), (), only_secret=False)
    )
    if said.only_secret:
        raise CommonplaceError(ErrorCode.SECRET_ONLY, "content: contains only a secret", "content")
    times, odd = dict[str, datetime](), dict[str, Any]()
    for name, value in given.times.items():
        try:
            times[name] = value if isinstance(value, datetime) else moment(value)
        except (ValueError, TypeError, OverflowError, OSError):
            odd[name] = value
    words, more = _words(given.tags)
    tags, over = split_tags(words)
    changed = [tag for tag in tags if not words_of(tag) <= words_of(hyphenated(tag))]  # `js` is kept as `javascript`
    rest = merged_fields(given.rest, odd, {"tags": [*over, *changed, *more]})
    note, cut = noted(None, rest)
    fields: dict[str, Any] = {name: getattr(given, name) for name in _PLACE}
    fields |= {"content": said.text, "tags": tags[:MOST_TAGS], "user_note": note, **times}
    fields = {name: one for name, one in fields.items() if one is not None}
    fact, kinds = validate.validate(Fact, fields, zone) if redacting else (validate.check(Fact, fields), [])
    found, said_beside = tuple(dict.fromkeys((*said.kinds, *kinds))), json.dumps([tags, rest], sort_keys=True, default=str)
    return CheckedFact(given.where, given.alias, fact, given.source, rest, cut, found, said_beside.encode())


def _words(given: Any) -> tuple[list[str], list[Any]]:
    """The tags that are texts, and what stands among them that is none."""
    several = given.split(",") if isinstance(given, str) else given if isinstance(given, (list, tuple)) else [given]
    words = [word.strip() for word in several if isinstance(word, str) and word.strip()]
    return words, [one for one in several if not isinstance(one, str) and one not in (None, [], {})]


def memory_of(one: CheckedFact, statement: EnrichedStatement, caller: Caller, ports: Ports) -> Memory:
    """The memory of a statement; what it doesn't tell is derived by rules, as of a store.

    What is not true any more is closed, and what is to end later gets its end; what is over stays over.
    """
    fact, now = one.fact, caller.now
    ends = min(filter(None, (fact.expires_at, fact.valid_to)), default=None)
    later = ends is not None and not is_never(ends) and ends > now
    given: dict[str, Any] = {
        "agent_id": caller.agent_id,
        "source": one.source,
        "user_note": fact.user_note,
        "tags": tuple(dict.fromkeys(filter(None, map(hyphenated, fact.tags)))) or statement.tags,
        "expires_at": ends if later else None,
    }
    place = Place(session_id=fact.session_id, position=fact.position, speaker=fact.speaker, event_time=fact.event_time)
    made = new_entry(TOOL, statement, place, caller, ports, given).memory
    created = min(fact.created_at or now, now)
    kept: dict[str, Any] = {
        "memory_id": new_memory_id(max(created, _FIRST)),
        "created_at": created,
        "last_accessed": fact.last_accessed,
        "valid_from": fact.valid_from,
    }
    return made.model_copy(update={**kept, **_end(fact, now)})


def _end(fact: Fact, now: datetime) -> Mapping[str, Any]:
    """How it ended, if it did."""
    if fact.valid_to is not None and fact.valid_to <= now:
        return {"status": "superseded", "valid_to": fact.valid_to, "expires_at": None, "purge_at": None}
    if fact.expires_at is not None and fact.expires_at <= now:  # kept for as long as what ends now
        return {"durability": "daily", "expires_at": fact.expires_at, "purge_at": now + PURGE_DELAY}
    return {}
