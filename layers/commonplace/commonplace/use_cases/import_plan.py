"""The plan of an import: the new memories, and the reasons for skipping others."""

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
class Given:
    """A memory of a file, with its line or index, its history and, if it gets a new id, its name at the source."""

    number: int
    memory: Memory
    past: Sequence[dict[str, str]] = ()
    name: str | None = None

    @property
    def called(self) -> str:
        """The name or id at the source."""
        return self.name or self.memory.memory_id


@dataclass(frozen=True)
class LeftOut:
    """A memory that is not stored. `other`: the stored memory that takes its place, if any."""

    given: Given
    why: Why
    message: str
    other: str | None = None

    @property
    def outcome(self) -> ImportOutcome:
        """How the import reports it."""
        return "known" if self.why == "known" else "conflict" if self.why in ("conflict", "key_taken") else "refused"

    @property
    def code(self) -> str:
        """The code of the error."""
        return _CODES.get(self.why, ErrorCode.CONFLICT).label


@dataclass
class ImportPlan:
    """The memories to store, those already stored under their id, and those that can't be stored."""

    new: list[Given] = field(default_factory=list)
    known: list[Given] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)

    @classmethod
    def of(cls, given: Iterable[Given], caller: Caller, ports: Ports) -> "ImportPlan":
        """Compare the memories with all of the user's."""
        plan, held, given = cls(), _Existing(), list(given)
        held.erased = ports.erased.among(caller.user_id, [one.memory.memory_id for one in given])
        with gathered() as flaws:
            for memory in ports.records.all(caller.user_id):
                held.add(memory)
        here, instead = dict(held.memories), dict[str, str]()
        for one in given:
            memory = one.memory
            left = _reason_to_skip(one, held, here, flaws.unreadable, caller.now)
            if left is None and memory.memory_id in here:
                plan.known.append(one)
            elif left is not None:
                plan.left_out.append(left)
                instead |= {memory.memory_id: left.other} if left.why == "known" and left.other else {}
            else:
                plan.new.append(one)
                held.add(memory)
        there = {*here, *flaws.unreadable}
        plan._relink(there, instead)  # first, because a changed link can close a circle
        plan._refuse_circles(here.values())
        plan._relink(there, instead)
        return plan

    def operations(self, caller: Caller, ports: Ports) -> tuple[PlannedOperation, ...]:
        """Return an operation for each new memory, with its vector, and one for each known memory that gets another name."""
        batches = ports.in_time(in_batches(self.new, _BATCH))
        added = (operation for batch in batches for operation in _operations(batch, caller, ports))
        return *added, *self._name_known(caller, ports)

    def _name_known(self, caller: Caller, ports: Ports) -> Iterable[PlannedOperation]:
        """Yield operations that name known memories by their ids in the file, unless they have these names already."""
        names = {one.given.called: one for one in self.left_out if one.why == "known"}
        led = ports.aliases.get(caller.user_id, list(names))
        for name, one in names.items():
            if one.other not in (name, led.get(name)):
                told = RunOperation(
                    operation_id=new_operation_id(caller.now), kind="NOOP", outcome="planned", memory_id=one.other,
                    position=one.given.number, why=NAMED,
                )  # fmt: skip
                yield PlannedOperation(told=told, at=caller.now, aliases=(name,))

    def _refuse_circles(self, here: Iterable[Memory]) -> None:
        found = in_circles([*here, *(one.memory for one in self.new)])
        circle = [one for one in self.new if one.memory.memory_id in found]
        self.new = [one for one in self.new if one.memory.memory_id not in found]
        self.left_out += [LeftOut(one, "circle", "memories that replaced one another in a circle") for one in circle]

    def _relink(self, there: set[str], instead: Mapping[str, str]) -> None:
        """Point links to skipped memories at the equal stored memory; remove links without a target."""
        there = there | {one.memory.memory_id for one in self.new}
        changed = []
        for one in self.new:
            links = {name: getattr(one.memory, name) for name in ("supersedes", "superseded_by")}
            ends = {
                name: next((end for end in (link, instead.get(link)) if end in there), None) for name, link in links.items()
            }
            changed.append(replace(one, memory=one.memory.model_copy(update=ends)))
        self.new = changed


class _Existing:
    """The existing memories, the contents and keys that active ones occupy, and erased ids."""

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


def _reason_to_skip(
    given: Given, held: _Existing, here: Mapping[str, Memory], unreadable: Mapping[str, str], now: datetime
) -> LeftOut | None:
    """Return why a memory is skipped; None if it can be stored, or is stored already with the same content."""
    memory = given.memory
    there = here.get(memory.memory_id)
    if there is not None and there.content != memory.content:
        other = there.memory_id
        return LeftOut(given, "conflict", _DIFFERS, other) if there.content else LeftOut(given, "erased", _ERASED, other)
    if there is not None:
        return None
    if memory.memory_id in held.erased:
        return LeftOut(given, "erased", _ERASED)
    if memory.memory_id in unreadable:
        return LeftOut(given, "damaged", _DAMAGED)
    if memory.memory_id in held.memories:
        return LeftOut(given, "twice", "this id occurs more than once in the file")
    if memory.purge_at is not None and memory.purge_at <= now:
        return LeftOut(given, "over", _EXPIRED)
    return _active_duplicate(given, held) if memory.status == "active" else None


def _active_duplicate(given: Given, held: _Existing) -> LeftOut | None:
    memory = given.memory
    same = held.contents.get(fingerprint(memory))
    if same is not None:
        return LeftOut(given, "known", f"{same} has the same content", same)
    holder = held.keys.get((memory.collection, memory.key)) if memory.key is not None else None
    return LeftOut(given, "key_taken", f"{holder} has the key {memory.key}", holder) if holder else None


def _operations(batch: Sequence[Given], caller: Caller, ports: Ports) -> Iterable[PlannedOperation]:
    texts = list(dict.fromkeys(one.memory.content for one in batch if one.memory.content))
    vectors = dict(zip(texts, ports.embedder.embed_all(texts), strict=True))
    for one in batch:
        vector = vectors.get(one.memory.content)  # erased memories have no content
        memory = one.memory.model_copy(update={"embedding_model": ports.embedder.name if vector is not None else None})
        audit = Audit("import", caller.now, {IMPORTED_HISTORY: list(one.past)} if one.past else {})
        current = memory.status == "active" and document(memory).instruction
        told = RunOperation(
            operation_id=new_operation_id(caller.now), kind="ADD", outcome="planned", memory_id=memory.memory_id,
            position=one.number, why=INSTRUCTION if current else FROM_FILE,
        )  # fmt: skip
        names = (one.name,) if one.name else ()
        yield PlannedOperation(told=told, at=caller.now, opens=PlannedChange.of(Change(memory, audit, vector)), aliases=names)
