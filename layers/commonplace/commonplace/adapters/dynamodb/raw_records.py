"""All that is kept of a user's memories in the table, as it is kept."""

import json
from collections.abc import Iterator

from commonplace.adapters.dynamodb.calls import partition_condition
from commonplace.adapters.dynamodb.client import Table
from commonplace.adapters.dynamodb.rows import RECORD, VECTOR, audit_of, memory_of, readable, used_name
from commonplace.adapters.dynamodb.table import AUDIT, ITEM, MEMORY, USED, Item
from commonplace.ports.record_values import Audit, RawRecord


class DynamoRawRecords:
    """The records of the table. Records, counts and audit rows are three queries over ids in the same order."""

    def __init__(self, table: Table) -> None:
        self._table = table

    def rows(self, user_id: str) -> Iterator[RawRecord]:
        audits, used = _Followed(self._items(user_id, AUDIT), AUDIT), _Followed(self._items(user_id, USED), USED)
        for item in self._items(user_id, MEMORY):
            memory_id = str(item[ITEM]["S"]).removeprefix(MEMORY)
            counts = {one[ITEM]["S"]: one for one in used.of(memory_id)}.get(used_name(memory_id))
            steps = dict(map(_step, audits.of(memory_id)))
            memory = readable(item, lambda one, counts=counts: memory_of(one, counts))  # type: ignore[misc]
            yield RawRecord(memory_id, _raw(item), memory, steps)

    def _items(self, user_id: str, prefix: str) -> Iterator[Item]:
        condition, values = partition_condition(user_id, prefix)
        after = None
        while True:
            # each page has the time of a call: nobody waits for all of them at once
            items, after = self._table.calls().page(condition, values, after, ConsistentRead=True)
            yield from items
            if after is None:
                return


class _Followed:
    """Rows in the order of their memories' ids, taken memory by memory."""

    def __init__(self, items: Iterator[Item], prefix: str) -> None:
        self._items, self._prefix = items, prefix
        self._next = next(items, None)

    def of(self, memory_id: str) -> list[Item]:
        """The rows of a memory; those of memories before it are passed over."""
        found = list[Item]()
        while self._next is not None and (named := self._memory_id(self._next)) <= memory_id:
            found += [self._next] if named == memory_id else []
            self._next = next(self._items, None)
        return found

    def _memory_id(self, item: Item) -> str:
        return str(item[ITEM]["S"]).removeprefix(self._prefix).partition("#")[0]


def _step(item: Item) -> tuple[int, Audit]:
    return int(item[ITEM]["S"].rpartition("#")[2]), audit_of(item)


def _raw(item: Item) -> bytes:
    """The record as it is kept; of an item without one all that can be told of it, but for its vector."""
    if RECORD in item and "S" in item[RECORD]:
        return str(item[RECORD]["S"]).encode()
    return json.dumps({name: str(value) for name, value in item.items() if name != VECTOR}).encode()
