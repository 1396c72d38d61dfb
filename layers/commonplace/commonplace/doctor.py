"""The index held against the records, document by document, and mended where they differ."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Literal

from commonplace.batches import in_batches
from commonplace.index_ports import AllRecords, Change, Held, IndexContents, Purged, digest
from commonplace.ports import MemoryRecords, Stored

_AT_ONCE = 500
Ill = Literal["missing", "behind", "ahead", "different", "orphaned"]


@dataclass(frozen=True)
class Examined:
    """Records and documents there are, what ails the index, and how much of that was mended.

    `missing`: a record without a document; `behind`, `ahead`: of an older or newer version; `different`: of the same
    version and another content; `orphaned`: a document without a record. What was written within the last seconds may be
    behind or missing without being ill. What is ahead (the records were restored from a backup) only a reindex mends.
    """

    records: int
    documents: int
    ills: Counter[Ill]
    mended: int


def examine(
    everything: AllRecords, records: MemoryRecords, contents: IndexContents, repair: bool, progress: Callable[[int], None]
) -> Examined:
    """Compares each record with its document, then each document with its record. Raises `IndexUnavailable`.

    `repair`: brings into the index what it lacks; safe while writes go on. `progress` is told how many were compared.
    """
    ills: Counter[Ill] = Counter()
    seen = documents = mended = 0
    for batch in in_batches(everything.every(), _AT_ONCE):
        found = list(_differing(batch, contents.look_up(batch)))
        ills.update(ill for ill, _ in found)
        mended += _mended(contents, [stored for ill, stored in found if ill != "ahead"]) if repair else 0
        seen += len(batch)
        progress(seen + documents)
    for held in in_batches(contents.every(), _AT_ONCE):
        orphans = list(_orphans(held, records))
        ills["orphaned"] += len(orphans)
        mended += _mended(contents, orphans) if repair else 0
        documents += len(held)
        progress(seen + documents)
    return Examined(seen, documents, +ills, mended)


def _differing(batch: Sequence[Stored], found: Sequence[Held | None]) -> Iterator[tuple[Ill, Stored]]:
    for stored, held in zip(batch, found, strict=True):
        if held is None or held.user_id != stored.memory.user_id:
            yield "missing", stored
        elif held.version != stored.memory.version:
            yield "behind" if held.version < stored.memory.version else "ahead", stored
        elif held.digest != digest(stored.memory):
            yield "different", stored


def _orphans(batch: Sequence[Held], records: MemoryRecords) -> Iterator[Purged]:
    for user_id, group in groupby(batch, key=lambda held: held.user_id):
        held = {one.memory_id: one for one in group}
        there = {memory.memory_id for memory in records.get(user_id, list(held))}
        yield from (Purged(user_id, name, one.version) for name, one in held.items() if name not in there)


def _mended(contents: IndexContents, changes: Sequence[Change]) -> int:
    return sum(outcome.state == "done" for outcome in contents.mend(changes)) if changes else 0
