"""The ports of the record: a user's memories, their operations, and what is kept beside them."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Protocol

from commonplace.domain.memory import Memory
from commonplace.domain.outline import Outline
from commonplace.domain.runs import TagRow
from commonplace.ports.values import (
    Alias,
    Applied,
    Audit,
    Entry,
    Fence,
    Filter,
    Operation,
    RawRecord,
    Statistics,
    Stored,
    Vector,
    Visibility,
)


class MemoryRecords(Protocol):
    """The record store. Each write is one transaction: record, audit row, and what the projector follows."""

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

    def stored(self, user_id: str, memory_ids: Sequence[str]) -> list[Stored]:
        """As `get`, each with its vector."""

    def all(self, user_id: str) -> Iterator[Memory]:
        """Every record of the user, oldest first, closed ones too."""

    def listed(
        self, visibility: Visibility, filters: Filter, limit: int, before: str | None = None
    ) -> tuple[list[Memory], str | None]:
        """The visible records that pass, newest id first, beginning behind `before`; and the id behind which the list goes
        on, None at its end. There may be fewer than `limit` although it goes on: one call reads a bounded part of a store.
        """

    def newest(self, user_id: str, limit: int) -> tuple[list[Stored], bool]:
        """The newest active records with their vectors, and whether that is all of them; may lag behind a write."""

    def audits(self, user_id: str, memory_id: str) -> list[Audit]:
        """The changes of one memory, oldest first."""


class UserFacts(Protocol):
    """Facts about a user's memories as a whole."""

    def tags(self, user_id: str) -> dict[str, int]:
        """The user's tags and how many active memories carry each, the most used first, 500 at most."""

    def statistics(self, user_id: str, now: datetime, embedding_model: str) -> Statistics:
        """The measured statistics of the memories."""

    def outlines(self, user_id: str, terms: Sequence[str] = ()) -> list[Outline]:
        """Every record of the user but the erased ones, closed ones too, in any order.

        `terms`: only those in whose words, or in whose labels, each of these index tokens stands.
        """


class Operations(Protocol):
    """Applies operations and keeps each under its id."""

    def apply(self, operation: Operation, fence: Fence | None = None) -> bool:
        """Applies all changes in one transaction; False when it was applied before: then nothing is done.

        `CONFLICT` when a record has another version than it was read with, or is gone, or when another active, unexpired
        memory that the operation doesn't close is the same as `opens` or holds its key; an expired one in the way is
        archived. `LEASE_LOST` when the fence is not the newest of its user.
        """

    def applied(self, user_id: str, operation_id: str) -> Applied | None:
        """The operation of that id, None if it was never applied."""

    def since(self, user_id: str, at: datetime) -> list[Applied]:
        """The operations whose ids are of that moment or a later one, in the order of their ids."""

    def newest(self, user_id: str) -> Applied | None:
        """The operation with the newest id that is no undo, if there is one; ids tell the time to the millisecond."""

    def holder(self, user_id: str, collection: str, key: str, now: datetime) -> Memory | None:
        """The active, unexpired memory that holds a key; strongly consistent."""

    def keys(self, visibility: Visibility, collection: str) -> list[str]:
        """The keys of memories that may be seen, in order of the alphabet, the first 10,000."""


class Aliases(Protocol):
    """A user's aliases. They go with the memory that they lead to: when it is erased or purged, and when its user is."""

    def add(self, user_id: str, aliases: Sequence[Alias]) -> None:
        """Keeps each, in the place of one of the same name."""

    def get(self, user_id: str, names: Sequence[str]) -> dict[str, str]:
        """The ids of memories that these names lead to, by name; nothing of a name that is unknown or withdrawn."""

    def all(self, user_id: str) -> Iterator[Alias]:
        """Every alias of the user by name, the withdrawn ones too."""


class ErasedIds(Protocol):
    """Ids of memories that were erased, and what these were called elsewhere, each as a hash of it and its user.

    The store itself adds them with every erasure, of a memory, of one that can't be read, or of a user; they outlive the
    record, and no id and no word can be read out of them.
    """

    def among(self, user_id: str, ids: Collection[str]) -> set[str]:
        """Those of the ids, or names from elsewhere, that were erased of this user."""


class TagRows(Protocol):
    """A user's tags that are merged or archived, by tag; what is active is counted from the memories (`UserFacts`)."""

    def rows(self, user_id: str) -> dict[str, TagRow]:
        """All rows of the user; strongly consistent."""

    def replace(self, user_id: str, rows: Mapping[str, TagRow], fence: Fence) -> None:
        """Puts these in the place of all rows. `LEASE_LOST` when the fence is not the newest of its user."""


class Reembedding(Protocol):
    """Vectors of the next model wait here until a user's memories all have one; then one switch gives them to searches."""

    def has_switched(self, user_id: str) -> bool:
        """Whether the user's searches compare vectors of the next model; also where no memory has one of another model."""

    def count_left(self, user_id: str) -> int:
        """How many active memories have no vector of the next model."""

    def left(self, user_id: str, limit: int) -> list[tuple[int, str]]:
        """Up to `limit` active memories without a vector of the next model: a number of the store, and the content."""

    def keep(self, user_id: str, vectors: Sequence[tuple[int, Vector | None]]) -> None:
        """Keeps vectors of the next model by those numbers; None for a text that it doesn't cover.

        Where the user has switched they count at once.
        """

    def switch(self, user_id: str) -> bool:
        """Gives the user the vectors of the next model, if none is left to make. Tells whether the user has switched."""


class AllRecords(Protocol):
    """Every user's records."""

    def every(self) -> Iterator[Stored]:
        """Every record of every user, closed ones too, in any order; none from before the call is left out."""

    def of_user(self, user_id: str, after: str | None = None) -> Iterator[Stored]:
        """The user's records by id, closed ones too, beginning behind that id."""


class RawRecords(Protocol):
    """A user's records with their audit rows."""

    def rows(self, user_id: str) -> Iterator[RawRecord]:
        """Every record of the user by id, closed ones too, and those that can't be read."""


class UserErasure(Protocol):
    """Erases a user from a store."""

    def erase(self, user_id: str) -> None:
        """Erases memories, interactions, runs and counts for good; the index follows as after any change.

        Safe to repeat after a crash. What is written for the user meanwhile may stay.
        """

    def erase_unreadable(self, user_id: str, memory_id: str, forgotten: bool = False) -> bool:
        """Erases a record that can't be read, with what is kept beside it; False where there is none under the id.

        `forgotten`: its words were to go, so that nothing may bring it back (`ErasedIds`); else it was only damaged, and
        comes back from a file that has it whole.
        """

    def forget_purged(self, user_id: str, memory_ids: Collection[str], names: Collection[str]) -> None:
        """Keeps hashes (`ErasedIds`) of memories of which no record is left, and of the `names` that they had elsewhere;
        takes out aliases, feedback, and words that operations replaced. Harmless twice.
        """
