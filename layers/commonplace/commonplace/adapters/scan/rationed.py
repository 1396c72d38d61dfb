"""The newest records for a time when the index is down: read within a budget, so that stores go on."""

import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

from commonplace.ports import MemoryRecords, PendingWrites, Stored

_SECONDS = 10.0
_KEPT = 16_000  # records, of all users together: some 100 MB


class _Read(NamedTuple):
    at: float
    records: Sequence[Stored]
    complete: bool


class RationedRecords:
    """The newest records, all of a user's read once in `seconds` at the most, however many searches ask.

    2,000 records are some 500 read units, eventually consistent, and a partition gives 3,000 a second to stores and
    searches together. Searches in between get what was read last. Each gets what waits to be indexed beside it, strongly
    consistent, so it sees the user's own writes. What the index has confirmed since the last reading is in neither, so then
    `newest` says that it isn't all; nothing closed since leaves a search, for each hit is checked against its record.
    """

    def __init__(
        self, records: MemoryRecords, pending: PendingWrites, seconds: float = _SECONDS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:  # fmt: skip
        self._records, self._pending, self._seconds, self._clock = records, pending, seconds, clock
        self._reads: dict[str, _Read] = {}

    def newest(self, user_id: str, limit: int) -> tuple[list[Stored], bool]:
        """The newest active records with their vectors, and whether that is surely all of them."""
        read = self._reads.get(user_id)
        fresh = read is None or self._clock() - read.at >= self._seconds
        if read is None or fresh:
            read = _Read(self._clock(), *self._records.newest(user_id, limit))
            self._keep(user_id, read)
        pending, _ = self._pending.pending(user_id)
        waiting = {one.memory.memory_id: one for one in pending}
        kept = [one for one in read.records if one.memory.memory_id not in waiting]
        kept += [one for one in waiting.values() if one.memory.status == "active"]
        kept.sort(key=lambda one: one.memory.memory_id, reverse=True)  # by time: they are ULIDs
        return kept[:limit], fresh and read.complete and len(kept) <= limit

    def _keep(self, user_id: str, read: _Read) -> None:
        self._reads.pop(user_id, None)
        self._reads[user_id] = read  # last in, last out
        room = _KEPT
        for name, each in reversed(list(self._reads.items())):
            room -= len(each.records) + 1
            if room < 0 and name != user_id:
                self._reads.pop(name, None)
