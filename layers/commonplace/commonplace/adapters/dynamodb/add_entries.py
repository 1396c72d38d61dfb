"""Stores entries, many to a transaction: written first, and compared with what is there only if a marker refuses them."""

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from commonplace.adapters.dynamodb.calls import Calls, Refusal
from commonplace.adapters.dynamodb.rows import (
    HOLDER,
    bytes_of,
    is_closed_or_expired,
    markers,
    memory_name,
    memory_of,
    readable,
    vector_bytes,
)
from commonplace.adapters.dynamodb.table import CONTENT, KEY, Action, Item
from commonplace.adapters.dynamodb.writes import RowChange, TransactionWrite, batches_of
from commonplace.domain.errors import CommonplaceError, ErrorCode
from commonplace.domain.memory import Memory
from commonplace.ports.values import Audit, Entry
from commonplace.retrieval.documents import fingerprint


@dataclass(frozen=True)
class RefusedWrite:
    """A write of a batch, and those of its actions that were refused, each with the item that was there."""

    write: TransactionWrite
    actions: Sequence[tuple[Action, Item]]


def refused_writes(batch: Iterable[tuple[TransactionWrite, list[Action]]], refusals: Iterable[Refusal]) -> list[RefusedWrite]:
    """Which writes of a batch were refused, and where; the others may be written as they are."""
    by_place = {refusal.place: refusal.item for refusal in refusals}
    found, start = [], 0
    for write, actions in batch:
        hit = [(action, by_place[start + at]) for at, action in enumerate(actions) if start + at in by_place]
        start += len(actions)
        if hit:
            found.append(RefusedWrite(write, hit))
    return found


def marker_holders(calls: Calls, all_refused: Sequence[RefusedWrite], now: dict[str, datetime]) -> list[dict[str, Memory]]:
    """Per refused write, by kind of marker: the active, unexpired memory that holds the marker.

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


def _settle(refused: RefusedWrite, holders: dict[tuple[str, str], Item], now: datetime) -> dict[str, Memory]:
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
        holder = readable(record, memory_of) if record is not None else None
        if record is None or holder is None or holder.status != "active":
            write.stale[action.name] = holder_id
        elif is_closed_or_expired(holder, now):
            write.archived[holder_id] = _archive(holder, record, now)
        else:
            found[CONTENT if action.name.startswith(CONTENT) else KEY] = holder
    return found


def _archive(expired: Memory, record: Item, now: datetime) -> RowChange:
    closed = expired.next_version(now, status="archived")
    audit = Audit("archive", now, {"why": "expired, and said again"})
    return RowChange(closed, bytes_of(record), audit, before=expired)


class EntryBatch:
    """One call of `MemoryRecords.add`."""

    def __init__(self, calls: Calls, since: datetime | None) -> None:
        self._calls, self._since = calls, since
        self._answers: dict[int, tuple[Memory, bool]] = {}
        self._there: dict[str, Memory] = {}

    def add(self, entries: Sequence[Entry]) -> list[tuple[Memory, bool]]:
        """Stores the entries; returns for each what is there, and whether it is new."""
        writes = [TransactionWrite(RowChange(entry.memory, vector_bytes(entry.vector), entry.audit)) for entry in entries]
        for write in writes:
            write.actions(self._since)  # what can't be written at all fails here, before anything is
        waiting = dict(enumerate(writes))
        while waiting:
            self._write({place: waiting.pop(place) for place in _independent_writes(waiting)})
            for place in [place for place, write in waiting.items() if self._said_twice(place, write.change.memory)]:
                del waiting[place]
        return [self._answers[place] for place in range(len(writes))]

    def _said_twice(self, place: int, memory: Memory) -> bool:
        """Answers an entry with what an earlier one of the same call gave, unless that has expired meanwhile."""
        there = self._there.get(_content(memory))
        if there is None or is_closed_or_expired(there, memory.created_at):
            return False
        self._answers[place] = there, False
        return True

    def _write(self, writes: dict[int, TransactionWrite]) -> None:
        for attempt in itertools.count():
            refused: list[RefusedWrite] = []
            for batch in batches_of(list(writes.values()), self._since):
                refusals = self._calls.transact([action for _, actions in batch for action in actions])
                if refusals:
                    refused += refused_writes(batch, refusals)
                else:
                    self._done(writes, [write for write, _ in batch])
            self._settle(writes, refused)
            if not writes:
                return
            self._calls.wait(attempt)

    def _done(self, writes: dict[int, TransactionWrite], written: Sequence[TransactionWrite]) -> None:
        ids = {id(write) for write in written}
        for place in [place for place, write in writes.items() if id(write) in ids]:
            self._answer(place, writes.pop(place).change.memory, True)

    def _answer(self, place: int, memory: Memory, created: bool) -> None:
        self._answers[place] = memory, created
        self._there[_content(memory)] = memory

    def _settle(self, writes: dict[int, TransactionWrite], all_refused: Sequence[RefusedWrite]) -> None:
        now = {write.change.memory.memory_id: write.change.memory.created_at for write in writes.values()}
        places = {id(write): place for place, write in writes.items()}
        for refused, there in zip(all_refused, marker_holders(self._calls, all_refused, now), strict=True):
            place, memory = places[id(refused.write)], refused.write.change.memory
            if CONTENT in there:
                self._answer(place, there[CONTENT], there[CONTENT].memory_id == memory.memory_id)
                del writes[place]
            elif KEY in there:
                raise CommonplaceError(ErrorCode.CONFLICT, f"the key {memory.key} is taken by {there[KEY].memory_id}")
            elif any(action.name == memory_name(memory.memory_id) for action, _ in refused.actions):
                raise CommonplaceError(ErrorCode.CONFLICT, f"{memory.memory_id} is there already, with another content")


def _independent_writes(waiting: dict[int, TransactionWrite]) -> list[int]:
    """Places of the first writes that want nothing in common: a transaction touches an item only once."""
    claimed: set[tuple[str, str]] = set()
    chosen = []
    for place, write in waiting.items():
        memory = write.change.memory
        claims = {(memory.user_id, name) for name in (memory_name(memory.memory_id), *markers(memory))}
        if claims.isdisjoint(claimed):
            chosen.append(place)
        claimed |= claims
    return chosen


def _content(memory: Memory) -> str:
    return f"{memory.user_id}#{fingerprint(memory).hex()}"
