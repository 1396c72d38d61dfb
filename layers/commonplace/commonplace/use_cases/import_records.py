"""Importing the records of an export: each under its own id, with its version and its links; what is here stays."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from commonplace.contract import validate
from commonplace.domain.batching import in_batches
from commonplace.domain.errors import CommonplaceError, ErrorCode
from commonplace.domain.fields import Notes, printable
from commonplace.domain.flaws import gathered
from commonplace.domain.ids import may_be_id
from commonplace.domain.imports import ImportedRecords, LeftOutRecord
from commonplace.domain.memory import Memory
from commonplace.domain.storage import normal_key
from commonplace.ports.bundle import Ports
from commonplace.ports.record_values import Audit, Entry
from commonplace.ports.values import Caller
from commonplace.retrieval.documents import fingerprint
from commonplace.text.redaction import redact

_BATCH = 100
_TEXTS = ("raw_text", "normalized_text", "evidence", "user_note", "subject", "speaker")
_WORDS = ("tags", "concepts")

_DAMAGED = "damaged: what is here under this id can't be read; erase that (erase --memory) and import again"
_LARGEST = 2**53  # a position, a version, a count: what every store and every JSON keeps exactly
Progress = Callable[[int, int], None]


def import_records(
    records: Sequence[Mapping[str, Any]], caller: Caller, ports: Ports, apply: bool = False, progress: Progress | None = None
) -> ImportedRecords:
    """Tells what an import of exported records would store, or stores it; a malformed one is an error that names it.

    They become the caller's, whoever they were of; secrets are taken out, and vectors computed again. `progress` is called
    with how many of how many are stored.
    """
    kinds: dict[str, None] = {}
    with gathered() as given_flaws:
        checked = [_check(given, number, caller, kinds) for number, given in enumerate(records)]
    with gathered() as flaws:
        plan = _Plan.of(checked, caller, ports)
        stored = plan.store(caller, ports, progress) if apply else plan.new
    done = ImportedRecords(
        applied=apply,
        stored=[memory.memory_id for memory in stored],
        closed=sum(memory.status != "active" for memory in stored),
        known=plan.known,
        left_out=plan.left_out,
        held=given_flaws.held,
        notes=Notes(redacted=list(kinds)) if kinds else None,
    )
    return done.naming(flaws)


@dataclass
class _Plan:
    """What is to be stored, what is here already, and what can't be stored beside it."""

    new: list[Memory] = field(default_factory=list)
    known: list[str] = field(default_factory=list)
    left_out: list[LeftOutRecord] = field(default_factory=list)
    places: dict[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, memories: Sequence[Memory], caller: Caller, ports: Ports) -> "_Plan":
        plan, held = cls(), _Held()
        here = set()
        with gathered() as flaws:
            for memory in ports.records.all(caller.user_id):
                here.add(memory.memory_id)
                held.add(memory)
        instead: dict[str, str] = {}
        for number, memory in enumerate(memories):
            why, other = _why_not(memory, held, plan.places, caller.now)
            if memory.memory_id in here:
                plan.known.append(memory.memory_id)
            elif memory.memory_id in flaws.unreadable:
                plan.left_out.append(LeftOutRecord(record=number, memory_id=memory.memory_id, why=_DAMAGED))
            elif why is not None:
                plan.left_out.append(LeftOutRecord(record=number, memory_id=memory.memory_id, why=why))
                instead |= {memory.memory_id: other} if other else {}
            else:
                plan.new.append(memory)
                plan.places[memory.memory_id] = number
                held.add(memory)
        plan.new = [_relinked(memory, instead) for memory in plan.new]
        return plan

    def store(self, caller: Caller, ports: Ports, progress: Progress | None) -> list[Memory]:
        """Stores what is new, a batch in one transaction; what another writer was first with is left out."""
        stored: list[Memory] = []
        for number, batch in enumerate(in_batches(self.new, _BATCH)):
            stored += [memory for memory, created in ports.records.add(_entries(batch, caller, ports)) if created]
            if progress:
                progress(number * _BATCH + len(batch), len(self.new))
        kept = {memory.memory_id for memory in stored}
        self.left_out += [
            LeftOutRecord(
                record=self.places[memory.memory_id], memory_id=memory.memory_id, why="known: was said here meanwhile"
            )
            for memory in self.new
            if memory.memory_id not in kept
        ]
        return stored


class _Held:
    """What active memories hold, by which another can't be stored beside them."""

    def __init__(self) -> None:
        self.contents: dict[bytes, str] = {}
        self.keys: dict[tuple[str, str], str] = {}

    def add(self, memory: Memory) -> None:
        if memory.status == "active":
            self.contents[fingerprint(memory)] = memory.memory_id
            if memory.key is not None:
                self.keys[memory.collection, memory.key] = memory.memory_id


def _why_not(memory: Memory, held: _Held, seen: Mapping[str, int], now: datetime) -> tuple[str | None, str | None]:
    """Why a memory can't be stored, and the memory that says the same, where one does; None if it can."""
    if memory.memory_id in seen:
        return "twice: this id stands in the file more than once", None
    if memory.purge_at is not None and memory.purge_at <= now:
        return "over: it was closed so long ago that it would be purged", None
    if memory.status != "active":
        return None, None
    same = held.contents.get(fingerprint(memory))
    if same is not None:
        return f"known: {same} is here and says the same", same
    holder = held.keys.get((memory.collection, memory.key)) if memory.key is not None else None
    return (f"key_taken: {holder} is here under the key {memory.key}" if holder else None), None


def _relinked(memory: Memory, instead: Mapping[str, str]) -> Memory:
    """A link to what was left out leads to the memory that says the same."""
    links = {name: instead[link] for name in ("supersedes", "superseded_by") if (link := getattr(memory, name)) in instead}
    return memory.model_copy(update=links) if links else memory


def _entries(memories: Sequence[Memory], caller: Caller, ports: Ports) -> list[Entry]:
    texts = list(dict.fromkeys(memory.content for memory in memories if memory.content))
    vectors = dict(zip(texts, ports.embedder.embed_all(texts), strict=True))
    entries = []
    for memory in memories:
        vector = vectors.get(memory.content)  # of an erased one there are no words
        model = ports.embedder.name if vector is not None else None
        entries.append(Entry(memory.model_copy(update={"embedding_model": model}), vector, Audit("import", caller.now, {})))
    return entries


def _check(given: Mapping[str, Any], number: int, caller: Caller, kinds: dict[str, None]) -> Memory:
    """A record as the caller's memory. Fields that a newer version added are left out, as everywhere."""
    try:
        known = {name: given[name] for name in Memory.model_fields if name in given} if isinstance(given, Mapping) else given
        memory = validate.check(Memory, known)
        _check_values(memory)
    except CommonplaceError as error:
        where = f"records.{number}"
        raise CommonplaceError(
            error.code, f"{where}: {error.message}", ".".join(filter(None, (where, error.field)))
        ) from None
    return _redacted(memory, kinds).model_copy(update={"user_id": caller.user_id})


def _check_values(memory: Memory) -> None:
    """What the record's own types let pass, since they are only made from what was checked before."""
    for name, value in memory:
        for text in value if isinstance(value, tuple) else (value,):
            try:
                printable(text if isinstance(text, str) else "")
                normal_key(value if name == "key" and value is not None else "key")
            except ValueError as error:
                raise _refused(name, str(error)) from None
        if isinstance(value, int) and value > _LARGEST:
            raise _refused(name, f"must be at most {_LARGEST}")
        if isinstance(value, datetime) and value.tzinfo is None:
            raise _refused(name, "must have an offset, e.g. 2026-05-20T18:30:00+02:00")
    if not may_be_id(memory.memory_id):
        raise _refused("memory_id", "is no id of a memory")


def _redacted(memory: Memory, kinds: dict[str, None]) -> Memory:
    changed: dict[str, Any] = {}
    for name in _TEXTS:
        found = redact(getattr(memory, name) or "")
        if found.kinds:
            kinds |= dict.fromkeys(found.kinds)
            changed[name] = found.text
    for name in _WORDS:
        changed[name] = tuple(word for word in getattr(memory, name) if not redact(word).kinds)
    return memory.model_copy(update=changed)


def _refused(name: str, why: str) -> CommonplaceError:
    return CommonplaceError(ErrorCode.INVALID_ARGUMENT, f"{name}: {why}", name)
