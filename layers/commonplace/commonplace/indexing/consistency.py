"""Holds the index against the records, and the records against each other; over all users by `commonplace doctor`."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import groupby

from commonplace.domain.batching import in_batches
from commonplace.domain.consistency import Finding, Kind
from commonplace.domain.flaws import Flaws, gathered
from commonplace.indexing.record_faults import RecordFaults
from commonplace.ports.index import IndexContents
from commonplace.ports.records import AllRecords, MemoryRecords
from commonplace.ports.values import IndexChange, IndexedDocument, Stored, Tombstone
from commonplace.retrieval.documents import digest, record_hash

BATCH = 500
_REPAIR = "commonplace repair --apply"
_TOLD: dict[Kind, str] = {
    "missing": f"the index has no document of it; {_REPAIR} writes it",
    "behind": f"the index has an older version of it; {_REPAIR} writes this one",
    "ahead": "the index has a newer version, as where records were restored; only commonplace reindex mends it",
    "different": f"what the index has of it is not what its record says; {_REPAIR} writes it anew",
}


@dataclass(frozen=True)
class IndexFault:
    """A record and its document that are not in line, with the change that mends it."""

    kind: Kind
    change: IndexChange

    @property
    def name(self) -> str:
        """The memory's id, or the document's own name."""
        return self.change.memory_id if isinstance(self.change, Tombstone) else self.change.memory.memory_id

    @property
    def repairable(self) -> bool:
        """Whether it can be written over: a newer version can't."""
        return self.kind != "ahead"

    def finding(self) -> Finding:
        """The same for whoever asked."""
        if isinstance(self.change, Tombstone):
            detail = f"a document without a record; {_REPAIR} takes it out"
        else:
            memory = self.change.memory
            detail = f"{_TOLD[self.kind]}; the record has version {memory.version} and sha256 {record_hash(memory)}"
        return Finding(kind=self.kind, id=self.name, detail=detail, repairable=self.repairable)


def miscounted(name: str) -> Finding:
    """A count of that name that is wrong."""
    detail = f"what is counted beside the documents is wrong; {_REPAIR} counts anew"
    return Finding(kind="miscounted", id=name, detail=detail, repairable=True)


def differing(batch: Sequence[Stored], contents: IndexContents) -> Iterator[IndexFault]:
    """Each record of which the index has no document, or another."""
    for stored, held in zip(batch, contents.look_up(batch), strict=True):
        if held is None or held.user_id != stored.memory.user_id:
            yield IndexFault("missing", stored)
        elif held.version != stored.memory.version:
            yield IndexFault("behind" if held.version < stored.memory.version else "ahead", stored)
        elif held.digest != digest(stored.memory):
            yield IndexFault("different", stored)


def orphaned(batch: Sequence[IndexedDocument], records: MemoryRecords) -> Iterator[IndexFault]:
    """Each document of which there is no record, with its tombstone: of the version after the last it had."""
    for user_id, group in groupby(batch, key=lambda held: held.user_id):
        held = {one.memory_id: one for one in group}
        with gathered() as flaws:  # what can't be read is there
            there = {memory.memory_id for memory in records.get(user_id, list(held))} | flaws.unreadable.keys()
        for name, one in held.items():
            if name not in there:
                yield IndexFault("orphaned", Tombstone(user_id, name, one.version))


@dataclass(frozen=True)
class ConsistencyReport:
    """How many records and documents there are, what is not in line by kind, how much was mended, and what can't be read.

    What was written within the last seconds may be behind or missing without being ill.
    """

    records: int
    documents: int
    inconsistencies: Counter[Kind]
    mended: int
    flaws: Flaws = field(default_factory=Flaws)


def check_consistency(
    everything: AllRecords, records: MemoryRecords, contents: IndexContents, repair: bool, progress: Callable[[int], None],
    now: datetime | None = None,
) -> ConsistencyReport:  # fmt: skip
    """Compares each record with its document, each document with its record, and the records with each other.

    `repair`: brings into the index what it lacks; safe while writes go on. `progress` is told how many were compared.
    Raises `IndexUnavailable`.
    """
    ills: Counter[Kind] = Counter()
    seen = documents = mended = 0
    users, between = set[str](), RecordFaults(now or datetime.now(UTC))
    with gathered() as flaws:
        for batch in in_batches(everything.every(), BATCH):
            found = list(differing(batch, contents))
            for one in batch:
                users.add(one.memory.user_id)
                between.take(one.memory)
            ills.update(ill.kind for ill in found)
            mended += _mended(contents, [ill for ill in found if ill.repairable]) if repair else 0
            seen += len(batch)
            progress(seen + documents)
    for held in in_batches(contents.every(), BATCH):
        orphans = list(orphaned(held, records))
        ills["orphaned"] += len(orphans)
        mended += _mended(contents, orphans) if repair else 0
        documents += len(held)
        progress(seen + documents)
    for user_id in sorted(users):
        wrong = contents.miscounted(user_id)
        ills["miscounted"] += len(wrong)
        if wrong and repair:
            contents.recount(user_id)
            mended += len(wrong)
    ills.update(one.kind for one in between.findings(records))
    return ConsistencyReport(seen, documents, +ills, mended, flaws)


def _mended(contents: IndexContents, faults: Sequence[IndexFault]) -> int:
    return sum(outcome.state == "done" for outcome in contents.mend([one.change for one in faults])) if faults else 0
