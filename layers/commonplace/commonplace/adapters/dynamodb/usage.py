"""Stores search hits, the search log and feedback. Each list of hits, each logged search and each rating is one row.

Each search writes its hits to a row. A fold adds the hits to the memories' counts and deletes the rows in one transaction.
The transaction fails if a row or a count has changed since it was read, so one of two concurrent folds must try again. A fold
that crashes neither loses hits nor counts them twice.
"""

import itertools
import logging
import math
from collections import deque
from collections.abc import Callable, Collection, Iterator, Sequence
from datetime import UTC, datetime, timedelta

from ulid import ULID

from commonplace.adapters.dynamodb.calls import MOST_ACTIONS, Calls, Table, TableAdapter, key_of, partition_condition
from commonplace.adapters.dynamodb.pending import waiting_rows
from commonplace.adapters.dynamodb.rows import FOUND, HOLDER, LAST_FOUND, STATUS, memory_name, used_name
from commonplace.adapters.dynamodb.table import (
    FEEDBACK,
    ITEM,
    PRESENT,
    PURGE_AT,
    QUEUE,
    SEARCHED,
    SINCE,
    USAGE,
    USER,
    Action,
    Item,
    queue_of,
)
from commonplace.domain.errors import CommonplaceError
from commonplace.ports.values import MOST_RATINGS, RATING_TTL, SEARCH_TTL, LoggedSearch, Rating

_log = logging.getLogger("commonplace")
_FOLD_WITHIN = timedelta(days=90)  # rows expire if no fold counts them within this period
_IDS_A_ROW = 80  # a row and the counts of its memories must fit into one transaction
_FOLD_BATCH = 90
_WAITING_AT_MOST = 100
_PATIENCE = 0.5  # seconds; the search's answer is held back for this write


class DynamoUsage:
    """Counts hits in the table. `lost` is called if hits can't be counted at once. It can, for example, update a metric."""

    def __init__(
        self, table: Table, lost: Callable[[], None] = lambda: None, clock: Callable[[], datetime] = lambda: datetime.now(UTC)
    ) -> None:
        self._table, self._lost, self._clock = table, lost, clock
        self._waiting: deque[Item] = deque(maxlen=_WAITING_AT_MOST)

    def count(self, user_id: str, memory_ids: Sequence[str], at: datetime) -> None:
        """Write the hits as rows. Rows that can't be written wait in memory for the next call."""
        now = self._clock()
        starts = range(0, len(memory_ids), _IDS_A_ROW)
        self._waiting.extend(_build_usage_row(user_id, memory_ids[start : start + _IDS_A_ROW], at, now) for start in starts)
        for _ in range(len(starts) + 1):  # the new rows, and one row left by an earlier call
            if not self._write_next():
                return

    def _write_next(self) -> bool:
        """Write the row that has been waiting longest. Return False if no row is waiting or the write fails."""
        try:
            item = self._waiting.popleft()
        except IndexError:  # no row is waiting
            return False
        try:
            self._table.calls(_PATIENCE).put(item)
        except CommonplaceError as error:
            self._waiting.appendleft(item)  # with the same key, so that it counts only once if the write succeeded after all
            _log.warning("a search was not counted yet: %s", error)
            self._lost()
            return False
        return True

    def fold(self, user_id: str) -> None:
        """Add the user's stored hits to the memories' counts, and delete the rows of these hits."""
        for attempt in itertools.count():
            calls = self._table.calls()
            rows, _ = calls.page(*partition_condition(f"{USAGE}{user_id}"), ConsistentRead=True, Limit=_FOLD_BATCH)
            if not rows:
                return
            if calls.transact(_build_fold_actions(calls, user_id, rows)):
                calls.wait(attempt)

    def unfolded(self, before: datetime) -> Iterator[str]:
        """Yield the users with stored hits that were written before `before`."""
        users_seen: set[str] = set()
        for rows in waiting_rows(self._table, USAGE, before):
            users = {row[USER]["S"].removeprefix(USAGE) for row in rows} - users_seen
            users_seen |= users
            yield from sorted(users)


def _build_fold_actions(calls: Calls, user_id: str, rows: Sequence[Item]) -> list[Action]:
    """Return the actions that delete the rows and count their hits. Rows beyond one transaction's limit are left."""
    taken: list[Action] = []
    times: dict[str, list[str]] = {}  # timestamps of the hits by memory id
    for row in rows:
        ids = [each["S"] for each in row["ids"]["L"]]
        if len(taken) + 1 + len(times.keys() | set(ids)) > MOST_ACTIONS:
            break
        taken.append(Action("Delete", row, PRESENT))
        for memory_id in ids:
            times.setdefault(memory_id, []).append(row["at"]["S"])
    names = [(user_id, name(memory_id)) for memory_id in times for name in (memory_name, used_name)]
    items = calls.get(names, (PURGE_AT, FOUND, LAST_FOUND))
    return taken + [
        _build_count_action(user_id, name, hits, items[user_id, memory_name(name)], items.get((user_id, used_name(name))))
        for name, hits in times.items()
        if (user_id, memory_name(name)) in items  # purged memories need no counts
    ]


def _build_count_action(user_id: str, memory_id: str, hits: list[str], record: Item, used: Item | None) -> Action:
    """Return the update that adds hits to a memory's counts. `hits` contains the timestamps of the hits."""
    before = int(used[FOUND]["N"]) if used and FOUND in used else 0
    moments = [*hits, used[LAST_FOUND]["S"]] if used and before else hits
    change = f"SET #{FOUND} = :found, #{LAST_FOUND} = :last"
    values = {":found": {"N": str(before + len(hits))}, ":last": {"S": max(moments, key=datetime.fromisoformat)}}
    if PURGE_AT in record:
        change, values = f"{change}, #{PURGE_AT} = :purge_at", {**values, ":purge_at": record[PURGE_AT]}
    as_read = f"#{FOUND} = :before" if before else f"attribute_not_exists(#{FOUND})"
    if before:
        values[":before"] = {"N": str(before)}
    return Action("Update", key_of(user_id, used_name(memory_id)), as_read, values, change)


def _build_usage_row(user_id: str, memory_ids: Sequence[str], at: datetime, now: datetime) -> Item:
    """Return the row for a list of hits. It expires by `now`, which is this machine's clock, and not by `at`."""
    return {
        USER: {"S": f"{USAGE}{user_id}"},
        ITEM: {"S": str(ULID.from_datetime(now))},
        "ids": {"L": [{"S": memory_id} for memory_id in memory_ids]},
        "at": {"S": at.isoformat()},
        PURGE_AT: {"N": str(math.ceil((now + _FOLD_WITHIN).timestamp()))},
        QUEUE: {"S": queue_of(USAGE, user_id)},
        SINCE: {"N": str(round(now.timestamp() * 1000))},
    }


class DynamoSearchLog:
    """Stores the search log in the table if `on` is true. A search that can't be written is dropped with a warning."""

    def __init__(self, table: Table, on: bool = True, clock: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self._table, self._on, self._clock = table, on, clock

    def is_on(self) -> bool:
        return self._on

    def searched(self, user_id: str, search: LoggedSearch) -> None:
        if not self._on:
            return
        now = self._clock()
        item = {
            USER: {"S": f"{SEARCHED}{user_id}"},
            ITEM: {"S": str(ULID.from_datetime(now))},
            "query": {"S": search.query},
            "found": {"N": str(search.found)},
            "at": {"S": search.at.isoformat()},
            PURGE_AT: {"N": str(math.ceil((now + SEARCH_TTL).timestamp()))},
        }
        try:
            self._table.calls(_PATIENCE).put(item)
        except CommonplaceError as error:
            _log.warning("a search was not logged: %s", error)

    def searches(self, user_id: str) -> list[LoggedSearch]:
        return [
            LoggedSearch(row["query"]["S"], int(row["found"]["N"]), datetime.fromisoformat(row["at"]["S"]))
            for row in self._iterate_rows(user_id)
            if int(row[PURGE_AT]["N"]) > self._clock().timestamp()
        ]

    def queries(self, user_id: str) -> list[str]:
        """Return all stored queries, including expired ones."""
        return [row["query"]["S"] for row in self._iterate_rows(user_id)]

    def forget(self, user_id: str, is_meant: Callable[[str], bool]) -> int:
        meant = [row for row in self._iterate_rows(user_id) if is_meant(row["query"]["S"])]
        self._table.calls().delete_all({USER: row[USER], ITEM: row[ITEM]} for row in meant)
        return len(meant)

    def _iterate_rows(self, user_id: str) -> Iterator[Item]:
        condition = partition_condition(f"{SEARCHED}{user_id}")
        return itertools.chain.from_iterable(self._table.pages(*condition, ConsistentRead=True))


_DELETE_BATCH = 90  # rows deleted in one transaction to make room for a new rating


class DynamoFeedback(TableAdapter):
    def rate(self, user_id: str, rating: Rating) -> bool:
        """Store a rating, replacing one for the same memory and query. Returns False if the memory is not active."""
        calls, item = self._table.calls(), _build_rating_item(user_id, rating)
        older = [row for row in _sort_by_time(_iterate_feedback(calls, user_id)) if row[ITEM] != item[ITEM]]
        surplus = older[: max(0, len(older) + 1 - MOST_RATINGS)][:_DELETE_BATCH]
        record = key_of(user_id, memory_name(rating.memory_id))
        is_active = Action("ConditionCheck", record, f"#{STATUS} = :active", {":active": {"S": "active"}})
        return not calls.transact([is_active, Action("Put", item), *(Action("Delete", row) for row in surplus)])

    def ratings(self, user_id: str, now: datetime) -> list[Rating]:
        rows = [row for row in _iterate_feedback(self._table.calls(), user_id) if int(row[PURGE_AT]["N"]) > now.timestamp()]
        return [_parse_rating(row) for row in _sort_by_time(rows)]

    def forget(self, user_id: str, is_meant: Callable[[Rating], bool]) -> int:
        calls = self._table.calls()
        meant = [row for row in _iterate_feedback(calls, user_id) if is_meant(_parse_rating(row))]
        calls.delete_all(key_of(user_id, row[ITEM]["S"]) for row in meant)
        return len(meant)


def delete_feedback(calls: Calls, user_id: str, memory_ids: Collection[str]) -> None:
    """Delete the feedback on erased memories."""
    rows = (row for row in _iterate_feedback(calls, user_id) if row[HOLDER]["S"] in memory_ids)
    calls.delete_all(key_of(user_id, row[ITEM]["S"]) for row in rows)


def _iterate_feedback(calls: Calls, user_id: str) -> Iterator[Item]:
    return calls.rows(*partition_condition(user_id, FEEDBACK), ConsistentRead=True)


def _sort_by_time(rows: Collection[Item] | Iterator[Item]) -> list[Item]:
    return sorted(rows, key=lambda row: datetime.fromisoformat(row["at"]["S"]))


def _build_rating_item(user_id: str, rating: Rating) -> Item:
    return {
        **key_of(user_id, f"{FEEDBACK}{rating.memory_id}#{rating.query_hash}"),
        HOLDER: {"S": rating.memory_id},
        "query": {"S": rating.query},
        "useful": {"BOOL": rating.useful},
        "at": {"S": rating.at.isoformat()},
        PURGE_AT: {"N": str(math.ceil((rating.at + RATING_TTL).timestamp()))},
    }


def _parse_rating(row: Item) -> Rating:
    at = datetime.fromisoformat(row["at"]["S"])
    return Rating(row[HOLDER]["S"], row["query"]["S"], row["useful"]["BOOL"], at)
