"""Everything of one user goes from the table, some rows at a time."""

from commonplace.adapters.dynamodb.calls import key_of, of_partition
from commonplace.adapters.dynamodb.client import Table
from commonplace.adapters.dynamodb.table import ITEM, LEASE, USAGE, USER

_ROWS_AT_ONCE = 50  # listed and deleted within the time of a call


class DynamoErasure:
    """The users of the table. What a day's budget counted of them goes by itself after three days."""

    def __init__(self, table: Table) -> None:
        self._table = table

    def erase(self, user_id: str) -> None:
        self._empty(f"{USAGE}{user_id}")
        self._empty(user_id)
        self._table.calls().delete_all([key_of(user_id, LEASE)])  # last: until then no run begins

    def _empty(self, partition: str) -> None:
        condition, values = of_partition(partition)
        after = None
        while True:
            calls = self._table.calls()  # each has the time of a call: nobody waits for all of them at once
            keys = {"ConsistentRead": True, "Limit": _ROWS_AT_ONCE, "ProjectionExpression": f"#{USER},#{ITEM}"}
            rows, after = calls.page(condition, values, after, **keys)
            calls.delete_all(row for row in rows if row[ITEM]["S"] != LEASE)
            if after is None:
                return
