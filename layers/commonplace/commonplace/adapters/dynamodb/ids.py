"""External ids of memories as rows, and hashes of erased ids, each a partition that names no user."""

from collections.abc import Collection, Iterable, Iterator, Sequence

from commonplace.adapters.dynamodb.calls import Calls, Table, key_of, partition_condition
from commonplace.adapters.dynamodb.rows import HOLDER
from commonplace.adapters.dynamodb.table import ALIAS, ERASED, ITEM, MEMORY, Action, Item
from commonplace.domain.batching import in_batches
from commonplace.domain.ids import erased_hash
from commonplace.ports.values import Alias

_BATCH = 100
_RUN, _WITHDRAWN = "run_id", "withdrawn"
_MOST_REQUESTED = 1_000


class DynamoErasedIds:
    """The erased ids of the table."""

    def __init__(self, table: Table) -> None:
        self._table = table

    def among(self, user_id: str, ids: Collection[str]) -> set[str]:
        found: set[str] = set()
        for batch in in_batches(ids, _MOST_REQUESTED):
            partitions = {_partition(user_id, one): one for one in batch}
            there = self._table.calls().get((name, ERASED) for name in partitions)  # each batch has its own deadline
            found |= {partitions[name] for name, _ in there}
        return found


class DynamoAliases:
    """The aliases of the table."""

    def __init__(self, table: Table) -> None:
        self._table = table

    def add(self, user_id: str, aliases: Sequence[Alias]) -> None:
        calls = self._table.calls()
        by_name = {one.name: one for one in aliases}
        for batch in in_batches(by_name.values(), _BATCH):
            calls.transact([Action("Put", _item(user_id, one)) for one in batch])

    def get(self, user_id: str, names: Sequence[str]) -> dict[str, str]:
        found = self._table.calls().get((user_id, f"{ALIAS}{name}") for name in names)
        aliases = [_alias(item) for item in found.values()]
        return {one.name: one.memory_id for one in aliases if not one.withdrawn}

    def all(self, user_id: str) -> Iterator[Alias]:
        for page in self._table.calls().pages(*partition_condition(user_id, ALIAS), ConsistentRead=True):
            yield from map(_alias, page)


def forget_aliases(calls: Calls, user_id: str, erased: Collection[str], forgotten: bool) -> None:
    """Delete the aliases of erased memories. `forgotten`: store a hash of each."""
    for page in calls.pages(*partition_condition(user_id, ALIAS), ConsistentRead=True):
        names = [row[ITEM]["S"] for row in page if row[HOLDER]["S"] in erased]
        keep_erased(calls, user_id, (name.removeprefix(ALIAS) for name in names if forgotten))
        calls.delete_all(key_of(user_id, name) for name in names)


def _item(user_id: str, alias: Alias) -> Item:
    run = {} if alias.run_id is None else {_RUN: {"S": alias.run_id}}
    held = {HOLDER: {"S": alias.memory_id}, _WITHDRAWN: {"BOOL": alias.withdrawn}}
    return {**key_of(user_id, f"{ALIAS}{alias.name}"), **held, **run}


def _alias(item: Item) -> Alias:
    run = item[_RUN]["S"] if _RUN in item else None
    return Alias(item[ITEM]["S"].removeprefix(ALIAS), item[HOLDER]["S"], run, item[_WITHDRAWN]["BOOL"])


def _partition(user_id: str, erased_id: str) -> str:
    return f"{ERASED}{erased_hash(user_id, erased_id)}"


def erased_row(user_id: str, erased_id: str) -> Item:
    """Return the row that marks an id as erased."""
    return key_of(_partition(user_id, erased_id), ERASED)


def keep_erased(calls: Calls, user_id: str, ids: Iterable[str]) -> None:
    """Store the hashes of ids, before their data is deleted."""
    for batch in in_batches(dict.fromkeys(ids), _BATCH):
        calls.transact([Action("Put", erased_row(user_id, one)) for one in batch])


def keep_erased_rows(calls: Calls, user_id: str, rows: Iterable[Item]) -> None:
    """Store the hashes of the memories and aliases among a user's rows to be erased."""
    names = (str(one[ITEM]["S"]) for one in rows)
    keep_erased(calls, user_id, (name.partition("#")[2] for name in names if name.startswith((MEMORY, ALIAS))))
