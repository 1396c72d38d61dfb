"""The index follows the records: what changed is brought into it, and what it holds is no longer pending."""

import logging
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import datetime

from commonplace.batches import in_batches
from commonplace.errors import CommonplaceError
from commonplace.index_ports import Change, IndexWriter, Outcome
from commonplace.ports import PendingWrites, Stored

_log = logging.getLogger("commonplace")
_AT_ONCE = 200


def follow(changes: Sequence[Change], writer: IndexWriter, pending: PendingWrites) -> list[Outcome]:
    """Brings changes into the index and confirms those that it holds: one outcome per change, in their order.

    Changes may come twice and in any order. What must be tried again or fails for good is the caller's to report.
    """
    outcomes = writer.put(changes)
    for change, outcome in zip(changes, outcomes, strict=True):
        if outcome.state == "done" and isinstance(change, Stored):  # what is purged waits for nothing: its row went with it
            _confirm(change, pending)
    return outcomes


def reconcile(
    before: datetime, writer: IndexWriter, pending: PendingWrites, failed: Callable[[Change, Outcome], None],
    in_time: Callable[[], bool] = lambda: True,
) -> Counter[str]:  # fmt: skip
    """Indexes again what has been pending since before then, and gives how many ended in each state.

    So an outage longer than a stream keeps its records heals too. `failed` is told of each that the index will never take.
    Stops at the first batch of which nothing is done, for the index is down, and when it is `in_time` no more: the next run
    goes on.
    """
    counts: Counter[str] = Counter()
    for changes in in_batches(pending.pending_since(before), _AT_ONCE):
        outcomes = follow(changes, writer, pending)
        counts.update(outcome.state for outcome in outcomes)
        for change, outcome in zip(changes, outcomes, strict=True):
            if outcome.state == "failed":
                failed(change, outcome)
        if not in_time() or all(outcome.state == "retry" for outcome in outcomes):
            break
    return counts


def _confirm(change: Stored, pending: PendingWrites) -> None:
    memory = change.memory
    try:
        pending.confirm(memory.user_id, memory.memory_id, memory.version)
    except CommonplaceError as error:
        _log.warning("a change is indexed and not confirmed, reconcile will: %s", error)
