"""Apply edited pages to the memories as a run. The run can be previewed and undone like any other run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time
from typing import Any

from pydantic import JsonValue

from commonplace.contract import validate
from commonplace.domain.errors import CommonplaceError, ErrorCode, invalid
from commonplace.domain.fields import Moment, Request, Text
from commonplace.domain.flaws import gathered
from commonplace.domain.ids import new_operation_id, new_run_id
from commonplace.domain.interactions import RunReport
from commonplace.domain.memory import DEFAULT_COLLECTION, Memory
from commonplace.domain.runs import OperationKind, Outcome, Run, RunOperation
from commonplace.domain.storage import Key
from commonplace.memories import transitions
from commonplace.memories.enrich import enrich
from commonplace.memories.ingest import DAILY_FOR, new_entry
from commonplace.memories.transitions import PURGE_DELAY
from commonplace.pages.difference import Difference, Kind, MemoriesById, differences, read_record
from commonplace.pages.page import Page, PageEntry, is_page, owner_hash, was_moved_to, zone_of
from commonplace.pages.publishing import publish, write_pages
from commonplace.pages.reading import parse
from commonplace.ports.bundle import Ports
from commonplace.ports.documents import Pages
from commonplace.ports.values import Caller, Entry, Vector
from commonplace.retrieval.documents import folded
from commonplace.runs import report
from commonplace.runs.apply import Plan, PlannedChange, PlannedOperation, RunContext, encode_vector
from commonplace.runs.limits import most_deletions
from commonplace.runs.queueing import apply_plan, exclusive_lease

_DRY = "a dry run: nothing was changed"
_THE_SAME = "the pages say what is remembered"
_INHERITED = ("collection", "agent_id", "section", "scope", "scope_ref", "subject", "durability", "expires_at")
# removals first, to free capacity for additions
_ORDER: tuple[Kind, ...] = ("conflict", "remove", "move", "edit", "add")
_KINDS: Mapping[Kind, OperationKind] = {"remove": "DELETE", "edit": "UPDATE", "move": "UPDATE", "add": "ADD"}
_WHY: Mapping[Kind, str] = {"remove": "taken out", "edit": "changed", "move": "put in another place", "add": "new"}
KNOWN = "it is remembered already"


class EntryRequest(Request):
    """A typed entry to be validated. `value` is None if the text is unchanged, `event_time` if the day is."""

    key: Key | None = None
    value: Text | None = None
    event_time: Moment | None = None


@dataclass(frozen=True)
class Step:
    """A difference with its planned operation."""

    difference: Difference
    planned: PlannedOperation


@dataclass
class PagePlanner:
    """Plans operations for the differences of a user's pages. `redacted` contains the kinds of secrets that were removed."""

    record: MemoriesById
    caller: Caller
    ports: Ports
    redacted: dict[str, None] = field(default_factory=dict)
    _own_tags: Mapping[str, int] = field(default_factory=dict)
    _current_texts: set[str] = field(default_factory=set)

    def steps(self, differences: Sequence[Difference]) -> list[Step]:
        """Return a step for each difference, in the order of execution.

        A conflict becomes a `lost` operation, and an invalid or already stored entry becomes a `NOOP`. Both give the reason.
        """
        replaced = {item.memory.memory_id for item in differences if item.memory and item.kind in ("remove", "edit")}
        self._current_texts = {folded(memory.content) for memory in self.record.current if memory.memory_id not in replaced}
        self._own_tags = self.ports.facts.tags(self.caller.user_id)
        return [
            Step(difference, self._plan_difference(difference))
            for difference in sorted(differences, key=lambda difference: _ORDER.index(difference.kind))
        ]

    def _plan_difference(self, item: Difference) -> PlannedOperation:
        if item.kind == "conflict":
            return self._leave_aside(item, "UPDATE" if item.line else "DELETE", "lost", item.why)
        if item.line is None:
            assert item.memory is not None
            return self._build_operation(item, closes=transitions.deleted(item.memory, self.caller.now))
        try:
            typed, kinds = validate.validate(EntryRequest, _pick_fields_to_check(item, item.line, self.caller), None)
        except CommonplaceError as error:
            return self._leave_aside(item, "NOOP", "applied", error.message)
        self.redacted |= dict.fromkeys(kinds)
        if item.kind == "add" and folded(typed.value or "") in self._current_texts:
            return self._leave_aside(item, "NOOP", "applied", KNOWN)
        if typed.value is None:
            assert item.memory is not None
            return self._build_operation(
                item, opens=moved(item.page, item.line, typed, item.memory, self.caller), before=item.memory
            )
        self._current_texts.add(folded(typed.value))
        entry = new_memory(item.page, item.line, typed, item.memory, self._own_tags, self.caller, self.ports)
        closes = transitions.superseded(item.memory, entry.memory.memory_id, self.caller.now) if item.memory else None
        return self._build_operation(item, opens=entry.memory, vector=entry.vector, closes=closes)

    def _build_operation(
        self, difference: Difference, opens: Memory | None = None, before: Memory | None = None, vector: Vector | None = None,
        closes: Memory | None = None,
    ) -> PlannedOperation:  # fmt: skip
        reported = self._build_report(difference, _KINDS[difference.kind], "planned", _WHY[difference.kind], opens, closes)
        detail: dict[str, JsonValue] = {"tool": "markdown", "operation_id": reported.operation_id}
        opened = opens and PlannedChange(
            memory=opens, audit="update" if before else "store", detail=detail, vector=encode_vector(vector), before=before
        )
        closed = closes and PlannedChange(
            memory=closes, audit="supersede" if opens else "delete", detail=detail, before=difference.memory
        )
        return PlannedOperation(told=reported, at=self.caller.now, opens=opened, closes=(closed,) if closed else ())

    def _leave_aside(self, item: Difference, kind: OperationKind, outcome: Outcome, why: str) -> PlannedOperation:
        """Return an operation that changes nothing and contains the reason."""
        return PlannedOperation(told=self._build_report(item, kind, outcome, why, closes=item.memory), at=self.caller.now)

    def _build_report(
        self, difference: Difference, kind: OperationKind, outcome: Outcome, why: str,
        opens: Memory | None = None, closes: Memory | None = None,
    ) -> RunOperation:  # fmt: skip
        return RunOperation(
            operation_id=new_operation_id(self.caller.now),
            kind=kind,
            outcome=outcome,
            memory_id=opens.memory_id if opens else None,
            closed=(closes.memory_id,) if closes else (),
            why=f"{difference.place}: {why}",
        )


@dataclass(frozen=True)
class _PageChanges:
    """The changes that were made on pages. `texts` maps page names to texts as read. `memories` counts the memories."""

    run: Run
    pages: Sequence[Page]
    texts: Mapping[str, str]
    steps: Sequence[Step]
    memories: int

    @property
    def excess(self) -> str | None:
        """The reason that the removals must be allowed explicitly, or None if few entries were removed."""
        removed, most = sum(step.difference.kind == "remove" for step in self.steps), most_deletions(self.memories)
        why = f"{removed} of {self.memories} entries were taken out; more than {most} must be allowed"
        return why if removed > most else None

    def fully_applied(self, run: Run) -> dict[str, str]:
        """Return the pages whose changes are all applied, by name. They may be rewritten unless they were edited since."""
        ends = {reported.operation_id: reported.outcome for reported in run.operations}
        left = {step.difference.page.name for step in self.steps if _is_left_aside(step, ends)}
        return {page.name: self.texts[page.name] for page in self.pages if page.name not in left and not page.unread}


def compare_pages(pages: Pages, context: RunContext) -> RunReport:
    """Report the changes that the edited pages would make, without writing anything."""
    changes = _find_changes(pages, context)
    notes = [*changes.run.notes, _DRY if changes.steps else _THE_SAME, *([changes.excess] if changes.excess else [])]
    return _report_changes(changes, notes, context)


def apply_pages(pages: Pages, context: RunContext, delete_many: bool = False) -> RunReport:
    """Apply the changes on the pages to the memories, and rewrite the pages.

    More than 3 entries that are also more than 5 % of all entries are removed only if `delete_many` is True. Otherwise the
    call changes nothing and raises `INVALID_ARGUMENT`. Raises `CONFLICT` while another run is in progress.
    """
    with exclusive_lease(context) as lease:
        edits = _find_changes(pages, context)
        if edits.excess and not delete_many:
            raise invalid("delete_many", edits.excess)
        run, planned = edits.run, [step.planned for step in edits.steps]
        changes = any(planned.told.outcome == "planned" for planned in planned)
        if changes:
            run = apply_plan(run, Plan(operations=tuple(planned)), context, lease)
        write_pages(pages, context.caller, context.ports, taken_over=edits.fully_applied(run))
        if changes:
            trouble = publish(run, context)
            if trouble is not None:
                run = run.model_copy(update={"notes": (*run.notes, trouble)})
                context.night.runs.save(run, lease.fence)
            return report.report(run, context)
    return _report_changes(edits, [*run.notes, *([] if edits.steps else [_THE_SAME])], context)


def _find_changes(pages: Pages, context: RunContext) -> _PageChanges:
    """Read the pages, and plan their differences as a run. Files that are not pages of this user are named in its notes."""
    caller, notes, read, texts = context.caller, list[str](), list[Page](), dict[str, str]()
    for name in filter(is_page, pages.names()):
        text = pages.read(name) or ""
        page = parse(name, text)
        if page is None or page.owner != owner_hash(caller.user_id):
            notes.append(f"{name} is no page of this memory and was not read")
            continue
        read.append(page)
        texts[name] = text
        if not page.whole:
            notes.append(f"{name} has lost its last line: what is missing on it is not taken out")
        if page.unread:
            lines = ", ".join(map(str, page.unread))
            notes.append(f"{name}: no entries, and not read, are the lines {lines}")
    if not read and not notes:
        raise CommonplaceError(ErrorCode.NOT_FOUND, "dir: holds no page of this memory", "dir")
    with gathered() as flaws:
        record = read_record(caller, context.ports)
    notes += [flaws.note] if flaws.note else []
    planner = PagePlanner(record, caller, context.ports)
    steps = planner.steps(differences(read, record))
    notes += [f"removed, because secrets are never stored: {', '.join(planner.redacted)}"] if planner.redacted else []
    run = Run(
        run_id=new_run_id(caller.now),
        user_id=context.user_id,
        kind="markdown",
        date=caller.now.date(),
        notes=tuple(notes),
        started_at=caller.now,
    )
    return _PageChanges(run, read, texts, steps, len(record.current))


def _is_left_aside(step: Step, ends: Mapping[str, str]) -> bool:
    """Return whether a change was refused or lost. `ends` maps operation ids to outcomes."""
    reported = step.planned.told
    refused = reported.kind == "NOOP" and not reported.why.endswith(KNOWN)
    return refused or ends.get(reported.operation_id, reported.outcome) == "lost"


def _report_changes(changes: _PageChanges, notes: Sequence[str], context: RunContext) -> RunReport:
    operations = [step.planned for step in changes.steps]
    ended = {"status": "done", "finished_at": context.clock(), "notes": tuple(notes)}
    run = changes.run.model_copy(update={**ended, "operations": tuple(planned.told for planned in operations)})
    return report.report_plan(run, operations)


def new_memory(
    page: Page, line: PageEntry, typed: EntryRequest, old: Memory | None, own_tags: Mapping[str, int], caller: Caller,
    ports: Ports,
) -> Entry:  # fmt: skip
    """Return the memory of a new or changed entry. Fields that the text doesn't determine are copied from `old`."""
    assert typed.value is not None
    fields: dict[str, Any] = {"confidence": 1.0, "collection": DEFAULT_COLLECTION, "key": typed.key}
    if old is not None:
        fields |= {name: getattr(old, name) for name in _INHERITED} | {"supersedes": old.memory_id}
    if line.section is not None:
        fields["section"] = line.section
    if old is None or was_moved_to(page, old, zone_of(caller)):
        fields |= _derive_fields(page, old, caller)
    elif old.durability == "daily":
        fields["event_time"] = old.happened_at
    statement = enrich(typed.value, ports.words, ports.embedder, own_tags)
    return new_entry("markdown", statement, None, caller, ports, fields)


def moved(page: Page, line: PageEntry, typed: EntryRequest, old: Memory, caller: Caller) -> Memory:
    """Return the memory of an entry that was moved to another heading or page. Its text and evidence stay unchanged."""
    changed: dict[str, Any] = {"key": typed.key, "section": line.section or old.section}
    if was_moved_to(page, old, zone_of(caller)):
        changed |= _derive_fields(page, old, caller)
    return old.next_version(caller.now, **changed)


def _derive_fields(page: Page, old: Memory | None, caller: Caller) -> dict[str, Any]:
    """Return the durability, the expiry and the event time, which depend on the page."""
    if page.day is None:
        return {"durability": "durable", "expires_at": None, "purge_at": None}
    expires = (old and old.expires_at) or caller.now + DAILY_FOR
    noon = _find_noon(page.day, caller)
    return {
        "durability": "daily",
        "expires_at": expires,
        "purge_at": expires + PURGE_DELAY,
        "event_time": min(noon, caller.now) if page.day == caller.now.date() else noon,
    }


def _find_noon(day: date, caller: Caller) -> datetime:
    return datetime.combine(day, time(12), caller.now.tzinfo)


def _pick_fields_to_check(difference: Difference, line: PageEntry, caller: Caller) -> Mapping[str, object]:
    """Return the fields of a line that must be validated. The text of a moved entry was validated before."""
    fields: dict[str, object] = {"key": line.key} if difference.kind == "move" else {"key": line.key, "value": line.text}
    was_moved = difference.memory is None or was_moved_to(difference.page, difference.memory, zone_of(caller))
    return {**fields, "event_time": _find_noon(difference.page.day, caller)} if was_moved and difference.page.day else fields
