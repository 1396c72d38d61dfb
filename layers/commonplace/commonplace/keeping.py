"""The ports of the record: what keeps memories, and which of them wait for an index. Import them from `ports`."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

import numpy as np
import numpy.typing as npt

from commonplace.models.memory import Memory

Vector = npt.NDArray[np.float32]


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

    def pending(self, user_id: str) -> list[Stored]:
        """The user's records that wait to be confirmed, as they are now and whatever their status; never behind a write."""

    def confirm(self, user_id: str, memory_id: str, version: int) -> None:
        """The index holds this version: the row goes unless a newer version waits. Safe to repeat, in any order."""

    def pending_since(self, before: datetime) -> Iterator[Stored]:
        """Everybody's records that have been waiting since before then, as they are now; may lag behind a write."""

    def oldest_pending(self) -> datetime | None:
        """Since when the longest waiting record has been; may lag behind a write."""
