"""Import the records from an export with their ids, versions and links. Stored memories are never overwritten."""

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import Annotated, Any, get_args

from pydantic import BaseModel, ConfigDict, Field

from commonplace.contract import validate
from commonplace.domain.errors import CommonplaceError, invalid, of_type
from commonplace.domain.fields import MAX_TEXT, Moment, Name, Notes, printable
from commonplace.domain.flaws import gathered
from commonplace.domain.ids import may_be_id
from commonplace.domain.imports import Imported, ImportedMemory, ImportOutcome, RefusedEntry, Unread
from commonplace.domain.memory import Memory
from commonplace.domain.runs import Run
from commonplace.domain.storage import normal_key
from commonplace.domain.transfer import ImportFormat
from commonplace.ports.bundle import Ports
from commonplace.ports.values import Caller
from commonplace.text.redaction import redact
from commonplace.use_cases.import_plan import ImportPlan, ImportRecord
from commonplace.use_cases.left_out import REFUSED, LeftOutWords
from commonplace.use_cases.record_files import HISTORY, read_lines

Progress = Callable[[int, int | None], None]
Records = Iterable[Mapping[str, Any]] | Mapping[int, Mapping[str, Any] | CommonplaceError]
"""Records in order or by line number. An error takes the place of an invalid line."""
_TEXTS = ("raw_text", "normalized_text", "evidence", "user_note", "subject", "speaker")
_WORDS = ("tags", "concepts")
_LONG = {"raw_text", "normalized_text", "evidence", "user_note"}  # indexes limit the length of all other fields
_LARGEST = 2**53  # the largest integer that every store and JSON parser represents exactly
_MOST_WORDS = 1_000  # tags or concepts per memory, limited because statistics count each pair
_LOST = "the id, the key or the content was taken meanwhile, or the id belongs to another user"


def read_export(text: str) -> dict[int, dict[str, Any] | CommonplaceError]:
    """Return the records or errors in a JSON Lines or CSV export, by line number."""
    form: ImportFormat = "csv" if text.removeprefix("\ufeff").lstrip().startswith("memory_id,") else "jsonl"
    return dict(read_lines(text, form))


def import_records(
    records: Records, caller: Caller, ports: Ports, apply: bool = False, progress: Progress | None = None,
    why: str = "they are its records", listed: range | None = None, text: str = "",
) -> Imported:  # fmt: skip
    """Import exported records as a run, which can be undone, or only plan the run.

    The memories become the caller's. Secrets are removed, and vectors are recomputed. If `records` are given by line number,
    invalid records are refused. Otherwise, they raise an error before anything is stored. `progress` receives the number of
    stored records and the total. `why` is the evidence for the format. `listed` is the range to report. `text` is the input.
    """
    of_type(bool, apply, "apply")
    unread, lines = LeftOutWords(listing=listed is None), text.split("\n")
    begins = [*records, len(lines) + 1] if isinstance(records, Mapping) else []
    kinds, bad, checked = dict[str, None](), dict[int, RefusedEntry](), list[ImportRecord]()
    with gathered() as record_flaws:
        for number, (line, record) in enumerate(records.items() if isinstance(records, Mapping) else enumerate(records)):
            try:
                if isinstance(record, CommonplaceError):
                    raise record
                checked.append(ImportRecord(number, *checked_record(record, caller.user_id, kinds)))
            except CommonplaceError as error:
                if not isinstance(records, Mapping):
                    where = f"records.{number}"
                    field = ".".join(filter(None, (where, error.field)))
                    raise CommonplaceError(error.code, f"{where}: {error.message}", field) from None
                line_text = (
                    "\n".join(lines[line - 1 : begins[number + 1] - 1]) if isinstance(record, CommonplaceError) else record
                )
                unread.add(Unread(f"line {line}", REFUSED.format(error.code.label), line_text))
                bad[number] = RefusedEntry(
                    where=f"line {line}", field=error.field, code=error.code.label, message=error.message
                )
    with gathered() as flaws:
        plan, run = _apply(checked, caller, ports, progress) if apply else (ImportPlan.of(checked, caller, ports), None)
    lost = {step.memory_id for step in run.operations if step.outcome == "lost" and step.kind == "ADD"} if run else set()
    known, left = {record.number for record in plan.known}, {omission.record.number: omission for omission in plan.left_out}
    rows = {at: ImportedMemory(where=item.where, outcome="refused", content="", why=item.message) for at, item in bad.items()}
    refused = list(bad.values())
    for record in checked:
        name, content, out = record.memory.memory_id, record.memory.content, left.get(record.number)
        outcome: ImportOutcome = "lost" if name in lost else "known" if record.number in known else "added"
        row = ImportedMemory(where=name, outcome=outcome, content=content, why=_LOST if name in lost else None)
        if out is not None:
            row = row.model_copy(update={"outcome": out.outcome, "memory_id": out.other, "why": out.message})
        if out is not None and out.outcome == "refused":
            unread.add(Unread(name, REFUSED.format(out.code), content))
            refused.append(RefusedEntry(where=name, field="memory_id", code=out.code, message=out.message))
        rows[record.number] = row
    memories = [rows[at] for at in sorted(rows)]
    by_outcome = {name: [memory.where for memory in memories if memory.outcome == name] for name in get_args(ImportOutcome)}
    done = Imported(
        kind="commonplace",
        why=why,
        run_id=run.run_id if run and run.operations else None,
        status=run.status if run and run.operations else None,
        applied=apply,
        entries=len(memories),
        added=len(by_outcome["added"]),
        closed=sum(record.memory.status != "active" for record in plan.new if record.memory.memory_id not in lost),
        known=by_outcome["known"],
        conflicts=by_outcome["conflict"],
        refused=refused,
        lost=by_outcome["lost"],
        outcomes={name: len(names) for name, names in by_outcome.items() if names},
        memories=memories if listed is None else memories[listed.start : listed.stop],
        held=record_flaws.held,
        **unread.answer_fields,
        notes=Notes(redacted=list(kinds)) if kinds else None,
    )
    return done.naming(flaws)


def _apply(checked: list[ImportRecord], caller: Caller, ports: Ports, progress: Progress | None) -> tuple[ImportPlan, Run]:
    """Apply the import as a run. Returns the applied plan and the run."""
    from commonplace.pages.publishing import publish
    from commonplace.runs.apply import Plan, RunContext
    from commonplace.runs.staging import change_many, run_context

    plans: list[ImportPlan] = []

    def planner(_: RunContext) -> Plan:
        plans.append(ImportPlan.of(checked, caller, ports))
        return Plan(operations=plans[-1].operations(caller, ports), candidates=len(checked))

    report = change_many("import", planner, run_context(caller, ports, progress), dry_run=False, publish=publish)
    return plans[-1], report.run


class PastStep(BaseModel):
    """An operation on a memory at its source."""

    model_config = ConfigDict(extra="ignore", frozen=True, hide_input_in_errors=True)

    operation: Name
    at: Moment


class PastSteps(BaseModel):
    """The history of a memory at its source, oldest first."""

    model_config = ConfigDict(extra="ignore", frozen=True, hide_input_in_errors=True)

    history: Annotated[list[PastStep], Field(max_length=1_000)] = []


def checked_record(record: Mapping[str, Any], user_id: str, kinds: dict[str, None]) -> tuple[Memory, list[dict[str, str]]]:
    """Build the user's memory and its history from a record. The kinds of redacted secrets are added to `kinds`.

    The original user and unknown fields are ignored. Errors mention the invalid field.
    """
    known: Any = record
    if isinstance(record, Mapping):
        known = {name: record[name] for name in Memory.model_fields if name in record} | {"user_id": user_id}
    memory = validate.check(Memory, known)
    _check_values(memory)
    steps = validate.check(PastSteps, {HISTORY: record[HISTORY]} if record.get(HISTORY) is not None else {})
    redaction = redact("\n".join(step.operation for step in steps.history))
    kinds |= dict.fromkeys(redaction.kinds)
    past = [{"operation": step.operation, "at": step.at.isoformat()} for step in steps.history]
    return _redact_memory(memory, kinds), [] if redaction.kinds else past


def _check_values(memory: Memory) -> None:
    """Check values that `Memory` itself doesn't check, because other memories are built from validated requests."""
    for name, value in memory:
        for text in value if isinstance(value, tuple) else (value,):
            try:
                printable(text if isinstance(text, str) else "")
                if isinstance(text, str) and len(text) > MAX_TEXT and name not in _LONG:
                    raise ValueError(f"must be at most {MAX_TEXT:,} characters")
                normal_key(value if name == "key" and value is not None else "key")
            except ValueError as error:
                raise invalid(name, str(error)) from None
        if isinstance(value, int) and abs(value) > _LARGEST:
            raise invalid(name, f"must be at most {_LARGEST} away from 0")
        if isinstance(value, tuple) and len(value) > _MOST_WORDS:
            raise invalid(name, f"must be at most {_MOST_WORDS:,}")
        if isinstance(value, datetime) and value.tzinfo is None:
            raise invalid(name, "must have an offset, e.g. 2026-05-20T18:30:00+02:00")
    if not may_be_id(memory.memory_id):
        raise invalid("memory_id", "is not a valid memory id")
    if memory.status == "active" and not memory.content.strip():  # erased memories are closed
        raise invalid(memory.indexed, "must not be empty, because the memory is active")


def _redact_memory(memory: Memory, kinds: dict[str, None]) -> Memory:
    """Return the memory without secrets, or tags and concepts that contain one. Adds the kinds in texts to `kinds`."""
    changed: dict[str, Any] = {}
    for name in _TEXTS:
        redaction = redact(getattr(memory, name) or "")
        if redaction.kinds:
            kinds |= dict.fromkeys(redaction.kinds)
            changed[name] = redaction.text
    for name in _WORDS:
        changed[name] = tuple(word for word in getattr(memory, name) if not redact(word).kinds)
    return memory.model_copy(update=changed)
