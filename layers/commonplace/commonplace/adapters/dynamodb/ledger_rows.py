"""An interaction as rows of the table, and the changes when it is recorded, read, reread or loses its text."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from ulid import ULID

from commonplace.adapters.dynamodb.calls import key_of
from commonplace.adapters.dynamodb.long_texts import packed, unpacked
from commonplace.adapters.dynamodb.table import (
    ABSENT,
    DUE,
    INTERACTION,
    PRESENT,
    QUEUE,
    READ,
    SINCE,
    TODO,
    Action,
    Item,
    queue_of,
)
from commonplace.domain.fields import nearest_moment
from commonplace.domain.interactions import Interaction
from commonplace.domain.kept import kept_interaction
from commonplace.ports.night import LedgerEntry, LedgerMark

BODY = "body"
ALWAYS_DUE = datetime.fromtimestamp(0, UTC)
"""Since when a user is due who has something pending: before any text was read."""


@dataclass(frozen=True)
class StoredInteraction:
    """An entry and the name of the row that lists it, if one does."""

    entry: LedgerEntry
    listed: str | None


def interaction_name(interaction_id: str) -> str:
    """The sort key of an interaction."""
    return f"{INTERACTION}{interaction_id}"


def sorted_time(at: datetime) -> str:
    """A moment as a text that sorts by time, whatever its zone."""
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def stored_interaction(item: Item) -> StoredInteraction:
    """The entry of a row."""
    read_at = item["read_at"]["S"] if "read_at" in item else None
    entry = LedgerEntry(
        interaction_id=item["id"]["S"],
        time=nearest_moment(datetime.fromisoformat(item["time"]["S"])),
        state=item["state"]["S"],
        recorded_at=datetime.fromisoformat(item["recorded_at"]["S"]),
        interaction=kept_interaction(unpacked(item[BODY])) if BODY in item else None,
        run_id=item["run_id"]["S"] if "run_id" in item else None,
        read_at=datetime.fromisoformat(read_at) if read_at else None,
        failures=int(item["failures"]["N"]),
    )
    return StoredInteraction(entry, item["listed"]["S"] if "listed" in item else None)


def new_rows(user_id: str, interaction: Interaction, at: datetime) -> list[Action]:
    """A new interaction, and the row that lists it as pending."""
    todo = f"{TODO}{sorted_time(interaction.time)}#{interaction.id}"
    row = {
        **key_of(user_id, interaction_name(interaction.id)),
        "id": {"S": interaction.id},
        "time": {"S": interaction.time.isoformat()},
        "state": {"S": "pending"},
        "recorded_at": {"S": at.isoformat()},
        "failures": {"N": "0"},
        "listed": {"S": todo},
        BODY: packed(interaction.model_dump_json()),
    }
    return [Action("Put", row, ABSENT), _listing(user_id, todo, interaction.id)]


def marked(user_id: str, one: StoredInteraction, mark: LedgerMark, run_id: str, at: datetime) -> list[Action]:
    """The changes that mark an interaction with the result of a run."""
    entry = one.entry
    if mark.state == "pending":
        return [_set(user_id, entry, {"failures": {"N": str(mark.failures)}, "run_id": {"S": run_id}})]
    listed = f"{READ}{sorted_time(at)}#{entry.interaction_id}"
    values = {
        "state": {"S": mark.state},
        "failures": {"N": str(mark.failures)},
        "run_id": {"S": run_id},
        "read_at": {"S": at.isoformat()},
        "listed": {"S": listed},
    }
    return [
        *_unlisted(user_id, one, but=listed),
        _set(user_id, entry, values),
        _listing(user_id, listed, entry.interaction_id),
    ]


def pending_again(user_id: str, one: StoredInteraction) -> list[Action]:
    """The changes that make an interaction pending again, its failures reset."""
    entry = one.entry
    todo = f"{TODO}{sorted_time(entry.time)}#{entry.interaction_id}"
    values = {"state": {"S": "pending"}, "failures": {"N": "0"}, "listed": {"S": todo}}
    again = _set(user_id, entry, values, removed=("read_at",))
    return [*_unlisted(user_id, one), again, _listing(user_id, todo, entry.interaction_id)]


def without_text(user_id: str, one: StoredInteraction) -> list[Action]:
    """The changes that drop its text; a pending interaction then counts as read."""
    state = "read" if one.entry.state == "pending" else one.entry.state
    return [
        *_unlisted(user_id, one),
        _set(user_id, one.entry, {"state": {"S": state}}, removed=(BODY, "listed")),
    ]


def due_row(user_id: str) -> Action:
    """That the user has something pending: `last` is another with each record."""
    values = {
        ":queue": {"S": queue_of(DUE, user_id)},
        ":since": {"N": str(round(ALWAYS_DUE.timestamp() * 1000))},
        ":last": {"S": str(ULID())},
    }
    change = f"SET #{QUEUE} = :queue, #last = :last, #{SINCE} = :since"
    return Action("Update", key_of(user_id, DUE), values=values, change=change)


def _set(user_id: str, entry: LedgerEntry, values: Mapping[str, Any], removed: tuple[str, ...] = ()) -> Action:
    change = "SET " + ", ".join(f"#{name} = :{name}" for name in values)
    if removed:
        change += " REMOVE " + ", ".join(f"#{name}" for name in removed)
    named = {f":{name}": value for name, value in values.items()}
    return Action("Update", key_of(user_id, interaction_name(entry.interaction_id)), PRESENT, named, change)


def _listing(user_id: str, name: str, interaction_id: str) -> Action:
    return Action("Put", {**key_of(user_id, name), "id": {"S": interaction_id}})


def _unlisted(user_id: str, one: StoredInteraction, but: str | None = None) -> list[Action]:
    return [Action("Delete", key_of(user_id, one.listed))] if one.listed and one.listed != but else []
