"""Searches without an index by scanning the user's newest records, which come from the store or from a cache."""

import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple, Protocol

from commonplace.domain.memory import Memory
from commonplace.domain.outline import Outline
from commonplace.ports.index import PendingWrites, Retrieved
from commonplace.ports.records import MemoryRecords
from commonplace.ports.values import MOST_TAGS, Filter, Similar, Statistics, Stored, Vector, Visibility
from commonplace.retrieval import candidate_rows
from commonplace.retrieval.documents import document
from commonplace.retrieval.record_scan import RecordScan

NEWEST = 2_000
_USERS = 1_000
_SECONDS = 10.0
_CACHE_SIZE = 16_000  # total number of cached records, which use about 100 MB


def most_used(counts: Mapping[str, int]) -> dict[str, int]:
    """Return the most used tags with their counts, most used first."""
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:MOST_TAGS])


class TagCache:
    """Caches each user's tags. Outdated tags do little harm, because they only help to choose tags for new memories."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._known: dict[str, tuple[float, dict[str, int]]] = {}

    def fresh(self, user_id: str) -> dict[str, int] | None:
        """Return the user's tags, or None if the tags must be counted again."""
        until, tags = self._known.get(user_id, (0.0, {}))
        return tags if self._clock() < until else None

    def last(self, user_id: str) -> dict[str, int]:
        """Return the user's tags as last counted, however long ago, or {} if they were never counted."""
        return self._known.get(user_id, (0.0, {}))[1]

    def keep(self, user_id: str, tags: dict[str, int], seconds: float) -> dict[str, int]:
        """Cache the tags for `seconds` and return them."""
        self._known.pop(user_id, None)
        self._known[user_id] = self._clock() + seconds, tags  # most recently used last
        if len(self._known) > _USERS:
            del self._known[next(iter(self._known))]
        return tags


class NewestRecords(Protocol):
    def newest(self, user_id: str, limit: int) -> tuple[list[Stored], bool]:
        """Return a user's newest records and whether those are all the user's records, as `MemoryRecords.newest` does."""


class ScanIndex:
    """An index that scans a user's 2,000 newest records. It is also the fallback when the search index is down."""

    def __init__(self, records: NewestRecords, embedding_model: str) -> None:
        self._records, self._model = records, embedding_model

    def find(
        self, visibility: Visibility, filters: Filter, terms: Sequence[str], vector: Vector | None, with_legs: bool = False
    ) -> Retrieved:
        """Return the visible memories among the 2,000 newest, and the counts for BM25. `ranked` passes the filter."""
        newest, complete = self._scan_newest(visibility)
        rows_by_id, passing = newest.rows(visibility, filters, terms, vector)
        rows = list(rows_by_id.values())
        corpus, lengths = candidate_rows.corpus_of(rows, terms), candidate_rows.session_lengths_of(rows)
        legs = candidate_rows.rankings_of([rows_by_id[name] for name in passing], corpus) if with_legs else None
        columns, other_model = candidate_rows.columns_of(rows, passing, lengths, terms), any(row.other_model for row in rows)
        return Retrieved(columns, corpus, not complete, legs, other_model)

    def similar(self, visibility: Visibility, terms: Sequence[str], vector: Vector | None, limit: int) -> list[Similar]:
        """Return visible memories that share words with the query or have near vectors, most similar first."""
        newest, _ = self._scan_newest(visibility)
        words = sorted(set(terms))
        rows_by_id, _ = newest.rows(visibility, Filter(), words, vector)
        rows = list(rows_by_id.values())
        return candidate_rows.similar_of(rows, newest.texts, candidate_rows.corpus_of(rows, words), limit)

    def most_important(self, visibility: Visibility, filters: Filter, limit: int) -> tuple[list[str], bool]:
        """Return the ids of visible memories that pass the filter, most important first, and whether ids may be missing."""
        newest, complete = self._scan_newest(visibility)
        passing = sorted(
            newest.passing(visibility, filters), key=lambda memory: (-memory.importance, -memory.happened_at.timestamp())
        )
        return [memory.memory_id for memory in passing[:limit]], not complete

    def _scan_newest(self, visibility: Visibility) -> tuple[RecordScan, bool]:
        newest, complete = self._records.newest(visibility.user_id, NEWEST)
        return RecordScan(newest, self._model), complete


class ScanFacts:
    """Computes facts from a user's 2,000 newest records, and outlines from all records. Tags are cached for `seconds`."""

    def __init__(self, records: MemoryRecords, seconds: float = 0.0, clock: Callable[[], float] = time.monotonic) -> None:
        self._records, self._seconds, self._kept = records, seconds, TagCache(clock)

    def tags(self, user_id: str) -> dict[str, int]:
        fresh = self._kept.fresh(user_id)
        if fresh is not None:
            return fresh
        newest, _ = self._records.newest(user_id, NEWEST)
        return self._kept.keep(user_id, most_used(_count_tags(newest)), self._seconds)

    def statistics(self, user_id: str, now: datetime, embedding_model: str) -> Statistics:
        newest, complete = self._records.newest(user_id, NEWEST)
        live = [stored for stored in newest if not stored.memory.has_expired(now)]
        tags = _count_tags(newest)
        used = {
            memory.memory_id
            for memory in self._records.get(user_id, [stored.memory.memory_id for stored in live])
            if memory.access_count
        }
        return Statistics(
            active=len(live),
            expired=sum(stored.memory.has_lapsed(now) for stored in newest),
            unused=len(live) - len(used),
            without_vector=sum(stored.vector is None for stored in live),
            other_embedding=sum(row.vector is not None and row.memory.embedding_model != embedding_model for row in live),
            tags=len(tags),
            single_tags=sum(count == 1 for count in tags.values()),
            of_newest=None if complete else len(newest),
        )

    def outlines(self, user_id: str, terms: Sequence[str] = ()) -> list[Outline]:
        return outlines_of(self._records.all(user_id), terms)


def outlines_of(memories: Iterable[Memory], terms: Sequence[str]) -> list[Outline]:
    """Return the outlines of the memories that contain all terms."""
    words = set(terms)
    matching = (memory for memory in memories if not words or words <= _collect_words(memory))
    return [outline for memory in matching if (outline := Outline.of(memory)) is not None]


def _collect_words(memory: Memory) -> set[str]:
    made = document(memory)
    return {*made.tokens, *made.labels}


def _count_tags(memories: Sequence[Stored]) -> Counter[str]:
    return Counter(tag for memory in memories for tag in set(memory.memory.tags))


class _CachedRead(NamedTuple):
    at: float
    records: Sequence[Stored]
    complete: bool


class CachedRecords:
    """Caches each user's newest records, which are read at most once every `seconds` seconds.

    Reading 2,000 records takes about 400 read units. Stores and searches share a partition's 3,000 units per second. Cached
    reads are eventually consistent. Pending writes are read consistently and merged, so that users see their own writes. A
    cached read lacks writes that the index has confirmed since then, so `newest` reports an incomplete result. The read may
    also contain memories that have been closed since then, but each hit is checked against its record.
    """

    def __init__(
        self, records: MemoryRecords, pending: PendingWrites, seconds: float = _SECONDS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:  # fmt: skip
        self._records, self._pending, self._seconds, self._clock = records, pending, seconds, clock
        self._reads: dict[str, _CachedRead] = {}

    def newest(self, user_id: str, limit: int) -> tuple[list[Stored], bool]:
        """Return the newest active records with their vectors, and whether none can be missing."""
        read = self._reads.get(user_id)
        fresh = read is None or self._clock() - read.at >= self._seconds
        if read is None or fresh:
            read = _CachedRead(self._clock(), *self._records.newest(user_id, limit))
            self._cache_read(user_id, read)
        pending, _ = self._pending.pending(user_id)
        waiting = {stored.memory.memory_id: stored for stored in pending}
        records = [record for record in read.records if record.memory.memory_id not in waiting]
        records += [stored for stored in waiting.values() if stored.memory.status == "active"]
        records.sort(key=lambda stored: stored.memory.memory_id, reverse=True)  # ids are ULIDs, so this sorts by time
        return records[:limit], fresh and read.complete and len(records) <= limit

    def _cache_read(self, user_id: str, read: _CachedRead) -> None:
        self._reads.pop(user_id, None)
        self._reads[user_id] = read  # most recently used last
        free = _CACHE_SIZE
        for name, each in reversed(list(self._reads.items())):
            free -= len(each.records) + 1
            if free < 0 and name != user_id:
                self._reads.pop(name, None)
