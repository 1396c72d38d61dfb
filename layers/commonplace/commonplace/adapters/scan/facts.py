"""What is known of a user's memories as a whole, counted over the newest records."""

import time
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import datetime

from commonplace.adapters.kept_tags import KeptTags, most_used
from commonplace.adapters.scan.index import NEWEST
from commonplace.ports import MemoryRecords, Statistics, Stored


class ScanFacts:
    """Facts of the newest records, up to 2,000 of a user.

    Tags are kept for `seconds`: each call would read all records again.
    """

    def __init__(self, records: MemoryRecords, seconds: float = 0.0, clock: Callable[[], float] = time.monotonic) -> None:
        self._records, self._seconds, self._kept = records, seconds, KeptTags(clock)

    def tags(self, user_id: str) -> dict[str, int]:
        fresh = self._kept.fresh(user_id)
        if fresh is not None:
            return fresh
        newest, _ = self._records.newest(user_id, NEWEST)
        return self._kept.keep(user_id, most_used(_tags(newest)), self._seconds)

    def statistics(self, user_id: str, now: datetime, embedding_model: str) -> Statistics:
        newest, complete = self._records.newest(user_id, NEWEST)
        live = [one for one in newest if one.memory.expires_at is None or one.memory.expires_at > now]
        tags = _tags(newest)
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
            of_newest=None if complete else len(newest),
        )


def _tags(memories: Sequence[Stored]) -> Counter[str]:
    """How many of the memories carry each tag."""
    return Counter(tag for one in memories for tag in set(one.memory.tags))
