"""Tokens of a day: a counter per user and one for all, raised together or not at all."""

import math
from datetime import UTC, date, datetime, time, timedelta

from commonplace.adapters.dynamodb.actions import ABSENT, Action
from commonplace.adapters.dynamodb.calls import key_of
from commonplace.adapters.dynamodb.client import Table
from commonplace.adapters.dynamodb.table import BUDGET, PURGE_AT

_KEPT = timedelta(days=3)
_ALL = "all"


class DynamoBudget:
    """The counters of the table, in a partition for each day."""

    def __init__(self, table: Table) -> None:
        self._table = table

    def reserve(self, user_id: str, day: date, tokens: int, user_limit: int, limit: int) -> bool:
        if tokens > min(user_limit, limit):
            return False
        actions = [_raised(day, _of(user_id), tokens, user_limit - tokens), _raised(day, _ALL, tokens, limit - tokens)]
        return not self._table.calls().transact(actions)

    def settle(self, user_id: str, day: date, reserved: int, used: int) -> None:
        if used != reserved:
            self._table.calls().transact([_raised(day, name, used - reserved) for name in (_of(user_id), _ALL)])


def _of(user_id: str) -> str:
    return f"user#{user_id}"


def _raised(day: date, name: str, tokens: int, most_before: int | None = None) -> Action:
    key = key_of(f"{BUDGET}{day.isoformat()}", name)
    gone = math.ceil((datetime.combine(day, time(), UTC) + _KEPT).timestamp())
    values = {":tokens": {"N": str(tokens)}, ":gone": {"N": str(gone)}}
    room = None
    if most_before is not None:
        room, values[":most"] = f"{ABSENT} OR #tokens <= :most", {"N": str(most_before)}
    return Action("Update", key, room, values, f"SET #{PURGE_AT} = :gone ADD #tokens :tokens")
