"""Stores external ids of memories, and hashes of erased ids. Each hash is its own partition key, so no row names the user."""

from collections.abc import Collection, Iterable, Iterator, Sequence

from commonplace.adapters.dynamodb.calls import Calls, TableAdapter, key_of, partition_condition
from commonplace.adapters.dynamodb.rows import HOLDER
from commonplace.adapters.dynamodb.table import ALIAS, ERASED, ITEM, MEMORY, Action, Item
from commonplace.domain.batching import in_batches
from commonplace.domain.ids import erased_hash
from commonplace.ports.values import Alias

_BATCH = 100
_RUN, _WITHDRAWN = "run_id", "withdrawn"
_MOST_REQUESTED = 1_000


class DynamoErasedIds(TableAdapter):
    def among(self, user_id: str, ids: Collection[str]) -> set[str]:
        """Return those of the ids and external names that were erased for this user."""
        hashed: set[str] = set()
        for batch in in_batches(ids, _MOST_REQUESTED):
            partitions = {_build_hash_partition(user_id, memory_id): memory_id for memory_id in batch}
            present = self._table.calls().get((name, ERASED) for name in partitions)  # each batch has its own deadline
            hashed |= {partitions[name] for name, _ in present}
        return hashed


class DynamoAliases(TableAdapter):
    def add(self, user_id: str, aliases: Sequence[Alias]) -> None:
        calls = self._table.calls()
        by_name = {alias.name: alias for alias in aliases}
        for batch in in_batches(by_name.values(), _BATCH):
            calls.transact([Action("Put", _build_alias_item(user_id, alias)) for alias in batch])

    def get(self, user_id: str, names: Sequence[str]) -> dict[str, str]:
        """Map names to memory ids. Unknown and withdrawn names are left out."""
        items_by_key = self._table.calls().get((user_id, f"{ALIAS}{name}") for name in names)
        aliases = [_parse_alias(item) for item in items_by_key.values()]
        return {alias.name: alias.memory_id for alias in aliases if not alias.withdrawn}

    def all(self, user_id: str) -> Iterator[Alias]:
        yield from map(_parse_alias, self._table.calls().rows(*partition_condition(user_id, ALIAS), ConsistentRead=True))


def delete_aliases(calls: Calls, user_id: str, memory_ids: Collection[str], hashed: bool) -> None:
    """Delete the aliases of erased memories. If `hashed` is true, store a hash of each alias first."""
    for page in calls.pages(*partition_condition(user_id, ALIAS), ConsistentRead=True):
        names = [row[ITEM]["S"] for row in page if row[HOLDER]["S"] in memory_ids]
        keep_erased(calls, user_id, (name.removeprefix(ALIAS) for name in names if hashed))
        calls.delete_all(key_of(user_id, name) for name in names)


def _build_alias_item(user_id: str, alias: Alias) -> Item:
    run = {} if alias.run_id is None else {_RUN: {"S": alias.run_id}}
    fields = {HOLDER: {"S": alias.memory_id}, _WITHDRAWN: {"BOOL": alias.withdrawn}}
    return {**key_of(user_id, f"{ALIAS}{alias.name}"), **fields, **run}


def _parse_alias(item: Item) -> Alias:
    run = item[_RUN]["S"] if _RUN in item else None
    return Alias(item[ITEM]["S"].removeprefix(ALIAS), item[HOLDER]["S"], run, item[_WITHDRAWN]["BOOL"])


def _build_hash_partition(user_id: str, erased_id: str) -> str:
    return f"{ERASED}{erased_hash(user_id, erased_id)}"


def erased_row(user_id: str, erased_id: str) -> Item:
    """Return the row that stores the hash of an erased id."""
    return key_of(_build_hash_partition(user_id, erased_id), ERASED)


def keep_erased(calls: Calls, user_id: str, ids: Iterable[str]) -> None:
    """Store hashes of the ids. Call this function before the data with these ids is deleted."""
    for batch in in_batches(dict.fromkeys(ids), _BATCH):
        calls.transact([Action("Put", erased_row(user_id, memory_id)) for memory_id in batch])


def keep_erased_rows(calls: Calls, user_id: str, rows: Iterable[Item]) -> None:
    """Store hashes of the memory ids and aliases in a user's rows. Call this function before the rows are deleted."""
    names = (str(row[ITEM]["S"]) for row in rows)
    keep_erased(calls, user_id, (name.partition("#")[2] for name in names if name.startswith((MEMORY, ALIAS))))
