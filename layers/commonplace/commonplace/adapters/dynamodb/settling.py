"""What to do when a marker of uniqueness stood in the way of a write: who holds it, and does that still count?"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from commonplace.adapters.dynamodb.actions import Action, Item
from commonplace.adapters.dynamodb.calls import Calls
from commonplace.adapters.dynamodb.failure import Refusal
from commonplace.adapters.dynamodb.rows import HOLDER, bytes_of, is_over, memory_name, memory_of
from commonplace.adapters.dynamodb.table import CONTENT, KEY
from commonplace.adapters.dynamodb.writes import Change, Write
from commonplace.models.memory import Memory
from commonplace.ports import Audit


@dataclass(frozen=True)
class Refused:
    """A write of a batch, and those of its actions that were refused, each with the item that was there."""

    write: Write
    actions: Sequence[tuple[Action, Item]]


def refused_of(batch: Iterable[tuple[Write, list[Action]]], refusals: Iterable[Refusal]) -> list[Refused]:
    """Which writes of a batch were refused, and where; the others may be written as they are."""
    by_place = {refusal.place: refusal.item for refusal in refusals}
    found, start = [], 0
    for write, actions in batch:
        hit = [(action, by_place[start + at]) for at, action in enumerate(actions) if start + at in by_place]
        start += len(actions)
        if hit:
            found.append(Refused(write, hit))
    return found


def in_the_way(calls: Calls, all_refused: Sequence[Refused], now: dict[str, datetime]) -> list[dict[str, Memory]]:
    """Of each refused write: whose active, unexpired memory holds a marker that it wants, by the marker's kind.

    A marker that doesn't count is noted in the write, to be taken over by the next attempt: its memory is gone, or has
    expired, and is archived then. `now`: by memory id, when each write happens.
    """
    keys = [
        (refused.write.change.memory.user_id, memory_name(item[HOLDER]["S"]))
        for refused in all_refused
        for _, item in refused.actions
        if HOLDER in item
    ]
    holders = calls.get(keys)
    return [_settle(refused, holders, now[refused.write.change.memory.memory_id]) for refused in all_refused]


def _settle(refused: Refused, holders: dict[tuple[str, str], Item], now: datetime) -> dict[str, Memory]:
    write, found = refused.write, {}
    # What was found out before is found out anew: another write may have come between.
    write.archived, write.stale = {}, {}
    for action, item in refused.actions:
        if HOLDER not in item:
            continue
        if action.kind == "Delete":
            write.foreign.add(action.name)
            continue
        holder_id = item[HOLDER]["S"]
        record = holders.get((write.change.memory.user_id, memory_name(holder_id)))
        holder = memory_of(record) if record is not None else None
        if record is None or holder is None or holder.status != "active":
            write.stale[action.name] = holder_id
        elif is_over(holder, now):
            write.archived[holder_id] = _archive(holder, record, now)
        else:
            found[CONTENT if action.name.startswith(CONTENT) else KEY] = holder
    return found


def _archive(expired: Memory, record: Item, now: datetime) -> Change:
    closed = expired.next_version(now, status="archived")
    audit = Audit("archive", now, {"why": "expired, and said again"})
    return Change(closed, bytes_of(record), audit, before=expired)
