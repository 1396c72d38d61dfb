"""Every user's records, for rebuilding an index: the whole table is read, page by page."""

from collections.abc import Iterator

from commonplace.adapters.dynamodb.client import Table
from commonplace.adapters.dynamodb.rows import readable, stored_of
from commonplace.adapters.dynamodb.table import ITEM, MEMORY
from commonplace.ports import Stored


class DynamoEverything:
    """All records of the table."""

    def __init__(self, table: Table) -> None:
        self._table = table

    def every(self) -> Iterator[Stored]:
        after = None
        while True:
            items, after = self._table.calls().scanned(f"begins_with(#{ITEM}, :prefix)", {":prefix": {"S": MEMORY}}, after)
            yield from readable(items, stored_of)
            if after is None:
                return
