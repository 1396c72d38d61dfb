"""Ports for the record store, which contains users' memories, their operations, and related rows."""

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
    """The record store. A record, its audit row and the change for the index are written in one transaction."""

    def add(self, entries: Sequence[Entry]) -> list[tuple[Memory, bool]]:
        """Store each entry unless an equal memory is active and unexpired. Returns each stored memory, and whether it is new.

        An equal memory that has expired is archived. Each entry is stored completely or not at all. If the audit detail of an
        entry isn't JSON, nothing is written.
        """

    def update(self, memory: Memory, audit: Audit, vector: Vector | None = None) -> Memory:
        """Replace a record if the stored version is one lower.

        Raises `CONFLICT` if the stored version differs, or if another active, unexpired memory would be equal. If content and
        embedding model are unchanged, the stored vector is kept. Otherwise `vector` replaces it, even if that is None.
        """

    def get(self, user_id: str, memory_ids: Sequence[str]) -> list[Memory]:
        """Return the existing memories, in the order of the ids."""

    def stored(self, user_id: str, memory_ids: Sequence[str]) -> list[Stored]:
        """Return the same memories as `get`, each with its vector."""

    def all(self, user_id: str) -> Iterator[Memory]:
        """Yield all records of the user, active and closed, oldest first."""

    def listed(
        self, visibility: Visibility, filters: Filter, limit: int, before: str | None = None
    ) -> tuple[list[Memory], str | None]:
        """Return a page of visible records that pass the filter, newest id first, and the cursor of the next page.

        All ids are older than `before`. Each call reads a bounded part of the store, so a page may be shorter than `limit`.
        """

    def newest(self, user_id: str, limit: int) -> tuple[list[Stored], bool]:
        """Return the newest active records with vectors, and whether no others exist. The latest writes may be missing."""

    def audits(self, user_id: str, memory_id: str) -> list[Audit]:
        """Return the audited changes to one memory, oldest first."""


class UserFacts(Protocol):
    """Tags, counts and outlines that cover all of a user's memories."""

    def tags(self, user_id: str) -> dict[str, int]:
        """Return up to 500 of the user's tags, each with its number of active memories, most used first."""

    def statistics(self, user_id: str, now: datetime, embedding_model: str) -> Statistics:
        """Count the user's memories as of `now`, and those embedded by a model other than `embedding_model` separately."""

    def outlines(self, user_id: str, terms: Sequence[str] = ()) -> list[Outline]:
        """Return the outlines of unerased records that contain all `terms` (index tokens), in any order."""


class Operations(Protocol):
    """Applies operations and stores each under its id."""

    def apply(self, operation: Operation, fence: Fence | None = None) -> bool:
        """Apply all changes in one transaction. Does nothing and returns False if the operation has already been applied.

        Raises `CONFLICT` if a record is missing or has changed since it was read. Also raises `CONFLICT` if another active
        memory equals `opens` or holds its key, unless the operation closes that memory. An expired memory is archived and
        causes no conflict. Raises `LEASE_LOST` if `fence` isn't the user's newest lease.
        """

    def applied(self, user_id: str, operation_id: str) -> Applied | None:
        """Return the operation with that id, or None if it was never applied."""

    def since(self, user_id: str, at: datetime) -> list[Applied]:
        """Return the operations whose ids were created at or after `at`, ordered by id."""

    def newest(self, user_id: str) -> Applied | None:
        """Return the newest operation that is not an undo. Operation ids sort by time to the millisecond."""

    def holder(self, user_id: str, collection: str, key: str, now: datetime) -> Memory | None:
        """Return the active, unexpired memory that holds a key, or None. The read is strongly consistent."""

    def keys(self, visibility: Visibility, collection: str) -> list[str]:
        """Return the keys of visible memories in alphabetical order, at most 10,000."""


class Aliases(Protocol):
    """The aliases of memories. Erasing or purging a memory deletes its aliases, and erasing a user deletes all of theirs."""

    def add(self, user_id: str, aliases: Sequence[Alias]) -> None:
        """Store the aliases, and replace existing aliases with the same names."""

    def get(self, user_id: str, names: Sequence[str]) -> dict[str, str]:
        """Map each of the `names` to its memory id. Unknown and withdrawn names are left out."""

    def all(self, user_id: str) -> Iterator[Alias]:
        """Yield all aliases of the user, active and withdrawn, ordered by name."""


class ErasedIds(Protocol):
    """The ids and external names of erased memories, each hashed together with its user's id.

    The store adds a hash when it erases a memory, an unreadable record or a user. The hashes are kept after the record is
    deleted. They reveal neither ids nor words.
    """

    def among(self, user_id: str, ids: Collection[str]) -> set[str]:
        """Return the `ids` (memory ids or external names) that were erased for this user."""


class TagRows(Protocol):
    """A user's merged and archived tags. Active tags have no row, and are counted by `UserFacts`."""

    def rows(self, user_id: str) -> dict[str, TagRow]:
        """Return all of the user's rows. The read is strongly consistent."""

    def replace(self, user_id: str, rows: Mapping[str, TagRow], fence: Fence) -> None:
        """Replace all of the user's rows. Raises `LEASE_LOST` if `fence` isn't the user's newest lease."""


class AllRecords(Protocol):
    """The records of all users."""

    def every(self) -> Iterator[Stored]:
        """Yield the active and closed records of all users, in any order, including every record written before the call."""

    def of_user(self, user_id: str, after: str | None = None) -> Iterator[Stored]:
        """Yield the user's records, active and closed, ordered by id. Only ids that sort after `after` are included."""


class RawRecords(Protocol):
    """A user's records with their audit rows."""

    def rows(self, user_id: str) -> Iterator[RawRecord]:
        """Yield all of the user's records with their audit rows, ordered by id. `memory` is None if it is unreadable."""


class UserErasure(Protocol):
    """Erases a user from a store."""

    def erase(self, user_id: str) -> None:
        """Permanently erase all of the user's data. Calls may be repeated after a crash. Concurrent writes may survive."""

    def erase_unreadable(self, user_id: str, memory_id: str, forgotten: bool = False) -> bool:
        """Erase an unreadable record with its related rows. Returns False if no such record exists.

        If `forgotten` is true, the words had to be erased, and a hash of the id is stored (`ErasedIds`) so that the record
        is never restored. Otherwise, the record was only damaged, and an import of the intact record may restore it.
        """

    def forget_purged(self, user_id: str, memory_ids: Collection[str], names: Collection[str]) -> None:
        """Store hashes (`ErasedIds`) of purged memories and of their external names, and delete their remaining data."""
