"""The port of the record store: one user's memories."""

from collections.abc import Iterator, Sequence
from typing import Protocol

from commonplace.domain.memory import Memory
from commonplace.ports.record_values import Audit, Entry, Stored, Vector
from commonplace.ports.values import Filter, Visibility


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
