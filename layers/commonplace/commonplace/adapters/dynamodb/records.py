"""Stores each memory as an item in one table. Also reads all records for a rebuild, and erases all data about a user."""

import itertools
import json
from collections.abc import Callable, Collection, Iterator, Sequence
from datetime import UTC, datetime
from typing import Any, TypeVar

from commonplace.adapters.dynamodb.calls import MOST_ACTIONS, Calls, Table, TableAdapter, key_of, partition_condition
from commonplace.adapters.dynamodb.ids import keep_erased, keep_erased_rows
from commonplace.adapters.dynamodb.long_texts import names_from
from commonplace.adapters.dynamodb.rows import (
    FOUND,
    HOLDER,
    LAST_FOUND,
    RECORD,
    STATUS,
    VECTOR,
    audit_of,
    memory_name,
    memory_of,
    pending_name,
    readable,
    readable_records,
    stored_of,
    used_name,
)
from commonplace.adapters.dynamodb.table import AUDIT, CONTENT, ITEM, KEY, LEASE, MEMORY, SEARCHED, USAGE, USED, USER, Item
from commonplace.adapters.dynamodb.writes import (
    EntryBatch,
    TransactionWrite,
    change_of,
    forget,
    marker_holders,
    purging,
    refused_writes,
    version_conflict,
)
from commonplace.domain.errors import CommonplaceError, ErrorCode
from commonplace.domain.memory import Memory
from commonplace.ports.values import Audit, Entry, Filter, RawRecord, Stored, Vector, Visibility
from commonplace.retrieval.documents import document
from commonplace.retrieval.record_scan import is_visible, passes_filter

_Record = TypeVar("_Record")
_LISTED_AT_MOST = 2_000  # maximum number of records read to fill one page
_DELETE_BATCH = 50  # rows that are listed and deleted within one deadline


class DynamoRawRecords(TableAdapter):
    """Reads the raw records in the table. Three queries return records, counts and audit rows, each sorted by memory id."""

    def rows(self, user_id: str) -> Iterator[RawRecord]:
        audits, used = _Cursor(self._yield_items(user_id, AUDIT), AUDIT), _Cursor(self._yield_items(user_id, USED), USED)
        for item in self._yield_items(user_id, MEMORY):
            memory_id = str(item[ITEM]["S"]).removeprefix(MEMORY)
            counts = {row[ITEM]["S"]: row for row in used.of(memory_id)}.get(used_name(memory_id))
            steps = {int(row[ITEM]["S"].rpartition("#")[2]): audit_of(row) for row in audits.of(memory_id)}
            memory = readable(item, lambda row, counts=counts: memory_of(row, counts))  # type: ignore[misc]
            yield RawRecord(memory_id, _get_raw_record(item), memory, steps)

    def _yield_items(self, user_id: str, prefix: str) -> Iterator[Item]:
        return itertools.chain.from_iterable(self._table.pages(*partition_condition(user_id, prefix), ConsistentRead=True))


class _Cursor:
    def __init__(self, items: Iterator[Item], prefix: str) -> None:
        self._items, self._prefix = items, prefix
        self._next = next(items, None)

    def of(self, memory_id: str) -> list[Item]:
        """Return a memory's rows, and skip the rows of memories with smaller ids. Call this with ascending ids."""
        items = list[Item]()
        while self._next is not None and (named := self._parse_row_memory_id(self._next)) <= memory_id:
            items += [self._next] if named == memory_id else []
            self._next = next(self._items, None)
        return items

    def _parse_row_memory_id(self, item: Item) -> str:
        return str(item[ITEM]["S"]).removeprefix(self._prefix).partition("#")[0]


class DynamoRecords:
    """Stores records in the table. If `indexed` is true, a PENDING row marks each write until it is indexed.

    Without an index, nothing would delete these rows, so none are written, and `newest` is strongly consistent.
    """

    def __init__(self, table: Table, indexed: bool = True, clock: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self._table, self._indexed, self._clock = table, indexed, clock

    def add(self, entries: Sequence[Entry]) -> list[tuple[Memory, bool]]:
        """Store each entry unless an equal memory is active. Returns each stored memory, and whether it is new."""
        return EntryBatch(self._table.calls(), self._clock() if self._indexed else None).add(entries)

    def update(self, memory: Memory, audit: Audit, vector: Vector | None = None) -> Memory:
        """Replace a record. Raises `NOT_FOUND`, or `CONFLICT` if it has changed or has the content of another memory."""
        calls = self._table.calls()
        change = change_of(calls, memory, audit, vector)
        write, rows = TransactionWrite(change), purging(calls, memory, change.before)
        for attempt in itertools.count():
            actions = write.actions(self._clock() if self._indexed else None)
            within = MOST_ACTIONS - len(actions)
            refusals = calls.transact([*actions, *rows[:within]])
            if not refusals:
                calls.transact_all(rows[within:])
                break
            (refused,) = refused_writes([(write, actions)], refusals)
            if any(action.name == memory_name(memory.memory_id) for action, _ in refused.actions):
                raise version_conflict(memory)
            (holders_by_marker,) = marker_holders(calls, [refused], {memory.memory_id: memory.updated_at})
            for other in holders_by_marker.values():
                raise CommonplaceError(ErrorCode.CONFLICT, f"the same memory or key is there already: {other.memory_id}")
            calls.wait(attempt)
        return memory

    def get(self, user_id: str, memory_ids: Sequence[str]) -> list[Memory]:
        return self._load_records(user_id, memory_ids, memory_of)

    def stored(self, user_id: str, memory_ids: Sequence[str]) -> list[Stored]:
        return self._load_records(user_id, memory_ids, stored_of, VECTOR)

    def _load_records(
        self, user_id: str, memory_ids: Sequence[str], read: Callable[[Item, Item | None], _Record], *fields: str
    ) -> list[_Record]:
        names = [name(memory_id) for memory_id in memory_ids for name in (memory_name, used_name)]
        items_by_key = self._table.calls().get(((user_id, name) for name in names), (RECORD, FOUND, LAST_FOUND, *fields))
        keys = [(user_id, memory_name(memory_id)) for memory_id in memory_ids]
        records = [items_by_key[key] for key in keys if key in items_by_key]
        return list(readable_records(records, lambda row: read(row, items_by_key.get((user_id, used_name(_parse_id(row)))))))

    def all(self, user_id: str) -> Iterator[Memory]:
        condition, values = partition_condition(user_id, MEMORY)
        after = None
        while True:
            calls = self._table.calls()  # each page has its own deadline
            items, after = calls.page(condition, values, after, ConsistentRead=True)
            used = self._load_counts(calls, user_id, [_parse_id(item) for item in items])
            yield from readable_records(items, lambda item: memory_of(item, used.get(_parse_id(item))))  # noqa: B023 - at once
            if after is None:
                return

    def listed(
        self, visibility: Visibility, filters: Filter, limit: int, before: str | None = None
    ) -> tuple[list[Memory], str | None]:
        """Return visible memories that pass the filter, newest first, and the id before which the next page starts."""
        condition, values = partition_condition(visibility.user_id, MEMORY)
        calls, matching, looked_at = self._table.calls(), list[Memory](), 0
        after = None if before is None else key_of(visibility.user_id, memory_name(before))
        while len(matching) <= limit and looked_at < _LISTED_AT_MOST:
            at_once = max(limit + 1, looked_at)
            items, after = calls.page(
                condition, values, after, ScanIndexForward=False, ConsistentRead=True, Limit=at_once,
                ProjectionExpression=f"#{USER},#{ITEM},#{RECORD}",
            )  # fmt: skip
            looked_at += at_once
            memories = readable_records(items, memory_of)
            matching += [
                item for item in memories if is_visible(visibility, item) and passes_filter(filters, item, document(item))
            ]
            if after is None:
                break
        goes_on = matching[limit - 1].memory_id if len(matching) > limit else None if after is None else _parse_id(after)
        return matching[:limit], goes_on

    def newest(self, user_id: str, limit: int) -> tuple[list[Stored], bool]:
        """Return the newest active memories with their vectors, and whether these are all active ones."""
        condition, values = partition_condition(user_id, MEMORY)
        rows = self._table.calls().rows(
            condition, {**values, ":active": {"S": "active"}}, FilterExpression=f"#{STATUS} = :active",
            ScanIndexForward=False, ConsistentRead=not self._indexed, Limit=limit + 1,
        )  # fmt: skip
        items = list(itertools.islice(rows, limit + 1))
        return list(readable_records(items[:limit], stored_of)), len(items) <= limit

    def audits(self, user_id: str, memory_id: str) -> list[Audit]:
        condition = partition_condition(user_id, f"{AUDIT}{memory_id}#")
        return [audit_of(row) for row in self._table.calls().rows(*condition, ConsistentRead=True)]

    def _load_counts(self, calls: Calls, user_id: str, memory_ids: Sequence[str]) -> dict[str, dict[str, object]]:
        """Return the usage-count items, by memory id, between the first and the last of the sorted ids."""
        if not memory_ids:
            return {}
        condition = f"#{USER} = :user AND #{ITEM} BETWEEN :first AND :last"
        ends = {":first": {"S": used_name(memory_ids[0])}, ":last": {"S": used_name(memory_ids[-1])}}
        rows = calls.rows(condition, {":user": {"S": user_id}, **ends}, ConsistentRead=True)
        return {row[ITEM]["S"].removeprefix(USED): dict(row) for row in rows}


def _parse_id(item: Item) -> str:
    return str(item[ITEM]["S"]).removeprefix(MEMORY)


class DynamoEverything(TableAdapter):
    def every(self) -> Iterator[Stored]:
        for items in self._table.scan(f"begins_with(#{ITEM}, :prefix)", {":prefix": {"S": MEMORY}}):
            yield from readable_records(items, stored_of)

    def of_user(self, user_id: str, after: str | None = None) -> Iterator[Stored]:
        last = None if after is None else key_of(user_id, memory_name(after))
        for items in self._table.pages(*partition_condition(user_id, MEMORY), last, ConsistentRead=True):
            yield from readable_records(items, stored_of)


class DynamoErasure(TableAdapter):
    """Erases all data about a user from the table, except counters of the token budget, which expire after three days."""

    def erase(self, user_id: str) -> None:
        self._empty_partition(f"{USAGE}{user_id}")
        self._empty_partition(f"{SEARCHED}{user_id}")
        self._empty_partition(user_id)
        self._table.calls().delete_all([key_of(user_id, LEASE)])  # deleted last, so that no run can start earlier

    def erase_unreadable(self, user_id: str, memory_id: str, forgotten: bool = False) -> bool:
        """Erase a record only if it is unreadable, and return whether it was. `forgotten` also stores a hash of its id."""
        calls = self._table.calls()
        record = calls.get_item(user_id, memory_name(memory_id))
        if record is None or readable(record, memory_of) is not None:
            return False
        extra_rows = (used_name(memory_id), pending_name(memory_id), *_find_row_names(calls, user_id, memory_id))
        calls.delete_all(key_of(user_id, name) for name in extra_rows)
        forget(calls, user_id, [memory_id], hashed=forgotten)
        calls.delete_all([key_of(user_id, memory_name(memory_id))])  # deleted last, so that a repeated call finds it
        return True

    def forget_purged(self, user_id: str, memory_ids: Collection[str], names: Collection[str]) -> None:
        """Store hashes of purged memories' ids and external names, and delete their remaining data."""
        calls = self._table.calls()
        keep_erased(calls, user_id, names)
        forget(calls, user_id, memory_ids)

    def _empty_partition(self, partition: str) -> None:
        """Store hashes of the partition's memory ids and aliases, and delete all of its rows but the lease."""
        after = None
        while True:
            calls = self._table.calls()  # each page has its own deadline
            keys: Any = {"ConsistentRead": True, "Limit": _DELETE_BATCH, "ProjectionExpression": f"#{USER},#{ITEM}"}
            rows, after = calls.page(*partition_condition(partition), after, **keys)
            keep_erased_rows(calls, partition, rows)
            calls.delete_all(row for row in rows if row[ITEM]["S"] != LEASE)
            if after is None:
                return


def _find_row_names(calls: Calls, user_id: str, memory_id: str) -> Iterator[str]:
    """Yield the sort keys of a memory's audit rows and markers."""
    yield from names_from(calls, user_id, f"{AUDIT}{memory_id}#")
    for kind in (CONTENT, KEY):
        condition, values = partition_condition(user_id, kind)
        with_holder = {**values, ":holder": {"S": memory_id}}
        rows = calls.rows(condition, with_holder, FilterExpression=f"#{HOLDER} = :holder", ConsistentRead=True)
        yield from (row[ITEM]["S"] for row in rows)


def _get_raw_record(item: Item) -> bytes:
    """Return an item's record as it is stored. If the item has no record, return all attributes but the vector as JSON."""
    if RECORD in item and "S" in item[RECORD]:
        return str(item[RECORD]["S"]).encode()
    return json.dumps({name: str(value) for name, value in item.items() if name != VECTOR}).encode()
