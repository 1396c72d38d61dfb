"""Taking in statements that another store kept: planned whole, applied as one run, known when they come again."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from commonplace.domain.batching import in_batches
from commonplace.domain.errors import CommonplaceError, ErrorCode
from commonplace.domain.fields import Notes
from commonplace.domain.flaws import gathered
from commonplace.domain.imports import ForeignFact, Imported, RefusedEntry
from commonplace.domain.interactions import RunReport
from commonplace.domain.memory import Memory
from commonplace.domain.taxonomy import ImportKind
from commonplace.memories.enrich import EnrichedStatement, PrecomputedEmbedder, enrich, labelling
from commonplace.pages.publishing import publish
from commonplace.ports.bundle import Ports
from commonplace.ports.values import Caller
from commonplace.retrieval.documents import folded
from commonplace.runs.plan import Plan
from commonplace.runs.staging import change_many, run_context
from commonplace.use_cases.foreign_facts import CheckedFact, checked_fact, memory_of
from commonplace.use_cases.import_plan import Given, ImportPlan

Progress = Callable[[int, int], None]
_BATCH = 100
_ERASED = "name: the memory that was called so was erased here, and does not come back"


def import_facts(
    kind: ImportKind, why: str, given: Iterable[ForeignFact | RefusedEntry], caller: Caller, ports: Ports, *,
    apply: bool = False, progress: Progress = lambda _done, _of: None, warnings: Sequence[str] = (),
) -> Imported:  # fmt: skip
    """Tells what taking in these statements would do, or does it. `kind` and `why`: what they are of, as it is told.

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
    return work.told(kind, why, report).model_copy(update={"notes": notes}).naming(flaws)


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
                continue
            there = led.get(one.alias)
            if there is None:
                yield checked
            else:
                same = folded(there.content) == folded(checked.fact.content)
                (self.known if same else self.conflicts).append(one.alias)

    def _led(self, names: Sequence[str]) -> Mapping[str, Memory]:
        user_id = self.caller.user_id
        led = {name: one for few in in_batches(names, _BATCH) for name, one in self.ports.aliases.get(user_id, few).items()}
        there = {one.memory_id: one for one in self.ports.records.get(user_id, sorted(set(led.values())))}
        return {name: there[memory_id] for name, memory_id in led.items() if memory_id in there}

    def _tell(self, fresh: Sequence[CheckedFact]) -> None:
        new = {one.name for one in self.plan.new}
        self.cut = [one.name for one in fresh if one.cut and one.name in new]
        self.redacted = {kind: None for one in fresh if one.name in new for kind in one.redacted}
        for left in self.plan.left_out:
            (self.known if left.why == "known" else self.conflicts).append(left.given.called)

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
        )


def refused(where: str, error: CommonplaceError) -> RefusedEntry:
    """What is told of an entry that can't be taken in."""
    return RefusedEntry(where=where, field=error.field, code=error.code.label, message=error.message)
