"""Plan an import by choosing the memories to store and giving reasons for skipping the others."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Literal

from commonplace.domain.batching import in_batches
from commonplace.domain.errors import ErrorCode
from commonplace.domain.flaws import gathered
from commonplace.domain.ids import new_operation_id
from commonplace.domain.imports import ImportOutcome
from commonplace.domain.memory import Memory
from commonplace.domain.runs import RunOperation
from commonplace.memories.circles import in_circles
from commonplace.ports.bundle import Ports
from commonplace.ports.values import Audit, Caller, Change
from commonplace.retrieval.documents import document, fingerprint
from commonplace.runs.apply import PlannedChange, PlannedOperation
from commonplace.use_cases.export_memories import IMPORTED_HISTORY

FROM_FILE, INSTRUCTION = "from a file", "from a file; a standing instruction"
NAMED = "known; its id in the file becomes another name of the memory"
_BATCH = 100
_DAMAGED = "the memory with this id can't be read; erase it (erase --memory) and import again"
_DIFFERS = "the memory with this id has other content, which stays"
_ERASED = "was erased, and is not restored"
_EXPIRED = "it was closed so long ago that it would be purged"
_CODES = {"twice": ErrorCode.INVALID_ARGUMENT, "circle": ErrorCode.INVALID_ARGUMENT, "erased": ErrorCode.ERASED}
Why = Literal["known", "conflict", "key_taken", "twice", "over", "erased", "circle", "damaged"]


@dataclass(frozen=True)
class ImportRecord:
    """A memory from a file. `number` is its line or index. `name` is its name at the source if it gets a new id."""

    number: int
    memory: Memory
    past: Sequence[dict[str, str]] = ()
    name: str | None = None

    @property
    def called(self) -> str:
        """The name or id of the memory at the source."""
        return self.name or self.memory.memory_id


@dataclass(frozen=True)
class LeftOut:
    """A memory that is not imported. `other` is the id of the stored memory that it equals or conflicts with, if any."""

    record: ImportRecord
    why: Why
    message: str
    other: str | None = None

    @property
    def outcome(self) -> ImportOutcome:
        """The outcome that the import will report for this record."""
        return "known" if self.why == "known" else "conflict" if self.why in ("conflict", "key_taken") else "refused"

    @property
    def code(self) -> str:
        return _CODES.get(self.why, ErrorCode.CONFLICT).label


@dataclass
class ImportPlan:
    """The memories to store (`new`), those already stored under their id (`known`), and the skipped ones (`left_out`)."""

    new: list[ImportRecord] = field(default_factory=list)
    known: list[ImportRecord] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)

    @classmethod
    def of(cls, records: Iterable[ImportRecord], caller: Caller, ports: Ports) -> "ImportPlan":
        """Plan the import of `records` by comparing them with all memories of the user."""
        plan, state, records = cls(), _Existing(), list(records)
        state.erased = ports.erased.among(caller.user_id, [record.memory.memory_id for record in records])
        with gathered() as flaws:
            for memory in ports.records.all(caller.user_id):
                state.add(memory)
        present, instead = dict(state.memories), dict[str, str]()
        for record in records:
            memory = record.memory
            left = _find_skip_reason(record, state, present, flaws.unreadable, caller.now)
            if left is None and memory.memory_id in present:
                plan.known.append(record)
            elif left is not None:
                plan.left_out.append(left)
                instead |= {memory.memory_id: left.other} if left.why == "known" and left.other else {}
            else:
                plan.new.append(record)
                state.add(memory)
        existing = {*present, *flaws.unreadable}
        plan._repair_links(existing, instead)  # first, because a changed link can close a circle
        plan._refuse_circles(present.values())
        plan._repair_links(existing, instead)
        return plan

    def operations(self, caller: Caller, ports: Ports) -> tuple[PlannedOperation, ...]:
        """Return an operation for each new memory and for each known memory that gets an additional name."""
        batches = ports.in_time(in_batches(self.new, _BATCH))
        added = (operation for batch in batches for operation in _plan_operations(batch, caller, ports))
        return *added, *self._name_known(caller, ports)

    def _name_known(self, caller: Caller, ports: Ports) -> Iterable[PlannedOperation]:
        """Yield operations that add the ids from the file to known memories as names. Existing names are left out."""
        names = {omission.record.called: omission for omission in self.left_out if omission.why == "known"}
        ids = ports.aliases.get(caller.user_id, list(names))
        for name, omission in names.items():
            if omission.other not in (name, ids.get(name)):
                operation = RunOperation(
                    operation_id=new_operation_id(caller.now), kind="NOOP", outcome="planned", memory_id=omission.other,
                    position=omission.record.number, why=NAMED,
                )  # fmt: skip
                yield PlannedOperation(told=operation, at=caller.now, aliases=(name,))

    def _refuse_circles(self, memories: Iterable[Memory]) -> None:
        """Move new memories that replaced one another in a circle from `new` to `left_out`."""
        ids = in_circles([*memories, *(record.memory for record in self.new)])
        circle = [record for record in self.new if record.memory.memory_id in ids]
        self.new = [record for record in self.new if record.memory.memory_id not in ids]
        self.left_out += [LeftOut(record, "circle", "memories that replaced one another in a circle") for record in circle]

    def _repair_links(self, present: set[str], instead: Mapping[str, str]) -> None:
        """Replace `supersedes` and `superseded_by` in new memories if the target is neither new nor stored (`present`).

        `instead` maps skipped ids to the ids of equal stored memories. If there is no equal memory, the link becomes None.
        """
        present = present | {record.memory.memory_id for record in self.new}
        changed = []
        for record in self.new:
            links = {name: getattr(record.memory, name) for name in ("supersedes", "superseded_by")}
            ends = {
                name: next((end for end in (link, instead.get(link)) if end in present), None) for name, link in links.items()
            }
            changed.append(replace(record, memory=record.memory.model_copy(update=ends)))
        self.new = changed


class _Existing:
    """The existing memories, the erased ids, and the contents and keys of active memories."""

    def __init__(self) -> None:
        self.memories: dict[str, Memory] = {}
        self.contents: dict[bytes, str] = {}
        self.keys: dict[tuple[str, str], str] = {}
        self.erased: set[str] = set()

    def add(self, memory: Memory) -> None:
        self.memories[memory.memory_id] = memory
        if memory.status == "active":
            self.contents[fingerprint(memory)] = memory.memory_id
            if memory.key is not None:
                self.keys[memory.collection, memory.key] = memory.memory_id


def _find_skip_reason(
    record: ImportRecord, state: _Existing, present: Mapping[str, Memory], unreadable: Mapping[str, str], now: datetime
) -> LeftOut | None:
    """Return the reason for skipping a memory, or None if it can be stored or is already stored with the same content."""
    memory = record.memory
    existing = present.get(memory.memory_id)
    if existing is not None and existing.content != memory.content:
        other = existing.memory_id
        return LeftOut(record, "conflict", _DIFFERS, other) if existing.content else LeftOut(record, "erased", _ERASED, other)
    if existing is not None:
        return None
    if memory.memory_id in state.erased:
        return LeftOut(record, "erased", _ERASED)
    if memory.memory_id in unreadable:
        return LeftOut(record, "damaged", _DAMAGED)
    if memory.memory_id in state.memories:
        return LeftOut(record, "twice", "this id occurs more than once in the file")
    if memory.purge_at is not None and memory.purge_at <= now:
        return LeftOut(record, "over", _EXPIRED)
    return _find_active_duplicate(record, state) if memory.status == "active" else None


def _find_active_duplicate(record: ImportRecord, state: _Existing) -> LeftOut | None:
    """Return the reason for skipping a memory whose content ("known") or key ("key_taken") an active memory already has."""
    memory = record.memory
    same = state.contents.get(fingerprint(memory))
    if same is not None:
        return LeftOut(record, "known", f"{same} has the same content", same)
    holder = state.keys.get((memory.collection, memory.key)) if memory.key is not None else None
    return LeftOut(record, "key_taken", f"{holder} has the key {memory.key}", holder) if holder else None


def _plan_operations(batch: Sequence[ImportRecord], caller: Caller, ports: Ports) -> Iterable[PlannedOperation]:
    """Yield an operation for each new memory, with a newly computed vector and its history from the file."""
    texts = list(dict.fromkeys(record.memory.content for record in batch if record.memory.content))
    vectors = dict(zip(texts, ports.embedder.embed_all(texts), strict=True))
    for record in batch:
        vector = vectors.get(record.memory.content)  # erased memories have no content
        memory = record.memory.model_copy(update={"embedding_model": ports.embedder.name if vector is not None else None})
        audit = Audit("import", caller.now, {IMPORTED_HISTORY: list(record.past)} if record.past else {})
        current = memory.status == "active" and document(memory).instruction
        step = RunOperation(
            operation_id=new_operation_id(caller.now), kind="ADD", outcome="planned", memory_id=memory.memory_id,
            position=record.number, why=INSTRUCTION if current else FROM_FILE,
        )  # fmt: skip
        names = (record.name,) if record.name else ()
        yield PlannedOperation(told=step, at=caller.now, opens=PlannedChange.of(Change(memory, audit, vector)), aliases=names)
