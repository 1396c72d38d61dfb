"""Storing entries, many to a transaction: written first and asked afterwards, since most are new.

A transaction that is refused tells whose markers stood in its way. Those entries are answered with what is there, or, where
the holder doesn't count any more, take its place; the others are written again with the next attempt.
"""

import itertools
from collections.abc import Sequence
from datetime import datetime

from commonplace.adapters.dynamodb.calls import Calls
from commonplace.adapters.dynamodb.rows import is_over, markers, memory_name, vector_bytes
from commonplace.adapters.dynamodb.settling import Refused, in_the_way, refused_of
from commonplace.adapters.dynamodb.table import CONTENT, KEY
from commonplace.adapters.dynamodb.writes import Change, Write, packed
from commonplace.documents import fingerprint
from commonplace.errors import CommonplaceError, ErrorCode
from commonplace.models.memory import Memory
from commonplace.ports import Entry


class Adding:
    """One call of `MemoryRecords.add`."""

    def __init__(self, calls: Calls, since: datetime | None) -> None:
        self._calls, self._since = calls, since
        self._answers: dict[int, tuple[Memory, bool]] = {}
        self._there: dict[str, Memory] = {}

    def add(self, entries: Sequence[Entry]) -> list[tuple[Memory, bool]]:
        """What is there for each entry, and whether it is new."""
        writes = [Write(Change(entry.memory, vector_bytes(entry.vector), entry.audit)) for entry in entries]
        for write in writes:
            write.actions(self._since)  # what can't be written at all fails here, before anything is
        waiting = dict(enumerate(writes))
        while waiting:
            self._write({place: waiting.pop(place) for place in _apart(waiting)})
            for place in [place for place, write in waiting.items() if self._said_twice(place, write.change.memory)]:
                del waiting[place]
        return [self._answers[place] for place in range(len(writes))]

    def _said_twice(self, place: int, memory: Memory) -> bool:
        """Answers an entry with what an earlier one of the same call gave, unless that has expired meanwhile."""
        there = self._there.get(_content(memory))
        if there is None or is_over(there, memory.created_at):
            return False
        self._answers[place] = there, False
        return True

    def _write(self, writes: dict[int, Write]) -> None:
        for attempt in itertools.count():
            refused: list[Refused] = []
            for batch in packed(list(writes.values()), self._since):
                refusals = self._calls.transact([action for _, actions in batch for action in actions])
                if refusals:
                    refused += refused_of(batch, refusals)
                else:
                    self._done(writes, [write for write, _ in batch])
            self._settle(writes, refused)
            if not writes:
                return
            self._calls.wait(attempt)

    def _done(self, writes: dict[int, Write], written: Sequence[Write]) -> None:
        ids = {id(write) for write in written}
        for place in [place for place, write in writes.items() if id(write) in ids]:
            self._answer(place, writes.pop(place).change.memory, True)

    def _answer(self, place: int, memory: Memory, created: bool) -> None:
        self._answers[place] = memory, created
        self._there[_content(memory)] = memory

    def _settle(self, writes: dict[int, Write], all_refused: Sequence[Refused]) -> None:
        now = {write.change.memory.memory_id: write.change.memory.created_at for write in writes.values()}
        places = {id(write): place for place, write in writes.items()}
        for refused, there in zip(all_refused, in_the_way(self._calls, all_refused, now), strict=True):
            place, memory = places[id(refused.write)], refused.write.change.memory
            if CONTENT in there:
                self._answer(place, there[CONTENT], there[CONTENT].memory_id == memory.memory_id)
                del writes[place]
            elif KEY in there:
                raise CommonplaceError(ErrorCode.CONFLICT, f"the key {memory.key} is taken by {there[KEY].memory_id}")
            elif _same_id(refused, memory):
                raise CommonplaceError(ErrorCode.CONFLICT, f"{memory.memory_id} is there already, with another content")


def _same_id(refused: Refused, memory: Memory) -> bool:
    return any(action.name == memory_name(memory.memory_id) for action, _ in refused.actions)


def _apart(waiting: dict[int, Write]) -> list[int]:
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
