"""Taking in statements that another store kept: planned whole, applied as one run, known when they come again."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from commonplace.domain.batching import in_batches
from commonplace.domain.errors import CommonplaceError, ErrorCode, escaped
from commonplace.domain.fields import Notes
from commonplace.domain.flaws import gathered
from commonplace.domain.imports import ForeignFact, Imported, RefusedEntry, Unread, merged_fields
from commonplace.domain.interactions import RunReport
from commonplace.domain.memory import Memory
from commonplace.domain.taxonomy import ImportKind
from commonplace.memories.enrich import EnrichedStatement, PrecomputedEmbedder, enrich, labelling
from commonplace.pages.publishing import publish
from commonplace.ports.bundle import Ports
from commonplace.ports.values import Caller
from commonplace.retrieval.documents import folded
from commonplace.runs.apply import Plan
from commonplace.runs.staging import change_many, run_context
from commonplace.use_cases.foreign_facts import CheckedFact, checked_fact, memory_of
from commonplace.use_cases.import_plan import Given, ImportPlan
from commonplace.use_cases.left_out import LeftOutWords, is_technical, words_of

Progress = Callable[[int, int], None]
Entry = ForeignFact | RefusedEntry
_BATCH = 100
_MOST_NAMED = 20
NO_ROOM = "the note has no room for all fields"
REFUSED = "refused: {}"
CONFLICT = "a memory here has the same name and says something else"
KNOWN_FIELDS = "tags and other fields of a statement that is here already"
ANOTHERS = "of another person"
_ERASED = "name: the memory that was called so was erased here, and does not come back"


def import_facts(
    kind: ImportKind, why: str, given: Iterable[ForeignFact | RefusedEntry | Unread], caller: Caller, ports: Ports, *,
    apply: bool = False, progress: Progress = lambda _done, _of: None, warnings: Sequence[str] = (),
    only: str | None = None, passages: bool = False,
) -> Imported:  # fmt: skip
    """Tells what taking in these statements would do, or does it. `kind` and `why`: what they are of, as it is told.

    What can't be kept is told in `refused`, and the others are taken in. `progress` is called with how many of how many are
    read, and then stored. `only`: the person whose statements are taken in; `INVALID_ARGUMENT` if `only` names nobody, or if
    several people's are to be stored without it. `passages`: lists what is left out. `CONFLICT` while another run of the user
    is at work.
    """
    left = LeftOutWords(passages)
    entries: list[Entry] = list(left.taken(given))
    people = Counter(one.person for one in entries if isinstance(one, ForeignFact) and one.person)
    if only is not None and only not in people:
        named = f"the people are {_listed(people)}" if people else "the file names nobody"
        raise CommonplaceError(ErrorCode.INVALID_ARGUMENT, f"only: nobody is called so; {named}", "only")
    if only is None and len(people) > 1:
        several = f"these are memories of {len(people)} people: {_listed(people)}; choose one of them (--only NAME)"
        if apply:
            raise CommonplaceError(ErrorCode.INVALID_ARGUMENT, f"only: {several}", "only")
        warnings = [*warnings, several]
    work = _Work(caller, ports, progress, list(_of_person(only, entries, left)), left, people)
    with gathered() as flaws:
        if apply:  # planned under the lease: a run that died is finished first
            report = change_many(
                "import", lambda _: work.planned(), run_context(caller, ports, progress), dry_run=False, publish=publish
            )
        else:
            report = None
            work.read()
    notes = Notes(redacted=list(work.redacted) or None, warnings=list(warnings) or None) or None
    return work.told(kind, why, report).model_copy(update={"notes": notes}).naming(flaws)


def _listed(people: Mapping[str, int]) -> str:
    shown = [f"{escaped(name)} ({count})" for name, count in sorted(people.items())]
    return ", ".join([*shown[:_MOST_NAMED], *(["..."] if len(shown) > _MOST_NAMED else [])])


def _of_person(only: str | None, entries: Iterable[Entry], left: LeftOutWords) -> Iterator[Entry]:
    for one in entries:
        if only is None or isinstance(one, RefusedEntry) or one.person == only:
            yield one
        else:
            left.add(Unread(one.where, ANOTHERS, said_by(one)))


@dataclass
class _Work:
    """What is to be done about each statement, by what is here and by what came before it in the file."""

    caller: Caller
    ports: Ports
    progress: Progress
    given: Sequence[Entry]
    left: LeftOutWords
    people: Mapping[str, int]
    refused: list[RefusedEntry] = field(default_factory=list)
    known: list[str] = field(default_factory=list)
    conflicts: list[str] = field(default_factory=list)
    cut: list[str] = field(default_factory=list)
    redacted: dict[str, None] = field(default_factory=dict)
    plan: ImportPlan = field(default_factory=ImportPlan)

    def planned(self) -> Plan:
        """The plan of the run that takes them in."""
        ports = replace(self.ports, embedder=self.read())
        return Plan(operations=self.plan.operations(self.caller, ports), candidates=len(self.given))

    def read(self) -> PrecomputedEmbedder:
        """Fills in what is to be done; returns the memories' embedder with the vectors that it made for that."""
        fresh = list(self._fresh())
        own_tags = self.ports.facts.tags(self.caller.user_id)
        vectors, memories = PrecomputedEmbedder.of((), self.ports.embedder), list[Given]()
        for batch in in_batches(fresh, _BATCH):
            made = PrecomputedEmbedder.of([one.fact.content for one in batch], labelling(self.ports))
            if made.name == self.ports.embedder.name:
                vectors = replace(vectors, vectors={**vectors.vectors, **made.vectors})
            for one in batch:
                statement = self._enriched(one, made, own_tags)
                number = len(memories) + 1
                memories.append(Given(number, memory_of(one, statement, self.caller, self.ports), name=one.name))
            self.progress(len(memories), len(fresh))
        self.plan = ImportPlan.of(memories, self.caller, self.ports)
        self._tell(fresh)
        return vectors

    def _enriched(self, one: CheckedFact, embedder: PrecomputedEmbedder, own_tags: Mapping[str, int]) -> EnrichedStatement:
        return enrich(one.fact.content, self.ports.words, embedder, own_tags, one.fact.speaker)

    def _fresh(self) -> Iterable[CheckedFact]:
        """Those that are not here by their names, and can be kept."""
        names = [one.alias for one in self.given if isinstance(one, ForeignFact)]
        erased = self.ports.erased.among(self.caller.user_id, names)
        led = self._led(names)
        for one in self.given:
            if isinstance(one, RefusedEntry):
                self.refused.append(one)
                continue
            try:
                if one.alias in erased:
                    raise CommonplaceError(ErrorCode.ERASED, _ERASED, "name")
                checked = checked_fact(one, self.caller.now.tzinfo)
            except CommonplaceError as error:
                self.refused.append(refused(one.where, error))
                self.left.add(Unread(one.where, REFUSED.format(error.code.label), said_by(one)))
                continue
            there = led.get(one.alias)
            if there is None:
                yield checked
            elif folded(there.content) != folded(checked.fact.content):
                self.conflicts.append(one.alias)
                self.left.add(Unread(one.where, CONFLICT, said_by(one)))
            else:
                self.known.append(one.alias)
                self._leave_fields(checked, there)

    def _led(self, names: Sequence[str]) -> Mapping[str, Memory]:
        user_id = self.caller.user_id
        led = {name: one for few in in_batches(names, _BATCH) for name, one in self.ports.aliases.get(user_id, few).items()}
        there = {one.memory_id: one for one in self.ports.records.get(user_id, sorted(set(led.values())))}
        return {name: there[memory_id] for name, memory_id in led.items() if memory_id in there}

    def _tell(self, fresh: Sequence[CheckedFact]) -> None:
        new = {one.memory.memory_id: one.memory for one in self.plan.new}
        left_out = {one.given.number: one for one in self.plan.left_out}
        for number, one in enumerate(fresh, 1):
            left = left_out.get(number)
            if left is None:
                self.redacted |= dict.fromkeys(one.redacted)
                if one.cut:
                    self.cut.append(one.name)
                    self.left.add(Unread(one.where, NO_ROOM, one.rest))
            elif left.why == "known":
                self.known.append(one.name)
                self._leave_fields(one, new.get(left.other or ""))
            else:
                self.conflicts.append(one.name)
                self.left.add(Unread(one.where, CONFLICT, [one.fact.content, one.fact.tags, one.rest]))

    def _leave_fields(self, one: CheckedFact, there: Memory | None) -> None:
        """Counts the tags and the note of a statement that is here already, unless the memory here has the same."""
        note = (there.user_note if there is not None else None) or ""
        tags = [tag for tag in one.fact.tags if there is None or not words_of(tag) <= words_of(" ".join(there.tags))]
        if tags or (one.rest and (one.cut or one.fact.user_note != note)):
            self.left.add(Unread(one.where, KNOWN_FIELDS, {"tags": tags, **one.rest}))

    def told(self, kind: ImportKind, why: str, report: RunReport | None) -> Imported:
        """The plan, or what became of it."""
        run = report.run if report is not None and report.run.operations else None
        lost = {one.memory_id for one in run.operations if one.outcome == "lost"} if run else set()
        added = [one for one in self.plan.new if one.memory.memory_id not in lost]
        return Imported(
            kind=kind,
            why=why,
            applied=report is not None,
            run_id=run.run_id if run else None,
            status=run.status if run else None,
            entries=len(self.given),
            added=len(added),
            closed=sum(one.memory.status != "active" for one in added),
            known=self.known,
            conflicts=self.conflicts,
            refused=self.refused,
            lost=[one.called for one in self.plan.new if one.memory.memory_id in lost],
            cut=self.cut,
            people=dict(self.people),
            **self.left.told,
        )


def said_by(fact: ForeignFact) -> dict[str, Any]:
    """All that an entry says."""
    odd = {name: time for name, time in fact.times.items() if not isinstance(time, datetime) and not is_technical(time)}
    return merged_fields({"content": fact.content, "tags": fact.tags}, fact.rest, odd)


def refused(where: str, error: CommonplaceError) -> RefusedEntry:
    """What is told of an entry that can't be taken in."""
    return RefusedEntry(where=where, field=error.field, code=error.code.label, message=error.message)
