"""Tracks writes that the index has not confirmed yet. There is one row per memory, in queues that all users share."""

import itertools
import logging
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from commonplace.adapters.dynamodb.calls import Calls, Table, key_of, partition_condition
from commonplace.adapters.dynamodb.rows import FOUND, TOLD, VERSION, memory_name, pending_name, readable_records, stored_of
from commonplace.adapters.dynamodb.table import (
    ITEM,
    PENDING,
    PRESENT,
    QUEUE,
    SINCE,
    USED,
    USER,
    WAITING,
    Action,
    Item,
    queues,
)
from commonplace.ports.values import Stored

_log = logging.getLogger("commonplace")
_PAGE_SIZE = 100
_AT_MOST = 2_000  # maximum rows per user, which take 20 reads if no record is cached
_CACHE_SIZE = 4_000  # total number of cached records; the current user's records are never dropped


class DynamoPending:
    """Reads and writes the PENDING rows of the table, each of which identifies a version of a record.

    A version never changes, so records are cached. While the index is down, a search reads only the rows and new records.
    Searches find pending memories beyond the newest 2,000, for example after a large import, once the index contains them.
    """

    def __init__(self, table: Table) -> None:
        self._table = table
        self._known: dict[tuple[str, str, str], Stored] = {}

    def pending(self, user_id: str) -> tuple[list[Stored], bool]:
        """Return the user's newest 2,000 records with unconfirmed writes, ordered by id, and whether these are all."""
        calls = self._table.calls()
        condition, values = partition_condition(user_id, PENDING)
        pending = calls.rows(condition, values, ConsistentRead=True, ScanIndexForward=False, Limit=_AT_MOST + 1)
        rows = list(itertools.islice(pending, _AT_MOST + 1))
        complete = len(rows) <= _AT_MOST
        if not complete:
            _log.warning("more than %d writes of a user wait for the index", _AT_MOST)
            rows.pop()
        versions = [(user_id, row[ITEM]["S"].removeprefix(PENDING), row[VERSION]["N"]) for row in rows]
        known = {version: stored for version in versions if (stored := self._known.get(version)) is not None}
        read = _load_records(calls, [row for row, version in zip(rows, versions, strict=True) if version not in known])
        now = known | {(user_id, stored.memory.memory_id, str(stored.memory.version)): stored for stored in read}
        older = {} if len(self._known) + len(read) > _CACHE_SIZE else self._known
        self._known = older | now
        return sorted([*known.values(), *read], key=lambda stored: stored.memory.memory_id), complete

    def has_more_than(self, most: int, user_id: str) -> bool:
        where, values = partition_condition(user_id, PENDING)
        rows = self._table.calls().rows(where, values, ProjectionExpression=f"#{ITEM}", ConsistentRead=True, Limit=most + 1)
        return len(list(itertools.islice(rows, most + 1))) > most

    def used(self, user_id: str) -> set[str]:
        """Return the ids of the user's memories that searches have returned. The index does not store these ids."""
        condition, values = partition_condition(user_id, USED)
        rows = self._table.calls().rows(
            condition, values, FilterExpression=f"attribute_exists(#{FOUND})", ProjectionExpression=f"#{ITEM}",
            ConsistentRead=True,
        )  # fmt: skip
        return {row[ITEM]["S"].removeprefix(USED) for row in rows}

    def confirm(self, user_id: str, memory_id: str, version: int) -> None:
        """Delete the memory's PENDING row unless the row is for a newer version."""
        newer_stays = {":version": {"N": str(version)}}
        self._table.calls().delete(user_id, pending_name(memory_id), f"#{VERSION} <= :version", newer_stays)

    def mark_reported(self, user_id: str, memory_id: str, version: int, confirmed: bool = True) -> bool:
        """Record that this version's rejection was reported, or was not. Returns False if nothing changed."""
        row, number = key_of(user_id, pending_name(memory_id)), {":version": {"N": str(version)}}
        if confirmed:
            as_it_is = f"{PRESENT} AND (attribute_not_exists(#{TOLD}) OR #{TOLD} < :version)"
            action = Action("Update", row, as_it_is, number, f"SET #{TOLD} = :version")
        else:
            action = Action("Update", row, f"#{TOLD} = :version", number, f"REMOVE #{TOLD}")
        return not self._table.calls().transact([action])

    def pending_since(self, before: datetime) -> Iterator[Stored]:
        for rows in waiting_rows(self._table, PENDING, before, Limit=_PAGE_SIZE):
            yield from _load_records(self._table.calls(), rows)

    def oldest_pending(self) -> datetime | None:
        calls = self._table.calls()
        heads = []
        for queue in queues(PENDING):
            heads += calls.page(f"#{QUEUE} = :queue", {":queue": {"S": queue}}, IndexName=WAITING, Limit=1)[0]
        oldest = min((int(row[SINCE]["N"]) for row in heads), default=None)
        return None if oldest is None else datetime.fromtimestamp(oldest / 1000, UTC)


def waiting_rows(table: Table, kind: str, before: datetime, **how: Any) -> Iterator[list[Item]]:
    """Yield pages of rows that started to wait earlier than `before`, oldest first per queue. New writes may be missing."""
    condition = f"#{QUEUE} = :queue AND #{SINCE} < :before"
    moment = {"N": str(round(before.timestamp() * 1000))}
    for queue in queues(kind):
        yield from table.pages(condition, {":queue": {"S": queue}, ":before": moment}, IndexName=WAITING, **how)


def _load_records(calls: Calls, rows: list[Item]) -> list[Stored]:
    """Return the records of PENDING rows. Purged records are missing, but the stream reports their deletion to the index."""
    names = [(row[USER]["S"], memory_name(row[ITEM]["S"].removeprefix(PENDING))) for row in rows]
    items_by_key = calls.get(names)
    return list(readable_records((items_by_key[name] for name in names if name in items_by_key), stored_of))
