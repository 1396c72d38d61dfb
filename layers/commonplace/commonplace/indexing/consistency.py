"""Compare the index with the records, check records against each other, and repair the index of one user.

`commonplace doctor` checks all users. Other checks read one user's records in parts. Checking records against each other
finds broken links, circles of links, and active memories that have the same content or the same key.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import groupby, islice
from typing import Any, Literal, NamedTuple

from pydantic import TypeAdapter

from commonplace.domain.batching import in_batches
from commonplace.domain.consistency import FailedRepair, Finding, Kind, Scope
from commonplace.domain.flaws import Flaws, gathered
from commonplace.domain.ids import made_at
from commonplace.domain.memory import Memory
from commonplace.memories.transitions import PURGE_DELAY
from commonplace.ports.bundle import Upkeep
from commonplace.ports.index import IndexContents
from commonplace.ports.records import AllRecords, MemoryRecords
from commonplace.ports.values import IndexChange, IndexedDocument, IndexOutcome, OutOfTime, Stored, Tombstone
from commonplace.retrieval.documents import digest, fingerprint, record_hash

BATCH = 500
_REPAIR = "commonplace repair --apply"
_DESCRIPTIONS: dict[Kind, str] = {
    "missing": f"the index has no document of it; {_REPAIR} writes it",
    "behind": f"the index has an older version of it; {_REPAIR} writes this one",
    "ahead": "the index has a newer version, as where records were restored; only commonplace reindex mends it",
    "different": f"what the index has of it is not what its record says; {_REPAIR} writes it anew",
}


@dataclass(frozen=True)
class IndexFault:
    """A difference between a record and its document in the index. `change` repairs the document."""

    kind: Kind
    change: IndexChange

    @property
    def name(self) -> str:
        """The id of the memory, or the name of a document without a memory."""
        return self.change.memory_id if isinstance(self.change, Tombstone) else self.change.memory.memory_id

    @property
    def repairable(self) -> bool:
        """True unless the document is newer than the record, because the index refuses older versions."""
        return self.kind != "ahead"

    def finding(self) -> Finding:
        if isinstance(self.change, Tombstone):
            detail = f"a document without a record; {_REPAIR} takes it out"
        else:
            memory = self.change.memory
            detail = f"{_DESCRIPTIONS[self.kind]}; the record has version {memory.version} and sha256 {record_hash(memory)}"
        return Finding(kind=self.kind, id=self.name, detail=detail, repairable=self.repairable)


def miscounted(name: str) -> Finding:
    """Return the finding for a wrong count. `name` is the name of the count."""
    detail = f"what is counted beside the documents is wrong; {_REPAIR} counts anew"
    return Finding(kind="miscounted", id=name, detail=detail, repairable=True)


def differing(batch: Sequence[Stored], contents: IndexContents) -> Iterator[IndexFault]:
    """Yield a fault for each record in a batch whose document is missing or different."""
    for stored, document in zip(batch, contents.look_up(batch), strict=True):
        if document is None or document.user_id != stored.memory.user_id:
            yield IndexFault("missing", stored)
        elif document.version != stored.memory.version:
            yield IndexFault("behind" if document.version < stored.memory.version else "ahead", stored)
        elif document.digest != digest(stored.memory):
            yield IndexFault("different", stored)


def orphaned(batch: Sequence[IndexedDocument], records: MemoryRecords) -> Iterator[IndexFault]:
    """Yield a fault for each document without a record. The fault's `change` is a tombstone that removes the document."""
    for user_id, group in groupby(batch, key=lambda document: document.user_id):
        by_id = {document.memory_id: document for document in group}
        with gathered() as flaws:  # unreadable records exist too
            existing = {memory.memory_id for memory in records.get(user_id, list(by_id))} | flaws.unreadable.keys()
        for name, document in by_id.items():
            if name not in existing:
                yield IndexFault("orphaned", Tombstone(user_id, name, document.version))


@dataclass(frozen=True)
class ConsistencyReport:
    """The number of records, documents and repairs, the number of faults by kind, and the unreadable records.

    Recent writes may be counted as `behind` or `missing` for a few seconds, although the index is fine.
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
    """Compare each record with its document, each document with its record, and records with each other.

    If `repair` is true, update the index. `progress` receives the number of comparisons. Raises `IndexUnavailable`.
    """
    inconsistencies: Counter[Kind] = Counter()
    seen = documents = mended = 0
    users, between = set[str](), RecordFaults(now or datetime.now(UTC))
    with gathered() as flaws:
        for batch in in_batches(everything.every(), BATCH):
            faults = list(differing(batch, contents))
            for stored in batch:
                users.add(stored.memory.user_id)
                between.take(stored.memory)
            inconsistencies.update(fault.kind for fault in faults)
            mended += _mend_faults(contents, [fault for fault in faults if fault.repairable]) if repair else 0
            seen += len(batch)
            progress(seen + documents)
    for group in in_batches(contents.every(), BATCH):
        orphans = list(orphaned(group, records))
        inconsistencies["orphaned"] += len(orphans)
        mended += _mend_faults(contents, orphans) if repair else 0
        documents += len(group)
        progress(seen + documents)
    for user_id in sorted(users):
        wrong = contents.miscounted(user_id)
        inconsistencies["miscounted"] += len(wrong)
        if wrong and repair:
            contents.recount(user_id)
            mended += len(wrong)
    inconsistencies.update(finding.kind for finding in between.findings(records))
    return ConsistencyReport(seen, documents, +inconsistencies, mended, flaws)


def _mend_faults(contents: IndexContents, faults: Sequence[IndexFault]) -> int:
    """Write or remove the documents of the faults in the index. Returns how many were mended."""
    return sum(outcome.state == "done" for outcome in contents.mend([fault.change for fault in faults])) if faults else 0


_AT_ONCE = 100


class _Named(NamedTuple):
    user_id: str
    memory_id: str


class RecordFaults:
    """Collects records of one or more users and finds faults between them."""

    def __init__(self, now: datetime) -> None:
        self._now = now
        self._links: dict[str, dict[_Named, str]] = {"superseded_by": {}, "supersedes": {}}
        self._holders: dict[tuple[str, Kind, object], str] = {}
        self._held_twice: list[Finding] = []

    def take(self, memory: Memory) -> None:
        """Add one record to the records to check."""
        for name, links in self._links.items():
            target = getattr(memory, name)
            if target is not None:
                links[_Named(memory.user_id, memory.memory_id)] = target
        if memory.status == "active" and not memory.has_expired(self._now):
            self._record_holder(memory, "same_content", fingerprint(memory))
            if memory.key is not None:
                self._record_holder(memory, "same_key", (memory.collection, memory.key))

    def findings(self, records: MemoryRecords) -> Iterator[Finding]:
        """Yield the faults between the collected records. `records` is searched for link targets that were not collected."""
        yield from self._held_twice
        for name, links in self._links.items():
            for ring in _find_circles(links):
                first = min(ring)
                back = f"{name} leads back to it over {len(ring)} memories"
                why = f"{back}; commonplace erase --memory {first} erases them all"
                yield Finding(kind="circle", id=first, detail=why, repairable=False)
        yield from self._find_broken_links(records)

    def _record_holder(self, memory: Memory, kind: Kind, place: object) -> None:
        """Record that a memory has a content or key, and add a finding if another memory has the same one."""
        other = self._holders.setdefault((memory.user_id, kind, place), memory.memory_id)
        if other == memory.memory_id:
            return
        reason = "has its key" if kind == "same_key" else "says the same"
        why = f"{other} {reason}, and both are active; commonplace delete {memory.memory_id} closes one"
        self._held_twice.append(Finding(kind=kind, id=memory.memory_id, detail=why, repairable=False))

    def _find_broken_links(self, records: MemoryRecords) -> Iterator[Finding]:
        """Yield findings for links to missing memories. Targets that are old enough to have been purged are ignored."""
        known = {link for links in self._links.values() for link in links}
        named = {_Named(name.user_id, target) for links in self._links.values() for name, target in links.items()}
        existing = known | _find_existing(sorted(named - known), records)
        for name, links in self._links.items():
            for source, target in links.items():
                if _Named(source.user_id, target) not in existing and not self._can_be_purged(target):
                    why = f"{name} names {target}, which is not there; commonplace history {source.memory_id} shows what is"
                    yield Finding(kind="broken_link", id=source.memory_id, detail=why, repairable=False)

    def _can_be_purged(self, memory_id: str) -> bool:
        made = made_at(memory_id)
        return made is not None and made + PURGE_DELAY <= self._now


def flaw_findings(flaws: Flaws, user_id: str) -> Iterator[Finding]:
    """Yield findings for the unreadable records of one user, and for dates that were clamped when a record was read."""
    for name in (name for name, owner in flaws.unreadable.items() if owner == user_id):
        why = f"its record can't be read; commonplace erase --memory {name} erases it"
        yield Finding(kind="unreadable", id=name, detail=why, repairable=False)
    for name, fields in flaws.held.items():
        why = f"{', '.join(fields)}: beyond the years 1 to 9000, and read as the nearest of them; nothing has to be done"
        yield Finding(kind="held", id=name, detail=why, repairable=False)


def _find_existing(named: list[_Named], records: MemoryRecords) -> set[_Named]:
    """Return those of the named memories that have a record, even an unreadable one."""
    existing = set[_Named]()
    for user_id, group in groupby(named, key=lambda name: name.user_id):
        for batch in in_batches((name.memory_id for name in group), _AT_ONCE):
            with gathered() as flaws:
                ids = [memory.memory_id for memory in records.get(user_id, batch)]
            existing |= {_Named(user_id, name) for name in (*ids, *flaws.unreadable)}
    return existing


def _find_circles(links: Mapping[_Named, str]) -> Iterator[list[str]]:
    done = set[_Named]()
    for start in links:
        path = dict[_Named, None]()
        at = start
        while at in links and at not in done and at not in path:
            path[at] = None
            at = _Named(at.user_id, links[at])
        if at in path:
            names = [name.memory_id for name in path]
            yield names[names.index(at.memory_id) :]
        done |= path.keys()


InTime = Callable[[Iterable[Any]], Iterator[Any]]
"""A function that yields the same items in order and raises `OutOfTime` if no time is left."""


@dataclass(frozen=True)
class UserIndex:
    """The records and the index of one user at the time `now`. `progress` receives the number of records checked so far."""

    user_id: str
    now: datetime
    records: MemoryRecords
    upkeep: Upkeep
    in_time: InTime = iter
    progress: Callable[[int], None] = lambda _checked: None

    def waiting(self) -> frozenset[str]:
        """Return the ids of memories with pending writes, which the index may lack and searches read from the records."""
        if self.upkeep.pending is None:
            return frozenset()
        return frozenset(stored.memory.memory_id for stored in self.upkeep.pending.pending(self.user_id)[0])

    def differing(self, batch: Sequence[Stored], waiting: Collection[str]) -> list[IndexFault]:
        """Return the faults in a batch. Each fault is checked again, so that concurrent writes are not reported as faults."""
        contents = self.upkeep.contents
        if contents is None:
            return []
        names = [fault.name for fault in differing(batch, contents) if fault.name not in waiting]
        reread = self.records.stored(self.user_id, names) if names else []
        return list(differing(reread, contents)) if reread else []

    def survey(self) -> tuple[list[IndexFault], list[Finding]]:
        """Read all records. Return the documents without a record, and the faults in counts and between records."""
        between = RecordFaults(self.now)
        with gathered() as flaws:
            known = set[str]()
            for memory in self.in_time(self.records.all(self.user_id)):
                between.take(memory)
                known.add(memory.memory_id)
        known |= flaws.unreadable.keys()
        orphans, findings = list[IndexFault](), list(between.findings(self.records))
        if self.upkeep.contents is not None:
            strangers = (item for item in self.upkeep.contents.of_user(self.user_id) if item.memory_id not in known)
            for batch in self.in_time(in_batches(strangers, BATCH)):
                orphans += orphaned(batch, self.records)
            findings += map(miscounted, self.upkeep.contents.miscounted(self.user_id))
        return orphans, findings


@dataclass(frozen=True)
class Part:
    """The findings in a part of a user's records. The next part starts after the id `last`, which is None at the end."""

    checked: int
    findings: list[Finding]
    last: str | None


def check_part(user: UserIndex, after: str | None, most: int) -> Part:
    """Compare the next `most` records with the index, starting behind the id `after`. The last part also checks links."""
    waiting = user.waiting()
    with gathered() as flaws:
        part = list(islice(user.upkeep.everything.of_user(user.user_id, after), most))
    batches = user.in_time(in_batches(part, BATCH))
    findings = [fault.finding() for batch in batches for fault in user.differing(batch, waiting)]
    findings += flaw_findings(flaws, user.user_id)
    if len(part) == most:
        return Part(len(part), findings, part[-1].memory.memory_id)
    orphans, findings_left = user.survey()
    return Part(len(part), [*findings, *(fault.finding() for fault in orphans), *findings_left], None)


@dataclass
class Repaired:
    """The result of a repair or of its dry run. `left` contains the faults that a repair can't correct.

    `checked` is the number of checked records. The repair continues after the id `last`. `others` contains the faults in
    counts and between records, which are found before the repair.
    """

    indexed: int = 0
    removed: int = 0
    unchanged: int = 0
    failed: list[FailedRepair] = field(default_factory=list)
    left: list[Finding] = field(default_factory=list)
    checked: int = 0
    last: str | None = None
    others: list[Finding] | None = None


REPAIRED: TypeAdapter[Repaired] = TypeAdapter(Repaired)


def repair(user: UserIndex, scope: Scope, dry_run: bool, done: Repaired | None = None) -> Repaired:
    """Repair a user's index, adding to `done`. If `dry_run` is true, only count. Raises `IndexUnavailable` or `OutOfTime`."""
    done, contents = done or Repaired(), user.upkeep.contents
    try:
        if done.others is None:  # before any repair, because a repair may correct counts that must be reported
            orphans, findings = user.survey()
            for batch in in_batches(orphans, BATCH):
                done.removed += _mend_documents(contents, {fault.name: fault.change for fault in batch}, dry_run, done)
            done.others = findings
        _repair_documents(user, scope, dry_run, done)
    except OutOfTime:
        raise OutOfTime(REPAIRED.dump_python(done, mode="json")) from None
    if contents is not None and not dry_run:
        contents.recount(user.user_id)
    findings = done.others or []
    done.indexed += sum(finding.repairable for finding in findings)
    done.left = [finding for finding in findings if not finding.repairable]
    return done


def _repair_documents(user: UserIndex, scope: Scope, dry_run: bool, done: Repaired) -> None:
    """Repair the documents of the records after the id `done.last`, and add the results to `done` batch by batch."""
    contents, waiting = user.upkeep.contents, user.waiting()
    for batch in user.in_time(in_batches(user.upkeep.everything.of_user(user.user_id, done.last), BATCH)):
        faults = user.differing(batch, waiting)
        ahead = {fault.name for fault in faults if not fault.repairable}
        wanted = {fault.name: fault.change for fault in faults if fault.repairable}
        if scope == "all" and contents is not None:
            whole = {stored.memory.memory_id: stored for stored in batch if stored.memory.memory_id not in ahead}
            wanted = {**whole, **wanted}
        done.failed += [FailedRepair(id=name, code="ahead") for name in sorted(ahead)]
        done.indexed += _mend_documents(contents, wanted, dry_run, done)
        done.unchanged += len(batch) - len(wanted) - len(ahead)
        done.checked, done.last = done.checked + len(batch), batch[-1].memory.memory_id
        user.progress(done.checked)


def _mend_documents(contents: IndexContents | None, wanted: Mapping[str, IndexChange], dry_run: bool, done: Repaired) -> int:
    """Write or remove documents. Returns how many were or would be changed. Failures are added to `done`."""
    if contents is None or not wanted or dry_run:
        return len(wanted)
    failed = [
        FailedRepair(id=name, code=_classify_failure(outcome))
        for name, outcome in zip(wanted, contents.mend(list(wanted.values())), strict=True)
        if outcome.state != "done"
    ]
    done.failed += failed
    return len(wanted) - len(failed)


def _classify_failure(outcome: IndexOutcome) -> Literal["conflict", "refused", "unavailable"]:
    if outcome.reason == "conflict":
        return "conflict"
    return "unavailable" if outcome.state == "retry" else "refused"
