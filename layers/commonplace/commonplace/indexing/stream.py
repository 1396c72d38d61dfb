"""The projector, which writes changes from the table's stream to the index. Refused changes become dead letters."""

import logging
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from commonplace.domain.batching import in_batches
from commonplace.domain.errors import CommonplaceError
from commonplace.ports.index import DeadLetters, IndexWriter, PendingWrites
from commonplace.ports.usage import UsageLog
from commonplace.ports.values import DeadLetter, IndexChange, IndexOutcome, Stored, StreamRecord

_log = logging.getLogger("commonplace")
_BATCH = 200
_STATES = ("done", "retry", "failed")


def project(changes: Sequence[IndexChange], writer: IndexWriter, pending: PendingWrites) -> list[IndexOutcome]:
    """Write changes, which may be in any order, to the index. Confirm the stored ones, and return an outcome per change."""
    outcomes = writer.put(changes)
    for change, outcome in zip(changes, outcomes, strict=True):
        if outcome.state == "done" and isinstance(change, Stored):  # a purge has already deleted its pending row
            _confirm_change(change, pending)
    return outcomes


def reconcile(
    before: datetime, writer: IndexWriter, pending: PendingWrites, failed: Callable[[IndexChange, IndexOutcome], None],
    in_time: Callable[[], bool] = lambda: True,
) -> Counter[str]:  # fmt: skip
    """Write the changes again that became pending before `before`. Return the number of changes in each state.

    This repairs the index after an outage that is longer than the stream's retention. `failed` is called with each change
    that the index refuses for good. Writing stops when the time is up or when the index refuses a whole batch for now.
    """
    counts: Counter[str] = Counter()
    for changes in in_batches(pending.pending_since(before), _BATCH):
        outcomes = project(changes, writer, pending)
        counts.update(outcome.state for outcome in outcomes)
        for change, outcome in zip(changes, outcomes, strict=True):
            if outcome.state == "failed":
                failed(change, outcome)
        if not in_time() or all(outcome.state == "retry" for outcome in outcomes):
            break
    return counts


def _confirm_change(change: Stored, pending: PendingWrites) -> None:
    """Confirm that a change is indexed. An error is only logged, because `reconcile` writes the change again."""
    memory = change.memory
    try:
        pending.confirm(memory.user_id, memory.memory_id, memory.version)
    except CommonplaceError as error:
        _log.warning("a change is indexed and not confirmed, reconcile will: %s", error)


@dataclass(frozen=True)
class Projector:
    """The ports of the projector. `streamed` parses an event. `set_up` returns False if the index must be rebuilt."""

    streamed: Callable[[Mapping[str, Any]], Iterator[StreamRecord]]
    writer: IndexWriter
    pending: PendingWrites
    usage: UsageLog
    letters: DeadLetters | None
    set_up: Callable[[], bool]


class NoIndex:
    """An index writer for deployments without an index."""

    def put(self, changes: Sequence[IndexChange]) -> list[IndexOutcome]:
        """Report every change as done, without writing it."""
        return [IndexOutcome("done")] * len(changes)


class NoRebuild:
    """An index rebuild for deployments without an index."""

    def model(self) -> None:
        """Return None, because there is no index."""

    def begin(self) -> str:
        return ""

    def fill(self, records: Sequence[Stored]) -> list[IndexOutcome]:
        """Report every record as done, without writing it."""
        return [IndexOutcome("done")] * len(records)

    def finish(self) -> None:
        """Do nothing."""


@dataclass(frozen=True)
class ProjectedBatch:
    """The result of a batch. `to_retry` lists sequence numbers to retry. `oldest` is the time of the oldest change done."""

    done: int
    set_aside: int
    to_retry: list[str]
    oldest: datetime | None


def project_batch(records: Sequence[StreamRecord], projector: Projector) -> ProjectedBatch:
    """Project a batch, which may repeat older records. Failed records become dead letters or, if that fails, are retried."""
    readable = [record for record in records if record.change is not None]
    followed = project([item.change for item in readable if item.change is not None], projector.writer, projector.pending)
    outcomes = {record.sequence: IndexOutcome("failed", record.trouble) for record in records if record.change is None}
    outcomes |= {record.sequence: outcome for record, outcome in zip(readable, followed, strict=True)}
    ended = {state: [record for record in records if outcomes[record.sequence].state == state] for state in _STATES}
    retried = ended["retry"]
    if not set_aside(
        [DeadLetter(at.user_id, at.item, at.sequence, outcomes[at.sequence].reason) for at in ended["failed"]],
        projector.letters,
    ):
        retried = [record for record in records if outcomes[record.sequence].state != "done"]
    oldest = min((record.at for record in ended["done"]), default=None)
    return ProjectedBatch(len(ended["done"]), len(ended["failed"]), [record.sequence for record in retried], oldest)


def set_aside(letters: Sequence[DeadLetter], where: DeadLetters | None) -> bool:
    """Send dead letters. Returns False if that fails, because the stream must then deliver the records again."""
    for letter in letters:
        _log.error("a change can't be indexed: %s", letter.reason)
    try:
        if letters and where is not None:
            where.send(letters)
    except CommonplaceError as error:
        _log.error("dead letters can't be sent: %s", error)
        return False
    return True
