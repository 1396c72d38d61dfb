"""What is known of a user's memories as a whole, counted over the newest records."""

import time
from collections import Counter
from collections.abc import Callable
from datetime import datetime

from commonplace.adapters.scan.index import NEWEST
from commonplace.ports import MemoryRecords, Statistics

_MOST_TAGS = 500
_USERS = 1_000


class ScanFacts:
    """Facts of the newest records, up to 2,000 of a user.

    Tags only widen a query and name a new memory, so they are kept for `seconds`: each call would read all records again.
    """

    def __init__(self, records: MemoryRecords, seconds: float = 0.0, clock: Callable[[], float] = time.monotonic) -> None:
        self._records, self._seconds, self._clock = records, seconds, clock
        self._known: dict[str, tuple[float, dict[str, int]]] = {}

    def tags(self, user_id: str) -> dict[str, int]:
        until, known = self._known.get(user_id, (0.0, {}))
        if self._clock() < until:
            return known
        tags = dict(sorted(self._tags(user_id).items(), key=lambda item: (-item[1], item[0]))[:_MOST_TAGS])
        self._known.pop(user_id, None)
        self._known[user_id] = self._clock() + self._seconds, tags  # last in, last out
        if len(self._known) > _USERS:
            del self._known[next(iter(self._known))]
        return tags

    def statistics(self, user_id: str, now: datetime, embedding_model: str) -> Statistics:
        newest, _ = self._records.newest(user_id, NEWEST)
        live = [one for one in newest if one.memory.expires_at is None or one.memory.expires_at > now]
        tags = Counter(tag for one in newest for tag in set(one.memory.tags))
        used = {
            memory.memory_id
            for memory in self._records.get(user_id, [one.memory.memory_id for one in live])
            if memory.access_count
        }
        return Statistics(
            active=len(live),
            expired=len(newest) - len(live),
            unused=len(live) - len(used),
            without_vector=sum(one.vector is None for one in live),
            other_embedding=sum(one.vector is not None and one.memory.embedding_model != embedding_model for one in live),
            tags=len(tags),
            single_tags=sum(count == 1 for count in tags.values()),
        )

    def _tags(self, user_id: str) -> Counter[str]:
        newest, _ = self._records.newest(user_id, NEWEST)
        return Counter(tag for one in newest for tag in set(one.memory.tags))
