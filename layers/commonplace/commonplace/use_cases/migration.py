"""Migrate memories from a TinyDB file. A migration is planned first and applied as one run, which can be undone."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from pydantic import JsonValue

from commonplace.domain.errors import CommonplaceError, ErrorCode
from commonplace.domain.fields import Notes
from commonplace.domain.flaws import gathered
from commonplace.domain.ids import new_operation_id
from commonplace.domain.interactions import RunReport
from commonplace.domain.legacy import LeftOutDocument, Leftover, Migration
from commonplace.domain.memory import Memory
from commonplace.domain.runs import OperationKind, RunOperation
from commonplace.memories.enrich import enrich
from commonplace.pages.publishing import publish
from commonplace.ports.bundle import Ports
from commonplace.ports.values import Caller
from commonplace.retrieval.documents import fingerprint, folded
from commonplace.runs.apply import Plan, PlannedChange, PlannedOperation, encode_vector
from commonplace.runs.staging import change_many, run_context
from commonplace.use_cases.filing import COLUMNS, Filing
from commonplace.use_cases.legacy_memories import TOOL, NewMemory, TagFolding, new_memory
from commonplace.use_cases.legacy_records import LegacyRecord, field_names, legacy_ids, read_record
from commonplace.use_cases.named import memories_by_alias
from commonplace.use_cases.tinydb import TinyFile, read_tinydb

NO_CATEGORY, UNDECIDED = "(none)", "review"
"""The names under which records without a category and undecided records are counted."""
_WHY_NEW, _WHY_KNOWN = "moved here from another store", "said here already; its old id leads to it"
_ERASED = "id: the memory with this id was erased, and is not restored"
Progress = Callable[[int, int], None]


def migrate(
    data: bytes, caller: Caller, ports: Ports, filing: Filing, *, tables: Sequence[str] = (),
    fields: Mapping[str, str] | None = None, apply: bool = False, progress: Progress = lambda _done, _of: None,
) -> Migration:  # fmt: skip
    """Plan or apply the migration of a file. `fields` maps the names of Commonplace's fields to those in the file.

    `progress` receives the number of records planned and the total. Errors in the file as a whole are raised. Documents that
    can't be stored are listed in `refused`. Raises `CONFLICT` while another run is active.
    """
    names, file = field_names(fields or {}), read_tinydb(data, tables)
    plan = _Plan(caller, ports, filing)
    with gathered() as flaws:
        if apply:  # the plan is made under the lease, after a crashed run is completed
            context = run_context(caller, ports)
            report = change_many(
                "migration", lambda _: plan.make(file, names, progress), context, dry_run=False, publish=publish
            )
            return plan.answer(file, report).naming(flaws)
        plan.make(file, names, progress)
    return plan.answer(file).naming(flaws)


@dataclass
class _Plan:
    caller: Caller
    ports: Ports
    filing: Filing
    folding: TagFolding = field(default_factory=lambda: TagFolding.of((), {}))
    refused: list[LeftOutDocument] = field(default_factory=list)
    leftovers: list[Leftover] = field(default_factory=list)
    known: list[str] = field(default_factory=list)
    conflicts: list[str] = field(default_factory=list)
    review: list[dict[str, JsonValue]] = field(default_factory=list)
    categories: dict[str, Counter[str]] = field(default_factory=dict)
    redacted: dict[str, None] = field(default_factory=dict)
    operations: tuple[PlannedOperation, ...] = ()
    _moved: Mapping[str, Memory] = field(default_factory=dict)
    _known: dict[bytes, str] = field(default_factory=dict)
    _new: dict[bytes, NewMemory] = field(default_factory=dict)
    _led: dict[str, list[str]] = field(default_factory=dict)

    def make(self, file: TinyFile, names: Mapping[str, Sequence[str]], progress: Progress) -> Plan:
        """Plan a step for each new memory and each one that gets old ids. `names` maps fields to their names in the file."""
        records = self._read_records(file, names)
        for number, record in enumerate(records, 1):
            self._plan_record(record)
            progress(number, len(records))
        self.operations = (
            *map(self._plan_addition, self._new.values()),
            *(self._plan_naming(*row) for row in self._led.items()),
        )
        return Plan(operations=self.operations)

    def _read_records(self, file: TinyFile, names: Mapping[str, Sequence[str]]) -> list[LegacyRecord]:
        """Return the valid records, and list the others in `refused`. Also loads what records are compared with."""
        ids, records = legacy_ids(file.documents, names), list[LegacyRecord]()
        erased = self.ports.erased.among(self.caller.user_id, list(ids.values()))
        for document in file.documents:
            name = ids[document.name]
            try:
                if name in erased:
                    raise CommonplaceError(ErrorCode.ERASED, _ERASED, "id")
                records.append(read_record(document, name, names, self.caller.now.tzinfo))
            except CommonplaceError as error:
                problem = {"field": error.field, "code": error.code.label, "message": error.message}
                self.refused.append(LeftOutDocument(legacy_id=name, **problem))
        active = (memory for memory in self.ports.records.all(self.caller.user_id) if memory.status == "active")
        self._known = {fingerprint(memory): memory.memory_id for memory in active}
        self._moved = memories_by_alias([record.legacy_id for record in records], self.caller, self.ports)
        own_tags = self.ports.facts.tags(self.caller.user_id)
        self.folding = TagFolding.of([record.memory.tags for record in records], own_tags)
        return records

    def _plan_record(self, item: LegacyRecord) -> None:
        """Classify a record as known, in conflict, for review, another name for a memory, or new."""
        counted = self.categories.setdefault(item.category or NO_CATEGORY, Counter())
        moved = self._moved.get(item.legacy_id)
        if moved is not None:
            same = folded(moved.content) == folded(item.memory.content)
            (self.known if same else self.conflicts).append(item.legacy_id)
            counted[moved.category] += 1
            return
        own_tags = self.folding.own
        statement = enrich(item.memory.content, self.ports.words, self.ports.embedder, own_tags)
        filed = self.filing.file(item.legacy_id, item.category, statement.classification)
        if filed.asks:
            counted[UNDECIDED] += 1
            row = (item.legacy_id, item.memory.content, item.category or "", filed.category, filed.confidence, filed.why)
            self.review.append(dict(zip(COLUMNS, row, strict=True)))
            return
        counted[filed.category] += 1
        self.redacted |= dict.fromkeys(item.redacted)
        if item.left:
            self.leftovers.append(Leftover(legacy_id=item.legacy_id, fields=list(item.left), cut=item.cut))
        new = new_memory(item, statement, filed, self.folding, self.caller, self.ports)
        mark = fingerprint(new.memory)
        if mark in self._known:
            self._led.setdefault(self._known[mark], []).append(item.legacy_id)
        else:
            self._new[mark] = self._new[mark].joined(new) if mark in self._new else new

    def _plan_addition(self, new: NewMemory) -> PlannedOperation:
        operation = self._build_step("ADD", new.memory.memory_id, _WHY_NEW)
        detail: dict[str, JsonValue] = {"tool": TOOL, "operation_id": operation.operation_id}
        vector = encode_vector(new.vector)
        change = PlannedChange(memory=new.memory, audit="store", detail=detail, vector=vector)
        return PlannedOperation(told=operation, at=self.caller.now, opens=change, aliases=new.names)

    def _plan_naming(self, memory_id: str, names: Sequence[str]) -> PlannedOperation:
        return PlannedOperation(told=self._build_step("NOOP", memory_id, _WHY_KNOWN), at=self.caller.now, aliases=(*names,))

    def _build_step(self, kind: OperationKind, memory_id: str, why: str) -> RunOperation:
        name = new_operation_id(self.caller.now)
        return RunOperation(operation_id=name, kind=kind, outcome="planned", memory_id=memory_id, why=why)

    def answer(self, file: TinyFile, report: RunReport | None = None) -> Migration:
        """Return the plan, or the outcome of the run."""
        run = report.run if report is not None and self.operations else None
        outcomes = {operation.operation_id: operation.outcome for operation in run.operations} if run else {}
        lost = [planned for planned in self.operations if outcomes.get(planned.told.operation_id) == "lost"]
        done = [planned for planned in self.operations if planned not in lost]
        warnings = [f"the file is no UTF-8 and was read as {file.encoding}"] if file.encoding != "utf-8" else []
        warnings += [f"{file.not_numbers} values were NaN or infinite, and count as not there"] if file.not_numbers else []
        return Migration(
            applied=report is not None,
            run_id=run.run_id if run else None,
            status=run.status if run else None,
            encoding=file.encoding,
            documents=len(file.documents),
            added=sum(planned.opens is not None for planned in done),
            aliases=sum(len(planned.aliases) for planned in done),
            known=self.known,
            conflicts=self.conflicts,
            lost=[name for planned in lost for name in planned.aliases],
            categories={old: dict(counted) for old, counted in self.categories.items()},
            tags_before=self.folding.before,
            tags_after=self.folding.after,
            tags_renamed=self.folding.renamed,
            review=self.review,
            refused=self.refused,
            leftovers=self.leftovers,
            notes=Notes(redacted=list(self.redacted) or None, warnings=warnings or None) or None,
        )
