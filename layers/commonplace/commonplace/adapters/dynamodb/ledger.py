"""The ledger of the table: the users' interactions, and which of them a run has read.

An interaction is a row under its id. While it is pending, a row `todo#<time>#<id>` lists it in order of time; once it is
read, a row `read#<when>#<id>` does, until its text is dropped. Row and list change in one transaction. A user with anything
pending has the row `due`, which the sparse index lists over all users.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from itertools import islice

from commonplace.adapters.dynamodb.calls import Calls, partition_condition
from commonplace.adapters.dynamodb.client import Table
from commonplace.adapters.dynamodb.ledger_rows import (
    ALWAYS_DUE,
    StoredInteraction,
    due_row,
    interaction_name,
    new_rows,
    pending_again,
    sorted_time,
    stored_interaction,
    without_text,
)
from commonplace.adapters.dynamodb.pending import waiting_rows
from commonplace.adapters.dynamodb.table import DUE, ITEM, READ, SINCE, TODO, USER, Action
from commonplace.domain.batching import in_batches
from commonplace.domain.interactions import Interaction
from commonplace.ports.night import LedgerEntry

_ROWS_PER_CALL = 30  # interactions to a transaction, of three actions each
_BYTES = 3_000_000  # of 4 MB


class DynamoLedger:
    """The ledger of the table."""

    def __init__(self, table: Table) -> None:
        self._table = table

    def record(self, user_id: str, interactions: Sequence[Interaction], at: datetime) -> list[bool]:
        first: dict[str, int] = {}
        for number, interaction in enumerate(interactions):
            first.setdefault(interaction.id, number)
        calls = self._table.calls()
        known = {one.entry.interaction_id for one in _read(calls, user_id, list(first))}
        new = [number for name, number in first.items() if name not in known]
        recorded: set[int] = set()
        rows = ((number, new_rows(user_id, interactions[number], at)) for number in reversed(new))
        for batch in in_batches(rows, _ROWS_PER_CALL, _weight, _BYTES):
            recorded |= _recorded(calls, batch, due_row(user_id))
        return [number in recorded for number in range(len(interactions))]

    def pending(self, user_id: str, limit: int) -> list[LedgerEntry]:
        calls = self._table.calls()
        pages = calls.pages(*partition_condition(user_id, TODO), ConsistentRead=True, Limit=max(1, limit))
        found = islice((row["id"]["S"] for page in pages for row in page), limit)
        return [one.entry for one in _read(calls, user_id, list(found))]

    def entries(self, user_id: str, interaction_ids: Sequence[str]) -> list[LedgerEntry]:
        return [one.entry for one in _read(self._table.calls(), user_id, interaction_ids)]

    def reread(self, user_id: str, interaction_ids: Sequence[str]) -> int:
        calls, count = self._table.calls(), 0
        again = [
            one
            for one in _read(calls, user_id, interaction_ids)
            if one.entry.interaction is not None and one.entry.state != "pending"
        ]
        for batch in in_batches(again, _ROWS_PER_CALL):
            actions = [action for one in batch for action in pending_again(user_id, one)]
            if not calls.transact([*actions, due_row(user_id)]):
                count += len(batch)
        return count

    def drop_texts(self, user_id: str, now: datetime, kept: timedelta) -> int:
        calls, count = self._table.calls(), 0
        condition = f"#{USER} = :user AND #{ITEM} BETWEEN :first AND :last"
        span = {":user": {"S": user_id}, ":first": {"S": READ}, ":last": {"S": f"{READ}{sorted_time(now - kept)}"}}
        for page in calls.pages(condition, span, ConsistentRead=True, Limit=_ROWS_PER_CALL):
            with_texts = _read(calls, user_id, [row["id"]["S"] for row in page])
            for batch in in_batches(with_texts, _ROWS_PER_CALL):
                if not calls.transact([action for one in batch for action in without_text(user_id, one)]):
                    count += len(batch)
        settle_due(self._table, user_id)
        return count

    def erase_texts(self, user_id: str, interaction_ids: Sequence[str]) -> None:
        calls = self._table.calls()
        for batch in in_batches(_read(calls, user_id, interaction_ids), _ROWS_PER_CALL):
            calls.transact([action for one in batch for action in without_text(user_id, one)])
        settle_due(self._table, user_id)

    def due(self, texts_before: datetime | None = None) -> Iterator[str]:
        for rows in waiting_rows(self._table, DUE, texts_before or ALWAYS_DUE + timedelta(milliseconds=1)):
            yield from (row[USER]["S"] for row in rows)


def settle_due(table: Table, user_id: str) -> None:
    """A user with nothing pending is due since the oldest text that was read, or not at all.

    What is recorded at this moment keeps the row as it is.
    """
    calls = table.calls()
    row = calls.one(user_id, DUE)
    todo, _ = calls.page(*partition_condition(user_id, TODO), ConsistentRead=True, Limit=1)
    if row is None or todo:
        return
    texts, _ = calls.page(*partition_condition(user_id, READ), ConsistentRead=True, Limit=1)
    if texts:
        since = {":since": {"N": str(_milliseconds(texts[0][ITEM]["S"]))}, ":last": row["last"]}
        calls.update(user_id, DUE, f"SET #{SINCE} = :since", "#last = :last", since)
    else:
        calls.delete(user_id, DUE, "#last = :last", {":last": row["last"]})


def _milliseconds(listed: str) -> int:
    """When a text was read, by the name of the row that lists it."""
    return round(datetime.fromisoformat(listed.removeprefix(READ).partition("#")[0]).timestamp() * 1000)


def _read(calls: Calls, user_id: str, interaction_ids: Sequence[str]) -> list[StoredInteraction]:
    keys = [(user_id, interaction_name(name)) for name in dict.fromkeys(interaction_ids)]
    found = calls.get(keys)
    return [stored_interaction(found[key]) for key in keys if key in found]


def _weight(numbered: tuple[int, list[Action]]) -> int:
    return sum(action.size for action in numbered[1])


def _recorded(calls: Calls, batch: list[tuple[int, list[Action]]], due: Action) -> set[int]:
    """The numbers of those that were new; one that somebody else records at this moment is theirs."""
    waiting = dict(batch)
    while waiting:
        actions = [(number, action) for number, own in waiting.items() for action in own]
        refusals = calls.transact([*(action for _, action in actions), due])
        if not refusals:
            break
        for refusal in refusals:
            waiting.pop(actions[refusal.place][0], None)
    return set(waiting)
