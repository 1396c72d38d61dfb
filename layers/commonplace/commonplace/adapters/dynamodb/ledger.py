"""Stores the ledger in the table. The ledger contains users' interactions, and records which of them a run has read.

Each interaction is one row under its id. A row `todo#<time>#<id>` lists a pending interaction by time. A row
`read#<when>#<id>` lists an interaction that was read, until its text is dropped. Both rows change in one transaction. A user
with pending interactions or stored texts has a row `due`. The sparse index lists the `due` rows of all users.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import Any

from ulid import ULID

from commonplace.adapters.dynamodb.calls import Calls, Table, TableAdapter, key_of, partition_condition
from commonplace.adapters.dynamodb.long_texts import packed, unpacked
from commonplace.adapters.dynamodb.pending import waiting_rows
from commonplace.adapters.dynamodb.table import (
    ABSENT,
    DUE,
    INTERACTION,
    ITEM,
    PRESENT,
    QUEUE,
    READ,
    SINCE,
    TODO,
    USER,
    Action,
    Item,
    queue_of,
)
from commonplace.domain.batching import in_batches
from commonplace.domain.fields import nearest_moment
from commonplace.domain.interactions import Interaction, message_count, parse_interaction
from commonplace.ports.night import LedgerEntry, LedgerMark

BODY = "body"
ALWAYS_DUE = datetime.fromtimestamp(0, UTC)
"""The due time for users with pending interactions, which is earlier than that of any text that was read."""


@dataclass(frozen=True)
class StoredInteraction:
    """A ledger entry. `listed` is the sort key of the `todo#` or `read#` row that lists the entry, or None if no row does."""

    entry: LedgerEntry
    listed: str | None


def interaction_name(interaction_id: str) -> str:
    """Return the sort key of an interaction."""
    return f"{INTERACTION}{interaction_id}"


def sorted_time(at: datetime) -> str:
    """Format a datetime in UTC, so that the strings sort in chronological order."""
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def stored_interaction(item: Item) -> StoredInteraction:
    """Parse the ledger entry that a row stores."""
    read_at = item["read_at"]["S"] if "read_at" in item else None
    entry = LedgerEntry(
        interaction_id=item["id"]["S"],
        time=nearest_moment(datetime.fromisoformat(item["time"]["S"])),
        state=item["state"]["S"],
        recorded_at=datetime.fromisoformat(item["recorded_at"]["S"]),
        interaction=parse_interaction(unpacked(item[BODY])) if BODY in item else None,
        run_id=item["run_id"]["S"] if "run_id" in item else None,
        read_at=datetime.fromisoformat(read_at) if read_at else None,
        failures=int(item["failures"]["N"]),
        messages=int(item["messages"]["N"]),
    )
    return StoredInteraction(entry, item["listed"]["S"] if "listed" in item else None)


def new_rows(user_id: str, interaction: Interaction, at: datetime) -> list[Action]:
    """Return the actions that store a new interaction and list it as pending in a `todo#` row."""
    todo = f"{TODO}{sorted_time(interaction.time)}#{interaction.id}"
    row = {
        **key_of(user_id, interaction_name(interaction.id)),
        "id": {"S": interaction.id},
        "time": {"S": interaction.time.isoformat()},
        "state": {"S": "pending"},
        "recorded_at": {"S": at.isoformat()},
        "failures": {"N": "0"},
        "messages": {"N": str(message_count(interaction))},
        "listed": {"S": todo},
        BODY: packed(interaction.model_dump_json()),
    }
    return [Action("Put", row, ABSENT), _build_listing_row(user_id, todo, interaction.id)]


def marked(user_id: str, interaction: StoredInteraction, mark: LedgerMark, run_id: str, at: datetime) -> list[Action]:
    """Return the actions that mark an interaction with the result of a run."""
    entry = interaction.entry
    if mark.state == "pending":
        return [_build_update(user_id, entry, {"failures": {"N": str(mark.failures)}, "run_id": {"S": run_id}})]
    listed = f"{READ}{sorted_time(at)}#{entry.interaction_id}"
    values = {
        "state": {"S": mark.state},
        "failures": {"N": str(mark.failures)},
        "run_id": {"S": run_id},
        "read_at": {"S": at.isoformat()},
        "listed": {"S": listed},
    }
    return [
        *_unlist(user_id, interaction, but=listed),
        _build_update(user_id, entry, values),
        _build_listing_row(user_id, listed, entry.interaction_id),
    ]


def reopen(user_id: str, interaction: StoredInteraction) -> list[Action]:
    """Return the actions that make an interaction pending again and reset its failures."""
    entry = interaction.entry
    todo = f"{TODO}{sorted_time(entry.time)}#{entry.interaction_id}"
    values = {"state": {"S": "pending"}, "failures": {"N": "0"}, "listed": {"S": todo}}
    update = _build_update(user_id, entry, values, removed=("read_at",))
    return [*_unlist(user_id, interaction), update, _build_listing_row(user_id, todo, entry.interaction_id)]


def without_text(user_id: str, interaction: StoredInteraction) -> list[Action]:
    """Return the actions that drop an interaction's text. Without its text, a pending interaction counts as read."""
    entry = interaction.entry
    state = "read" if entry.state == "pending" else entry.state
    update = _build_update(user_id, entry, {"state": {"S": state}}, removed=(BODY, "listed"))
    return [*_unlist(user_id, interaction), update]


def due_row(user_id: str) -> Action:
    """Return the action that marks a user as due. The new value of `last` lets `settle_due` detect concurrent changes."""
    values = {
        ":queue": {"S": queue_of(DUE, user_id)},
        ":since": {"N": str(round(ALWAYS_DUE.timestamp() * 1000))},
        ":last": {"S": str(ULID())},
    }
    change = f"SET #{QUEUE} = :queue, #last = :last, #{SINCE} = :since"
    return Action("Update", key_of(user_id, DUE), values=values, change=change)


def _build_update(user_id: str, entry: LedgerEntry, values: Mapping[str, Any], removed: tuple[str, ...] = ()) -> Action:
    change = "SET " + ", ".join(f"#{name} = :{name}" for name in values)
    if removed:
        change += " REMOVE " + ", ".join(f"#{name}" for name in removed)
    named = {f":{name}": value for name, value in values.items()}
    return Action("Update", key_of(user_id, interaction_name(entry.interaction_id)), PRESENT, named, change)


def _build_listing_row(user_id: str, name: str, interaction_id: str) -> Action:
    return Action("Put", {**key_of(user_id, name), "id": {"S": interaction_id}})


def _unlist(user_id: str, interaction: StoredInteraction, but: str | None = None) -> list[Action]:
    """Return the action that deletes the row listing an interaction. Return [] if there is no such row, or if it is `but`."""
    return [Action("Delete", key_of(user_id, interaction.listed))] if interaction.listed and interaction.listed != but else []


_ROWS_PER_CALL = 30  # interactions per transaction; each needs up to three actions
_BYTES = 3_000_000  # a transaction is limited to 4 MB


class DynamoLedger(TableAdapter):
    def record(self, user_id: str, interactions: Sequence[Interaction], at: datetime) -> list[bool]:
        """Store new interactions as pending. Returns for each interaction whether it was new."""
        first: dict[str, int] = {}
        for number, interaction in enumerate(interactions):
            first.setdefault(interaction.id, number)
        calls = self._table.calls()
        known = {interaction.entry.interaction_id for interaction in _load_interactions(calls, user_id, list(first))}
        new = [number for name, number in first.items() if name not in known]
        recorded: set[int] = set()
        rows = ((number, new_rows(user_id, interactions[number], at)) for number in reversed(new))
        for batch in in_batches(rows, _ROWS_PER_CALL, lambda row: sum(action.size for action in row[1]), _BYTES):
            recorded |= _record_batch(calls, batch, due_row(user_id))
        return [number in recorded for number in range(len(interactions))]

    def pending(self, user_id: str, limit: int) -> list[LedgerEntry]:
        calls = self._table.calls()
        rows = calls.rows(*partition_condition(user_id, TODO), ConsistentRead=True, Limit=max(1, limit))
        ids = (row["id"]["S"] for row in islice(rows, limit))
        return [interaction.entry for interaction in _load_interactions(calls, user_id, list(ids))]

    def entries(self, user_id: str, interaction_ids: Sequence[str]) -> list[LedgerEntry]:
        return [interaction.entry for interaction in _load_interactions(self._table.calls(), user_id, interaction_ids)]

    def reread(self, user_id: str, interaction_ids: Sequence[str]) -> int:
        """Make interactions pending without failures, unless they are pending or have no text. Returns how many."""
        calls, count = self._table.calls(), 0
        interactions = [
            interaction
            for interaction in _load_interactions(calls, user_id, interaction_ids)
            if interaction.entry.interaction is not None and interaction.entry.state != "pending"
        ]
        for batch in in_batches(interactions, _ROWS_PER_CALL):
            actions = [action for interaction in batch for action in reopen(user_id, interaction)]
            if not calls.transact([*actions, due_row(user_id)]):
                count += len(batch)
        return count

    def drop_texts(self, user_id: str, now: datetime, retention: timedelta) -> int:
        """Delete the texts that a run read more than `retention` ago. Returns the number of deleted texts."""
        calls, count = self._table.calls(), 0
        condition = f"#{USER} = :user AND #{ITEM} BETWEEN :first AND :last"
        span = {":user": {"S": user_id}, ":first": {"S": READ}, ":last": {"S": f"{READ}{sorted_time(now - retention)}"}}
        for page in calls.pages(condition, span, ConsistentRead=True, Limit=_ROWS_PER_CALL):
            with_texts = _load_interactions(calls, user_id, [row["id"]["S"] for row in page])
            for batch in in_batches(with_texts, _ROWS_PER_CALL):
                if not calls.transact([action for interaction in batch for action in without_text(user_id, interaction)]):
                    count += len(batch)
        settle_due(self._table, user_id)
        return count

    def erase_texts(self, user_id: str, interaction_ids: Sequence[str]) -> None:
        """Delete the texts of interactions. A pending interaction counts as read afterwards."""
        calls = self._table.calls()
        for batch in in_batches(_load_interactions(calls, user_id, interaction_ids), _ROWS_PER_CALL):
            calls.transact([action for interaction in batch for action in without_text(user_id, interaction)])
        settle_due(self._table, user_id)

    def due(self, texts_before: datetime | None = None) -> Iterator[str]:
        """Yield the users with pending interactions or with texts that a run read before `texts_before`."""
        for rows in waiting_rows(self._table, DUE, texts_before or ALWAYS_DUE + timedelta(milliseconds=1)):
            yield from (row[USER]["S"] for row in rows)


def settle_due(table: Table, user_id: str) -> None:
    """Update a user's `due` row if no interaction is pending. Delete the row if no read interaction has a text left."""
    calls = table.calls()
    row = calls.get_item(user_id, DUE)
    todo, _ = calls.page(*partition_condition(user_id, TODO), ConsistentRead=True, Limit=1)
    if row is None or todo:
        return
    texts, _ = calls.page(*partition_condition(user_id, READ), ConsistentRead=True, Limit=1)
    if texts:
        read_at = datetime.fromisoformat(texts[0][ITEM]["S"].removeprefix(READ).partition("#")[0])
        since = {":since": {"N": str(round(read_at.timestamp() * 1000))}, ":last": row["last"]}
        calls.update(user_id, DUE, f"SET #{SINCE} = :since", "#last = :last", since)
    else:
        calls.delete(user_id, DUE, "#last = :last", {":last": row["last"]})


def _load_interactions(calls: Calls, user_id: str, interaction_ids: Sequence[str]) -> list[StoredInteraction]:
    keys = [(user_id, interaction_name(name)) for name in dict.fromkeys(interaction_ids)]
    items_by_key = calls.get(keys)
    return [stored_interaction(items_by_key[key]) for key in keys if key in items_by_key]


def _record_batch(calls: Calls, batch: list[tuple[int, list[Action]]], due: Action) -> set[int]:
    """Record a batch, and return the numbers of the new interactions that no other call recorded first."""
    waiting = dict(batch)
    while waiting:
        actions = [(number, action) for number, own in waiting.items() for action in own]
        refusals = calls.transact([*(action for _, action in actions), due])
        if not refusals:
            break
        for refusal in refusals:
            waiting.pop(actions[refusal.place][0], None)
    return set(waiting)
