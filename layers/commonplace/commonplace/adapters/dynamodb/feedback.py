"""The feedback of the table: a row for each memory and query, beside the user's records."""

import math
from collections.abc import Callable, Collection, Iterator
from datetime import datetime

from commonplace.adapters.dynamodb.calls import Calls, key_of, partition_condition
from commonplace.adapters.dynamodb.client import Table
from commonplace.adapters.dynamodb.rows import HOLDER, STATUS, memory_name
from commonplace.adapters.dynamodb.table import FEEDBACK, ITEM, PURGE_AT, Action, Item
from commonplace.ports.values import MOST_RATINGS, RATINGS_KEPT, Rating

_AT_ONCE = 90  # rows that make room in one transaction


class DynamoFeedback:
    """The feedback of the table."""

    def __init__(self, table: Table) -> None:
        self._table = table

    def rate(self, user_id: str, rating: Rating) -> bool:
        calls, item = self._table.calls(), _item(user_id, rating)
        others = [row for row in _in_order(_rows(calls, user_id)) if row[ITEM] != item[ITEM]]
        surplus = others[: max(0, len(others) + 1 - MOST_RATINGS)][:_AT_ONCE]
        record = key_of(user_id, memory_name(rating.memory_id))
        is_active = Action("ConditionCheck", record, f"#{STATUS} = :active", {":active": {"S": "active"}})
        return not calls.transact([is_active, Action("Put", item), *(Action("Delete", row) for row in surplus)])

    def ratings(self, user_id: str, now: datetime) -> list[Rating]:
        rows = [row for row in _rows(self._table.calls(), user_id) if int(row[PURGE_AT]["N"]) > now.timestamp()]
        return [_rating(row) for row in _in_order(rows)]

    def forget(self, user_id: str, is_meant: Callable[[Rating], bool]) -> int:
        calls = self._table.calls()
        meant = [row for row in _rows(calls, user_id) if is_meant(_rating(row))]
        calls.delete_all(key_of(user_id, row[ITEM]["S"]) for row in meant)
        return len(meant)


def forget(calls: Calls, user_id: str, erased: Collection[str]) -> None:
    """Takes out the feedback on erased memories."""
    calls.delete_all(key_of(user_id, row[ITEM]["S"]) for row in _rows(calls, user_id) if row[HOLDER]["S"] in erased)


def _rows(calls: Calls, user_id: str) -> Iterator[Item]:
    """What is kept of a user; the table takes rows out some days after their time."""
    for page in calls.pages(*partition_condition(user_id, FEEDBACK), ConsistentRead=True):
        yield from page


def _in_order(rows: Collection[Item] | Iterator[Item]) -> list[Item]:
    return sorted(rows, key=lambda row: datetime.fromisoformat(row["at"]["S"]))


def _item(user_id: str, rating: Rating) -> Item:
    return {
        **key_of(user_id, f"{FEEDBACK}{rating.memory_id}#{rating.asked}"),
        HOLDER: {"S": rating.memory_id},
        "query": {"S": rating.query},
        "useful": {"BOOL": rating.useful},
        "at": {"S": rating.at.isoformat()},
        PURGE_AT: {"N": str(math.ceil((rating.at + RATINGS_KEPT).timestamp()))},
    }


def _rating(row: Item) -> Rating:
    at = datetime.fromisoformat(row["at"]["S"])
    return Rating(row[HOLDER]["S"], row["query"]["S"], row["useful"]["BOOL"], at)
