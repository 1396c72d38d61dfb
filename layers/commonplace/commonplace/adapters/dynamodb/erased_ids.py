"""The hashes of what was erased from the table: each a partition of its own, which names no user."""

from collections.abc import Collection, Iterable

from commonplace.adapters.dynamodb.calls import Calls, key_of
from commonplace.adapters.dynamodb.client import Table
from commonplace.adapters.dynamodb.table import ALIAS, ERASED, ITEM, MEMORY, Action, Item
from commonplace.domain.batching import in_batches
from commonplace.domain.ids import erased_hash

_AT_ONCE, _ASKED_AT_ONCE = 100, 1_000


class DynamoErasedIds:
    """What was erased from the table."""

    def __init__(self, table: Table) -> None:
        self._table = table

    def among(self, user_id: str, ids: Collection[str]) -> set[str]:
        found: set[str] = set()
        for batch in in_batches(ids, _ASKED_AT_ONCE):
            partitions = {partition(user_id, one): one for one in batch}
            there = self._table.calls().get((name, ERASED) for name in partitions)  # each has the time of a call
            found |= {partitions[name] for name, _ in there}
        return found


def partition(user_id: str, erased_id: str) -> str:
    """The partition of what was erased."""
    return f"{ERASED}{erased_hash(user_id, erased_id)}"


def row(user_id: str, erased_id: str) -> Item:
    """The row that says that it was erased."""
    return key_of(partition(user_id, erased_id), ERASED)


def keep(calls: Calls, user_id: str, ids: Iterable[str]) -> None:
    """Keeps the hashes of ids before what is left of them goes."""
    for batch in in_batches(dict.fromkeys(ids), _AT_ONCE):
        calls.transact([Action("Put", row(user_id, one)) for one in batch])


def keep_of_rows(calls: Calls, user_id: str, rows: Iterable[Item]) -> None:
    """The same for the memories and the aliases among the rows of a user who leaves."""
    names = (str(one[ITEM]["S"]) for one in rows)
    keep(calls, user_id, (name.partition("#")[2] for name in names if name.startswith((MEMORY, ALIAS))))
