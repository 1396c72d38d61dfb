"""A batch of the stream of the table: brought into the index; what the index will never take is set aside with its reason."""

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from commonplace.errors import CommonplaceError
from commonplace.following import follow
from commonplace.index_ports import Change, IndexWriter, Outcome
from commonplace.ports import PendingWrites, UsageLog

_log = logging.getLogger("commonplace")


@dataclass(frozen=True)
class Streamed:
    """One record of the stream. Without a `change` it can't be read; `trouble` tells why, without a word of it."""

    sequence: str
    user_id: str
    item: str
    at: datetime
    change: Change | None
    trouble: str = ""


@dataclass(frozen=True)
class Letter:
    """A change that was set aside: where its record is, its place in the stream, and why. Never a word of it."""

    user_id: str
    item: str
    sequence: str | None
    reason: str


class DeadLetters(Protocol):
    """Where changes are told of that the index will never take."""

    def send(self, letters: Sequence[Letter]) -> None:
        """Keeps them for somebody to look at; raises `STORAGE_UNAVAILABLE`."""


@dataclass(frozen=True)
class Upkeep:
    """What keeps an index in step with the table.

    `streamed` reads an event of the table's stream; `set_up` makes what the index needs, False when a reindex has to follow.
    """

    streamed: Callable[[Mapping[str, Any]], Iterator[Streamed]]
    writer: IndexWriter
    pending: PendingWrites
    usage: UsageLog
    letters: DeadLetters | None
    set_up: Callable[[], bool]


class NoIndex:
    """No index at all: searches read the records, and nothing has to wait."""

    def put(self, changes: Sequence[Change]) -> list[Outcome]:
        """Everything is as it should be."""
        return [Outcome("done")] * len(changes)


@dataclass(frozen=True)
class TakenIn:
    """What became of a batch. `again`: sequence numbers to come again, in order; `oldest`: when the oldest done was made."""

    done: int
    set_aside: int
    again: list[str]
    oldest: datetime | None


def take_in(records: Sequence[Streamed], upkeep: Upkeep) -> TakenIn:
    """Brings a batch into the index; safe to repeat, in any part and order. A record that is poison holds nothing up."""
    readable = [record for record in records if record.change is not None]
    followed = follow([record.change for record in readable if record.change is not None], upkeep.writer, upkeep.pending)
    outcomes = {record.sequence: Outcome("failed", record.trouble) for record in records if record.change is None}
    outcomes |= {record.sequence: outcome for record, outcome in zip(readable, followed, strict=True)}
    ended = {state: [record for record in records if outcomes[record.sequence].state == state] for state in _STATES}
    again = ended["retry"]
    if not set_aside(
        [Letter(at.user_id, at.item, at.sequence, outcomes[at.sequence].reason) for at in ended["failed"]], upkeep.letters
    ):
        again = [record for record in records if outcomes[record.sequence].state != "done"]
    oldest = min((record.at for record in ended["done"]), default=None)
    return TakenIn(len(ended["done"]), len(ended["failed"]), [record.sequence for record in again], oldest)


def set_aside(letters: Sequence[Letter], where: DeadLetters | None) -> bool:
    """Whether the letters are kept, in the log at the least; if not, their records have to come again."""
    for letter in letters:
        _log.error("a change can't be indexed: %s", letter.reason)
    try:
        if letters and where is not None:
            where.send(letters)
    except CommonplaceError as error:
        _log.error("dead letters can't be sent: %s", error)
        return False
    return True


_STATES = ("done", "retry", "failed")
