"""What a restore would do: each memory of a backup against what is here now, as the operations of a run."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from commonplace.domain.batching import in_batches
from commonplace.domain.errors import ErrorCode
from commonplace.domain.flaws import gathered
from commonplace.domain.ids import new_operation_id
from commonplace.domain.memory import Memory
from commonplace.domain.runs import Dropped, RunOperation
from commonplace.domain.transfer import RestoreMode
from commonplace.memories.transitions import PURGE_DELAY, deleted, replaced_tags
from commonplace.ports.bundle import Ports
from commonplace.ports.record_values import Audit, Change, RawRecord
from commonplace.ports.values import Caller
from commonplace.retrieval.documents import fingerprint
from commonplace.runs.backup_file import Backup
from commonplace.runs.plan import Plan, PlannedChange, PlannedOperation
from commonplace.use_cases.coming_back import coming_back, names_left, ratings_left

GONE, CHANGED, LATER = "is gone, and in the backup", "is another in the backup", "came after the backup"
_BATCH = 100
_OF_ITS_OWN = {"version", "updated_at", "access_count", "last_accessed", "embedding_model", "purge_at"}
_ERASED = "was erased here, and does not come back"
_DAMAGED = "what is here under this id can't be read, and stays"
_UNREADABLE = "could not be read when the backup was made"
_OTHER = "this id is here with another content, which stays"
_TAKEN = "{} is here, and says the same or has its key"


@dataclass
class RestorePlanner:
    """Plans the restore of one backup, `backup_id`."""

    backup: Backup
    backup_id: str
    mode: RestoreMode
    caller: Caller
    ports: Ports
    here: dict[str, Memory] = field(default_factory=dict)
    goals: dict[str, Memory] = field(default_factory=dict)
    """By id, each memory as it is to be."""
    refused: list[Dropped] = field(default_factory=list)
    _past: dict[str, RawRecord] = field(default_factory=dict)

    def plan(self) -> Plan:
        """The operations, and the memories of the backup that do not come back, each with an error code and why."""
        with gathered() as flaws:
            self.here = {one.memory_id: one for one in self.ports.records.all(self.caller.user_id)}
        self._past = {one.memory_id: one for one in self.backup.records}
        erased = self.ports.erased.among(self.caller.user_id, self._past)
        for record in self.ports.in_time(self.backup.records):
            self._take(record, erased, flaws.unreadable)
        if self.mode == "replace":
            later = [one for name, one in self.here.items() if one.status == "active" and name not in self._past]
            self.goals |= {one.memory_id: deleted(one, self.caller.now) for one in later}
        self._refuse_taken()
        there = {*self.here, *self.goals, *flaws.unreadable}
        self.goals = {name: _linked(one, there) for name, one in self.goals.items()}
        return Plan(
            operations=tuple(self._operations()),
            dropped=tuple(self.refused),
            candidates=len(self._past),
            backup_id=self.backup_id,
        )

    def _take(self, record: RawRecord, erased: Collection[str], unreadable: Collection[str]) -> None:
        name, memory, there = record.memory_id, record.memory, self.here.get(record.memory_id)
        if name in erased or (there is not None and not there.content):
            self._refuse(name, ErrorCode.ERASED, _ERASED)
        elif name in unreadable:
            self._refuse(name, ErrorCode.CONFLICT, _DAMAGED)
        elif memory is None:
            if there is None:
                self._refuse(name, ErrorCode.INVALID_ARGUMENT, _UNREADABLE)
        elif there is None:
            if memory.status != "deleted":  # such a one has been purged as it had to be
                self._set_goal(memory)
        elif there.content != memory.content:
            self._refuse(name, ErrorCode.CONFLICT, _OTHER)
        elif _fields(there) != _fields(memory) and (self.mode == "replace" or _is_gone(there, memory)):
            used = {"access_count": there.access_count, "last_accessed": there.last_accessed}
            kept = {**used, "version": there.version, "embedding_model": there.embedding_model}
            self._set_goal(memory.model_copy(update=kept).next_version(self.caller.now))

    def _set_goal(self, memory: Memory) -> None:
        """What was to be purged has its 30 days again."""
        purge_at = None if memory.purge_at is None else self.caller.now + PURGE_DELAY
        self.goals[memory.memory_id] = memory.model_copy(update={"purge_at": purge_at})

    def _refuse(self, memory_id: str, code: ErrorCode, why: str) -> None:
        self.refused.append(Dropped(memory_id=memory_id, code=code.label, why=why))

    def _refuse_taken(self) -> None:
        """Leaves out what can't be opened beside an active memory that stays."""
        opening = [name for name in self.goals if self._opens(name)]
        held = dict[object, str]()
        for name, memory in {**self.here, **self.goals}.items():
            if name not in opening:
                held |= dict.fromkeys(self._places(memory), name)
        for name in opening:
            taken = next((held[place] for place in self._places(self.goals[name]) if place in held), None)
            if taken is not None:
                self._refuse(name, ErrorCode.CONFLICT, _TAKEN.format(taken))
                del self.goals[name]
            else:
                held |= dict.fromkeys(self._places(self.goals[name]), name)

    def _places(self, memory: Memory) -> list[object]:
        """What no other active memory may have: content and key."""
        over = memory.expires_at is not None and memory.expires_at <= self.caller.now
        if memory.status != "active" or over:
            return []
        return [fingerprint(memory), *([(memory.collection, memory.key)] if memory.key is not None else [])]

    def _opens(self, name: str) -> bool:
        return self.goals[name].status == "active" and (name not in self.here or self.here[name].status != "active")

    def _operations(self) -> Iterator[PlannedOperation]:
        """With what stood beside the memories that are gone: what they were called elsewhere, and feedback."""
        gone = [name for name in self.goals if name not in self.here]
        names = names_left(gone, self.backup.aliases, self.caller, self.ports)
        rated = ratings_left(gone, self.backup.ratings, self.caller)
        for one in self._in_order(gone):
            name = one.told.memory_id or ""
            yield one.model_copy(update={"aliases": names.get(name, ()), "ratings": rated.get(name, ())})

    def _in_order(self, gone: Sequence[str]) -> Iterator[PlannedOperation]:
        """What comes back closes in one operation what has its place now; then what else closes or changes."""
        batches = self.ports.in_time(in_batches(gone, _BATCH))
        new = {name: change for batch in batches for name, change in self._coming_back(batch)}
        opening = [name for name in self.goals if self._opens(name)]
        waiting = {name: None for name in self.goals if not self._opens(name)}
        holders = self._holders(waiting)
        for name in opening:
            held = [one for one in self._in_the_way(name, holders) if one in waiting]
            for one in held:
                del waiting[one]
            yield self._operation(name, new.get(name), held)
        for name in waiting:
            yield self._operation(name, new.get(name), ())

    def _coming_back(self, batch: Sequence[str]) -> Iterator[tuple[str, PlannedChange]]:
        return coming_back([(self.goals[name], self._past[name]) for name in batch], self.backup_id, self.caller, self.ports)

    def _closes(self, name: str) -> bool:
        return name in self.here and self.here[name].status == "active" and self.goals[name].status != "active"

    def _holders(self, names: Iterable[str]) -> Mapping[object, str]:
        """What those that close have now: their places, and their ids."""
        closing = [name for name in names if self._closes(name)]
        return {place: name for name in closing for place in (name, *self._places(self.here[name]))}

    def _in_the_way(self, opening: str, holders: Mapping[object, str]) -> Iterable[str]:
        """Those that have what the opening memory is to have, or that took its place."""
        before = self.here.get(opening)
        wanted = [*self._places(self.goals[opening]), before.superseded_by if before else None]
        return dict.fromkeys(holders[one] for one in wanted if one in holders)

    def _operation(self, name: str, new: PlannedChange | None, held: Sequence[str]) -> PlannedOperation:
        operation_id, later = new_operation_id(self.caller.now), name not in self._past
        change = new or self._change(name, operation_id)
        opens = new is not None or self.goals[name].status == "active"
        told = RunOperation(
            operation_id=operation_id, kind="ADD" if new else "DELETE" if later else "UPDATE", outcome="planned",
            memory_id=None if later else name, closed=(name,) if later else tuple(held),
            why=LATER if later else GONE if new or _is_gone(self.here[name], self.goals[name]) else CHANGED,
        )  # fmt: skip
        closes = [*(self._change(one, operation_id) for one in held), *(() if opens else (change,))]
        return PlannedOperation(told=told, at=self.caller.now, opens=change if opens else None, closes=tuple(closes))

    def _change(self, name: str, operation_id: str) -> PlannedChange:
        before, after = self.here[name], self.goals[name]
        detail = {"backup_id": self.backup_id, "operation_id": operation_id, **replaced_tags(before, after)}
        return PlannedChange.of(Change(after, Audit("restore", self.caller.now, detail), before=before))


def _fields(memory: Memory) -> dict[str, object]:
    return memory.model_dump(exclude=_OF_ITS_OWN)


def _is_gone(here: Memory, then: Memory) -> bool:
    return here.status == "deleted" and then.status == "active"


def _linked(memory: Memory, there: Collection[str]) -> Memory:
    """The memory without links that lead nowhere."""
    links = {name: getattr(memory, name) for name in ("supersedes", "superseded_by")}
    return memory.model_copy(update={name: None for name, link in links.items() if link not in there})
