"""Everything of one user goes from the table, some rows at a time."""

from commonplace.adapters.dynamodb.actions import Action
from commonplace.adapters.dynamodb.calls import key_of, of_partition
from commonplace.adapters.dynamodb.client import Table
from commonplace.adapters.dynamodb.table import ITEM, LEASE, USAGE, USER
from commonplace.batches import in_batches

_KEYS_AT_ONCE = 1_000
_ROWS_AT_ONCE = 10  # of up to 400 KB, in a transaction of 4 MB


class DynamoErasure:
    """The users of the table. What a day's budget counted of them goes by itself after three days."""

    def __init__(self, table: Table) -> None:
        self._table = table

    def erase(self, user_id: str) -> None:
        self._empty(f"{USAGE}{user_id}")
        self._empty(user_id)
        self._table.calls().transact([Action("Delete", key_of(user_id, LEASE))])  # last: until then no run begins

    def _empty(self, partition: str) -> None:
        condition, values = of_partition(partition)
        after = None
        while True:
            calls = self._table.calls()  # each has the time of a call: nobody waits for all of them at once
            keys = {"ConsistentRead": True, "Limit": _KEYS_AT_ONCE, "ProjectionExpression": f"#{USER},#{ITEM}"}
            rows, after = calls.page(condition, values, after, **keys)
            for batch in in_batches((row for row in rows if row[ITEM]["S"] != LEASE), _ROWS_AT_ONCE):
                self._table.calls().transact([Action("Delete", row) for row in batch])
            if after is None:
                return
