"""The search log of the table: a row a search, in a partition beside the user's."""

import logging
import math
from collections.abc import Callable, Iterator
from datetime import UTC, datetime

from ulid import ULID

from commonplace.adapters.dynamodb.calls import partition_condition
from commonplace.adapters.dynamodb.client import Table
from commonplace.adapters.dynamodb.table import ITEM, PURGE_AT, SEARCHED, USER, Item
from commonplace.domain.errors import CommonplaceError
from commonplace.ports.values import SEARCHES_KEPT, LoggedSearch

_log = logging.getLogger("commonplace")
_PATIENCE = 0.5  # seconds: an answer stands behind it


class DynamoSearchLog:
    """The search log of the table. What can't be written at once is lost. `on`: whether searches are kept."""

    def __init__(self, table: Table, on: bool = True, clock: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self._table, self._on, self._clock = table, on, clock

    def is_on(self) -> bool:
        return self._on

    def searched(self, user_id: str, search: LoggedSearch) -> None:
        if not self._on:
            return
        now = self._clock()
        item = {
            USER: {"S": f"{SEARCHED}{user_id}"},
            ITEM: {"S": str(ULID.from_datetime(now))},
            "query": {"S": search.query},
            "found": {"N": str(search.found)},
            "at": {"S": search.at.isoformat()},
            PURGE_AT: {"N": str(math.ceil((now + SEARCHES_KEPT).timestamp()))},
        }
        try:
            self._table.calls(_PATIENCE).put(item)
        except CommonplaceError as error:
            _log.warning("a search was not logged: %s", error)

    def searches(self, user_id: str) -> list[LoggedSearch]:
        return [
            LoggedSearch(row["query"]["S"], int(row["found"]["N"]), datetime.fromisoformat(row["at"]["S"]))
            for row in self._rows(user_id)
        ]

    def forget(self, user_id: str, is_meant: Callable[[str], bool]) -> int:
        meant = [row for row in self._rows(user_id) if is_meant(row["query"]["S"])]
        self._table.calls().delete_all({USER: row[USER], ITEM: row[ITEM]} for row in meant)
        return len(meant)

    def _rows(self, user_id: str) -> Iterator[Item]:
        """What is kept; the table takes rows out some days after their time."""
        now = self._clock().timestamp()
        after = None
        while True:
            condition = partition_condition(f"{SEARCHED}{user_id}")
            rows, after = self._table.calls().page(*condition, after, ConsistentRead=True)  # each page has the time of a call
            yield from (row for row in rows if int(row[PURGE_AT]["N"]) > now)
            if after is None:
                return
