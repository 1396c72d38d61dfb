"""Taking in statements that another store kept: planned whole, applied as one run, known when they come again."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from commonplace.domain.batching import in_batches
from commonplace.domain.errors import CommonplaceError, ErrorCode
from commonplace.domain.fields import Notes
from commonplace.domain.flaws import gathered
from commonplace.domain.imports import ForeignFact, Imported, ImportedMemory, ImportOutcome, RefusedEntry
from commonplace.domain.interactions import RunReport
from commonplace.domain.memory import Memory
from commonplace.domain.taxonomy import ImportKind
from commonplace.memories.comparison import advice_on, alike, find_similar
from commonplace.memories.enrich import PrecomputedEmbedder, enrich, labelling
from commonplace.pages.publishing import publish
from commonplace.ports.bundle import Ports
from commonplace.ports.record_values import Audit, Entry
from commonplace.ports.values import Caller
from commonplace.retrieval.documents import folded
from commonplace.runs.plan import Plan
from commonplace.runs.staging import change_many, run_context
from commonplace.use_cases.foreign_facts import CheckedFact, checked_fact, memory_of
from commonplace.use_cases.import_conversation import NOBODY
from commonplace.use_cases.import_plan import Given, ImportPlan

Progress = Callable[[int, int | None], None]
_BATCH = 100
CONFLICT = "says something else here, which stays"
ERASED = "name: the memory that was called so was erased here, and does not come back"


def import_facts(
    kind: ImportKind, why: str, given: Iterable[ForeignFact | RefusedEntry], caller: Caller, ports: Ports, *,
    apply: bool = False, progress: Progress = lambda _done, _of: None, warnings: Sequence[str] = (),
    listed: range | None = None,
) -> Imported:  # fmt: skip
    """Tells what taking in these statements would do, or does it. `kind` and `why`: what they are of, as it is told;
    `listed`: of which entries it is told what happens to them, of all without it.

    What can't be kept is told in `refused`, and the others are taken in. `progress` is called with how many of how many are
    read, and then stored. `CONFLICT` while another run of the user is at work.
    """
    work = _Work(caller, ports, progress, list(given))
    with gathered() as flaws:
        if apply:  # planned under the lease: a run that died is finished first
            report = change_many(
                "import", lambda _: work.planned(), run_context(caller, ports, progress), dry_run=False, publish=publish
            )
        else:
            report = None
            work.read()
    notes = Notes(redacted=list(work.redacted) or None, warnings=list(warnings) or None) or None
    told = work.told(kind, why, report)
    shown = told.memories if listed is None else told.memories[listed.start : listed.stop]
    return told.model_copy(update={"notes": notes, "memories": shown}).naming(flaws)


@dataclass
class _Work:
    """What is to be done about each statement, by what is here and by what came before it in the file."""

    caller: Caller
    ports: Ports
    progress: Progress
    given: Sequence[ForeignFact | RefusedEntry]
    refused: list[RefusedEntry] = field(default_factory=list)
    known: list[str] = field(default_factory=list)
    conflicts: list[str] = field(default_factory=list)
    cut: list[str] = field(default_factory=list)
    redacted: dict[str, None] = field(default_factory=dict)
    plan: ImportPlan = field(default_factory=ImportPlan)
    rows: dict[int, ImportedMemory] = field(default_factory=dict)

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
            made = PrecomputedEmbedder.of([one.fact.content for _, one in batch], labelling(self.ports))
            if made.name == self.ports.embedder.name:
                vectors = replace(vectors, vectors={**vectors.vectors, **made.vectors})
            for number, one in batch:
                speaker = None if (one.fact.speaker or "").lower() in NOBODY else one.fact.speaker
                statement = enrich(one.fact.content, self.ports.words, made, own_tags, speaker)
                memories.append(Given(number, memory_of(one, statement, self.caller, self.ports), name=one.name))
            self.progress(len(memories), len(fresh))
        self.plan = ImportPlan.of(memories, self.caller, self.ports)
        self._tell([one for _, one in fresh])
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
                    self._row(one.number, "near_duplicate", same[0].memory_id, f"says the same as {same[0].memory_id}")

    def _row(self, number: int, outcome: ImportOutcome, memory_id: str | None, why: str | None) -> None:
        told = {"outcome": outcome, "memory_id": memory_id, "why": why}
        self.rows[number] = self.rows[number].model_copy(update=told)

    def _fresh(self) -> Iterable[tuple[int, CheckedFact]]:
        """Those that are not here by their names, and can be kept, with their places among the entries."""
        names = [one.alias for one in self.given if isinstance(one, ForeignFact)]
        erased = self.ports.erased.among(self.caller.user_id, names)
        led = led_by(names, self.caller, self.ports)
        for number, one in enumerate(self.given, 1):
            self.rows[number] = ImportedMemory(where=one.where, outcome="added", content="")
            if isinstance(one, RefusedEntry):
                self.refused.append(one)
                self._row(number, "refused", None, one.message)
                continue
            try:
                if one.alias in erased:
                    raise CommonplaceError(ErrorCode.ERASED, ERASED, "name")
                checked = checked_fact(one, self.caller.now.tzinfo)
            except CommonplaceError as error:
                self.refused.append(refused(one.where, error))
                self._row(number, "refused", None, error.message)
                continue
            self.rows[number] = ImportedMemory(where=one.where, outcome="added", content=checked.fact.content)
            there = led.get(one.alias)
            if there is None:
                yield number, checked
            elif folded(there.content) == folded(checked.fact.content):
                self.known.append(one.alias)
                self._row(number, "known", there.memory_id, None)
            else:
                self.conflicts.append(one.alias)
                self._row(number, "conflict", there.memory_id, CONFLICT)

    def _tell(self, fresh: Sequence[CheckedFact]) -> None:
        new = {one.name for one in self.plan.new}
        self.cut = [one.name for one in fresh if one.cut and one.name in new]
        self.redacted = {kind: None for one in fresh if one.name in new for kind in one.redacted}
        for left in self.plan.left_out:
            (self.known if left.why == "known" else self.conflicts).append(left.given.called)
            self._row(left.given.number, "known" if left.why == "known" else "conflict", left.other, left.message)

    def told(self, kind: ImportKind, why: str, report: RunReport | None) -> Imported:
        """The plan, or what became of it."""
        run = report.run if report is not None and report.run.operations else None
        lost = {one.memory_id for one in run.operations if one.outcome == "lost"} if run else set()
        added = [one for one in self.plan.new if one.memory.memory_id not in lost]
        for one in self.plan.new:
            if one.memory.memory_id in lost:
                self._row(one.number, "lost", None, "another write came before; the next run takes it")
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
            outcomes=dict(Counter(one.outcome for one in self.rows.values())),
            memories=list(self.rows.values()),
            lost=[one.called for one in self.plan.new if one.memory.memory_id in lost],
            cut=self.cut,
        )


def led_by(names: Sequence[str], caller: Caller, ports: Ports) -> Mapping[str, Memory]:
    """The memories here that these names from elsewhere lead to."""
    led = {name: one for few in in_batches(names, _BATCH) for name, one in ports.aliases.get(caller.user_id, few).items()}
    there = {one.memory_id: one for one in ports.records.get(caller.user_id, sorted(set(led.values())))}
    return {name: there[memory_id] for name, memory_id in led.items() if memory_id in there}


def refused(where: str, error: CommonplaceError) -> RefusedEntry:
    """What is told of an entry that can't be taken in."""
    return RefusedEntry(where=where, field=error.field, code=error.code.label, message=error.message)
