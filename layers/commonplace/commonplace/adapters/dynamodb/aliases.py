"""The aliases of the table: a row for each id that a memory had elsewhere."""

from collections.abc import Collection, Iterator, Sequence

from commonplace.adapters.dynamodb import erased_ids
from commonplace.adapters.dynamodb.calls import Calls, key_of, partition_condition
from commonplace.adapters.dynamodb.client import Table
from commonplace.adapters.dynamodb.rows import HOLDER
from commonplace.adapters.dynamodb.table import ALIAS, ITEM, Action, Item
from commonplace.domain.batching import in_batches
from commonplace.ports.record_values import Alias

_ROWS_AT_ONCE = 100
_RUN, _WITHDRAWN = "run_id", "withdrawn"


class DynamoAliases:
    """The aliases of the table."""

    def __init__(self, table: Table) -> None:
        self._table = table

    def add(self, user_id: str, aliases: Sequence[Alias]) -> None:
        calls = self._table.calls()
        by_name = {one.name: one for one in aliases}
        for batch in in_batches(by_name.values(), _ROWS_AT_ONCE):
            calls.transact([Action("Put", _item(user_id, one)) for one in batch])

    def get(self, user_id: str, names: Sequence[str]) -> dict[str, str]:
        found = self._table.calls().get((user_id, f"{ALIAS}{name}") for name in names)
        aliases = [_alias(item) for item in found.values()]
        return {one.name: one.memory_id for one in aliases if not one.withdrawn}

    def all(self, user_id: str) -> Iterator[Alias]:
        for page in self._table.calls().pages(*partition_condition(user_id, ALIAS), ConsistentRead=True):
            yield from map(_alias, page)


def forget(calls: Calls, user_id: str, erased: Collection[str], forgotten: bool) -> None:
    """Takes out the aliases of erased memories. `forgotten`: a hash of each stays."""
    for page in calls.pages(*partition_condition(user_id, ALIAS), ConsistentRead=True):
        names = [row[ITEM]["S"] for row in page if row[HOLDER]["S"] in erased]
        erased_ids.keep(calls, user_id, (name.removeprefix(ALIAS) for name in names if forgotten))
        calls.delete_all(key_of(user_id, name) for name in names)


def _item(user_id: str, alias: Alias) -> Item:
    run = {} if alias.run_id is None else {_RUN: {"S": alias.run_id}}
    held = {HOLDER: {"S": alias.memory_id}, _WITHDRAWN: {"BOOL": alias.withdrawn}}
    return {**key_of(user_id, f"{ALIAS}{alias.name}"), **held, **run}


def _alias(item: Item) -> Alias:
    run = item[_RUN]["S"] if _RUN in item else None
    return Alias(item[ITEM]["S"].removeprefix(ALIAS), item[HOLDER]["S"], run, item[_WITHDRAWN]["BOOL"])
