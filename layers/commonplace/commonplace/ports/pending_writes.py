"""The port of writes that the index has not confirmed."""

from collections.abc import Iterator
from datetime import datetime
from typing import Protocol

from commonplace.ports.record_values import Stored


class PendingWrites(Protocol):
    """The memories whose last write may not be in the index; each write leaves a row, in its own transaction."""

    def pending(self, user_id: str) -> tuple[list[Stored], bool]:
        """The user's records that wait to be confirmed, as they are now and whatever their status, and whether that is
        all of them; never behind a write."""

    def has_more_than(self, most: int, user_id: str) -> bool:
        """Whether more than so many of the user's writes wait; cheaper than `pending`."""

    def confirm(self, user_id: str, memory_id: str, version: int) -> None:
        """Confirms that the index holds this version; the row stays if a newer one waits. Safe to repeat, in any order."""

    def tell(self, user_id: str, memory_id: str, version: int, told: bool = True) -> bool:
        """Notes that somebody was told that the index will never take this version, or that nobody was; False if that is
        noted already, or nothing of it waits."""

    def pending_since(self, before: datetime) -> Iterator[Stored]:
        """Everybody's records that have been waiting since before then, as they are now; may lag behind a write."""

    def oldest_pending(self) -> datetime | None:
        """The time of the longest pending write; may lag behind a write."""
