"""The ports of the record: what keeps memories, and which of them wait for an index. Import them from `ports`."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Protocol

import numpy as np
import numpy.typing as npt

from commonplace.models.memory import Memory

if TYPE_CHECKING:
    from commonplace.models.runs import OperationKind
    from commonplace.ports import Visibility

Vector = npt.NDArray[np.float32]

_WORDS = {"raw_text", "normalized_text", "tags", "concepts", "speaker", "evidence", "user_note", "subject"}
_NOT_KEPT = _WORDS | {"version", "updated_at", "access_count", "last_accessed"}


@dataclass(frozen=True)
class Audit:
    """One change of the record: what was done, when, and what the engine had thought."""

    operation: str
    at: datetime
    detail: Mapping[str, object]


@dataclass(frozen=True)
class Entry:
    """A new memory with what the index gets of it."""

    memory: Memory
    vector: Vector | None
    audit: Audit


@dataclass(frozen=True)
class Stored:
    """A record as it is kept, with its vector."""

    memory: Memory
    vector: Vector | None


class MemoryRecords(Protocol):
    """The truth: one user's memories. Each write is one transaction: record, audit row, and what the index follows."""

    def add(self, entries: Sequence[Entry]) -> list[tuple[Memory, bool]]:
        """Stores each entry unless the same memory is there, active and unexpired; gives what is there and if it is new.

        An expired one that is in the way is archived. Each entry is whole or not there; what can't be written at all
        (a detail that is no JSON) fails before the first is.
        """

    def update(self, memory: Memory, audit: Audit, vector: Vector | None = None) -> Memory:
        """Replaces a record whose stored version is one less; `CONFLICT` if it is another, or if it would be the same as
        another active, unexpired memory.

        The stored vector stays while content and embedding model do; else `vector` takes its place, or none does.
        """

    def get(self, user_id: str, memory_ids: Sequence[str]) -> list[Memory]:
        """The memories that exist among the ids, in the order of the ids."""

    def all(self, user_id: str) -> Iterator[Memory]:
        """Every record of the user, oldest first, closed ones too."""

    def newest(self, user_id: str, limit: int) -> tuple[list[Stored], bool]:
        """The newest active records with their vectors, and whether that is all of them; may lag behind a write."""

    def audits(self, user_id: str, memory_id: str) -> list[Audit]:
        """The changes of one memory, oldest first."""


class PendingWrites(Protocol):
    """Which memories the index may not hold as they are: each write leaves a row, in its own transaction."""

    def pending(self, user_id: str) -> tuple[list[Stored], bool]:
        """The user's records that wait to be confirmed, as they are now and whatever their status, and whether that is
        all of them; never behind a write."""

    def confirm(self, user_id: str, memory_id: str, version: int) -> None:
        """The index holds this version: the row goes unless a newer version waits. Safe to repeat, in any order."""

    def tell(self, user_id: str, memory_id: str, version: int, told: bool = True) -> bool:
        """Notes that somebody was told that the index will never take this version, or that nobody was; False if that is
        noted already, or nothing of it waits."""

    def pending_since(self, before: datetime) -> Iterator[Stored]:
        """Everybody's records that have been waiting since before then, as they are now; may lag behind a write."""

    def oldest_pending(self) -> datetime | None:
        """Since when the longest waiting record has been; may lag behind a write."""


class UserErasure(Protocol):
    """Everything that a store keeps of a user."""

    def erase(self, user_id: str) -> None:
        """Takes it away for good: memories, what was recorded, runs, counts. An index follows as it does any other change.

        Safe to repeat after a crash. What is written for the user meanwhile may stay.
        """


@dataclass(frozen=True)
class Change:
    """A record as it is to be. `before`: as it was read, None for a new one.

    `erases`: its older words go too, from the details of its audit rows; the record itself holds none any more.
    """

    memory: Memory
    audit: Audit
    vector: Vector | None = None
    before: Memory | None = None
    erases: bool = False


@dataclass(frozen=True)
class Fence:
    """A lease on a user's runs. Its number rises with each lease; whoever holds an older one writes nothing any more."""

    user_id: str
    number: int


@dataclass(frozen=True)
class Operation:
    """Changes that are made together or not at all, and that can be taken back by their id.

    `opens`: the one memory that is added or comes back; it takes the key and the content of those that close.
    """

    operation_id: str
    user_id: str
    kind: "OperationKind"
    at: datetime
    opens: Change | None = None
    closes: tuple[Change, ...] = ()
    run_id: str | None = None

    @property
    def changes(self) -> tuple[Change, ...]:
        """All of them, those that close first."""
        return (*self.closes, *((self.opens,) if self.opens else ()))


@dataclass(frozen=True)
class Made:
    """One change that was made: the version that it made, and the fields that it replaced as they were (JSON values).

    `before` is None where the memory is new; `erased`: its words are gone and can't be brought back. An operation changes
    words only to erase them, and its own version, time and usage come with each write: none of these is among the fields.
    """

    memory_id: str
    version: int
    before: Mapping[str, object] | None
    erased: bool = False

    @classmethod
    def by(cls, change: Change) -> "Made":
        """What is kept of a change."""
        memory, before = change.memory, change.before
        if before is None or change.erases:
            return cls(memory.memory_id, memory.version, None if before is None else {}, change.erases)
        now = memory.model_dump(mode="json", exclude=_NOT_KEPT)
        replaced = {name: old for name, old in before.model_dump(mode="json", exclude=_NOT_KEPT).items() if old != now[name]}
        return cls(memory.memory_id, memory.version, replaced)


@dataclass(frozen=True)
class Applied:
    """An operation that was applied. It keeps no memory's words."""

    operation_id: str
    kind: "OperationKind"
    at: datetime
    run_id: str | None
    made: tuple[Made, ...]


class Operations(Protocol):
    """Changes of several records at once, each kept under its id."""

    def apply(self, operation: Operation, fence: Fence | None = None) -> bool:
        """Makes all its changes in one transaction; False when it was applied before: then nothing is done.

        `CONFLICT` when a record has another version than it was read with, or is gone, or when another active, unexpired
        memory that the operation doesn't close is the same as `opens` or holds its key; an expired one in the way is
        archived. `LEASE_LOST` when the fence is not the newest of its user.
        """

    def applied(self, user_id: str, operation_id: str) -> Applied | None:
        """The operation of that id, None if it was never applied."""

    def holder(self, user_id: str, collection: str, key: str, now: datetime) -> Memory | None:
        """The active, unexpired memory that holds a key; never behind a write."""

    def keys(self, seen: "Visibility", collection: str) -> list[str]:
        """The keys of memories that may be seen, in order of the alphabet, the first 10,000."""
