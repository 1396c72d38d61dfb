"""Counts findings: one row per search, folded into the memories' counts later.

Folding takes rows away and raises counts in one transaction, with the condition that each row is still there and each count
is what it was when it was read. So of two folds at once one is refused and looks again, and a fold that dies leaves the rows
or their counts, never both and never neither.
"""

import itertools
import logging
import math
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from ulid import ULID

from commonplace.adapters.dynamodb.calls import Calls, key_of, partition_condition
from commonplace.adapters.dynamodb.client import Table
from commonplace.adapters.dynamodb.pending import waiting_rows
from commonplace.adapters.dynamodb.rows import FOUND, LAST_FOUND, memory_name, used_name
from commonplace.adapters.dynamodb.table import ITEM, PRESENT, PURGE_AT, QUEUE, SINCE, USAGE, USER, Action, Item, queue_of
from commonplace.domain.errors import CommonplaceError

_log = logging.getLogger("commonplace")
_KEPT = timedelta(days=90)  # for a fold to come by
_IDS_A_ROW = 80  # so that any row can be folded: itself and its counts in one transaction
_ROWS_AT_ONCE = 90
_ACTIONS = 100
_WAITING_AT_MOST = 100
_PATIENCE = 0.5  # seconds: an answer stands behind it


class DynamoUsage:
    """The usage log of the table. `lost`: called when a search could not be counted at once, for a metric."""

    def __init__(
        self, table: Table, lost: Callable[[], None] = lambda: None, clock: Callable[[], datetime] = lambda: datetime.now(UTC)
    ) -> None:
        self._table, self._lost, self._clock = table, lost, clock
        self._waiting: deque[Item] = deque(maxlen=_WAITING_AT_MOST)

    def found(self, user_id: str, memory_ids: Sequence[str], at: datetime) -> None:
        now = self._clock()
        starts = range(0, len(memory_ids), _IDS_A_ROW)
        self._waiting.extend(_row(user_id, memory_ids[start : start + _IDS_A_ROW], at, now) for start in starts)
        for _ in range(len(starts) + 1):  # these, and one that an earlier call had to leave
            if not self._write_one():
                return

    def _write_one(self) -> bool:
        try:
            item = self._waiting.popleft()
        except IndexError:  # none left
            return False
        try:
            self._table.calls(_PATIENCE).put(item)
        except CommonplaceError as error:
            self._waiting.appendleft(item)  # the same row, so that it counts once even if it did arrive
            _log.warning("a search was not counted yet: %s", error)
            self._lost()
            return False
        return True

    def fold(self, user_id: str) -> None:
        for attempt in itertools.count():
            calls = self._table.calls()
            rows, _ = calls.page(*partition_condition(f"{USAGE}{user_id}"), ConsistentRead=True, Limit=_ROWS_AT_ONCE)
            if not rows:
                return
            if calls.transact(_folding(calls, user_id, rows)):
                calls.wait(attempt)

    def unfolded(self, before: datetime) -> Iterator[str]:
        told: set[str] = set()
        for rows in waiting_rows(self._table, USAGE, before):
            users = {row[USER]["S"].removeprefix(USAGE) for row in rows} - told
            told |= users
            yield from sorted(users)


@dataclass
class _FoundCount:
    found: int = 0
    last: list[str] = field(default_factory=list)


def _folding(calls: Calls, user_id: str, rows: Sequence[Item]) -> list[Action]:
    """The transaction that folds as many of the rows as it holds, the oldest first."""
    taken: list[Action] = []
    counts: dict[str, _FoundCount] = {}
    for row in rows:
        ids = [each["S"] for each in row["ids"]["L"]]
        if len(taken) + 1 + len(counts.keys() | set(ids)) > _ACTIONS:
            break
        taken.append(Action("Delete", row, PRESENT))
        for memory_id in ids:
            count = counts.setdefault(memory_id, _FoundCount())
            count.found += 1
            count.last.append(row["at"]["S"])
    names = [(user_id, name(memory_id)) for memory_id in counts for name in (memory_name, used_name)]
    there = calls.get(names, (PURGE_AT, FOUND, LAST_FOUND))
    return taken + [
        _count_action(
            user_id, memory_id, count, there[user_id, memory_name(memory_id)], there.get((user_id, used_name(memory_id)))
        )
        for memory_id, count in counts.items()
        if (user_id, memory_name(memory_id)) in there  # what was purged needs no counts
    ]


def _count_action(user_id: str, memory_id: str, count: _FoundCount, record: Item, used: Item | None) -> Action:
    before = int(used[FOUND]["N"]) if used and FOUND in used else 0
    moments = [*count.last, used[LAST_FOUND]["S"]] if used and before else count.last
    change = f"SET #{FOUND} = :found, #{LAST_FOUND} = :last"
    values = {
        ":found": {"N": str(before + count.found)},
        ":last": {"S": max(moments, key=datetime.fromisoformat)},
    }
    if PURGE_AT in record:
        change, values = f"{change}, #{PURGE_AT} = :purge_at", {**values, ":purge_at": record[PURGE_AT]}
    as_read = f"#{FOUND} = :before" if before else f"attribute_not_exists(#{FOUND})"
    if before:
        values[":before"] = {"N": str(before)}
    return Action("Update", key_of(user_id, used_name(memory_id)), as_read, values, change)


def _row(user_id: str, memory_ids: Sequence[str], at: datetime, now: datetime) -> Item:
    # The row lives by the clock of this machine, whatever the user's clock says.
    return {
        USER: {"S": f"{USAGE}{user_id}"},
        ITEM: {"S": str(ULID.from_datetime(now))},
        "ids": {"L": [{"S": memory_id} for memory_id in memory_ids]},
        "at": {"S": at.isoformat()},
        PURGE_AT: {"N": str(math.ceil((now + _KEPT).timestamp()))},
        QUEUE: {"S": queue_of(USAGE, user_id)},
        SINCE: {"N": str(round(now.timestamp() * 1000))},
    }
