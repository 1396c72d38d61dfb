"""One user's records and index: compared part by part, and the index brought in line."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice
from typing import Literal

from commonplace.domain.batching import in_batches
from commonplace.domain.consistency import FailedRepair, Finding, Scope
from commonplace.domain.flaws import gathered
from commonplace.indexing.consistency import BATCH, IndexFault, differing, miscounted, orphaned
from commonplace.indexing.record_faults import RecordFaults, flaw_findings
from commonplace.ports.bundle import Upkeep
from commonplace.ports.index_contents import IndexContents
from commonplace.ports.memory_records import MemoryRecords
from commonplace.ports.record_values import IndexChange, IndexOutcome, Stored


@dataclass(frozen=True)
class UserIndex:
    """The records and the index of one user, at a moment."""

    user_id: str
    now: datetime
    records: MemoryRecords
    upkeep: Upkeep

    def waiting(self) -> frozenset[str]:
        """The ids of what the index need not have yet: searches read it from the record."""
        if self.upkeep.pending is None:
            return frozenset()
        return frozenset(one.memory.memory_id for one in self.upkeep.pending.pending(self.user_id)[0])

    def differing(self, batch: Sequence[Stored], waiting: Collection[str]) -> list[IndexFault]:
        """Which of these are not in line with the index, looked at twice: what was written meanwhile is."""
        contents = self.upkeep.contents
        if contents is None:
            return []
        found = [one.name for one in differing(batch, contents) if one.name not in waiting]
        again = self.records.stored(self.user_id, found) if found else []
        return list(differing(again, contents)) if again else []

    def survey(self) -> tuple[list[IndexFault], list[Finding]]:
        """The documents without a record; and what is wrong in counts and between records. All records are read."""
        between = RecordFaults(self.now)
        with gathered() as flaws:
            known = set[str]()
            for memory in self.records.all(self.user_id):
                between.take(memory)
                known.add(memory.memory_id)
        known |= flaws.unreadable.keys()
        orphans, findings = list[IndexFault](), list(between.findings(self.records))
        if self.upkeep.contents is not None:
            strangers = (one for one in self.upkeep.contents.of_user(self.user_id) if one.memory_id not in known)
            for batch in in_batches(strangers, BATCH):
                orphans += orphaned(batch, self.records)
            findings += map(miscounted, self.upkeep.contents.miscounted(self.user_id))
        return orphans, findings


@dataclass(frozen=True)
class Part:
    """What was found in a part of the records. `last`: the id behind which the next part begins, None at the end."""

    checked: int
    findings: list[Finding]
    last: str | None


def check_part(user: UserIndex, after: str | None, most: int) -> Part:
    """Compares so many records, beginning behind an id, with the index; at the end all that takes more than one of them.

    Raises `IndexUnavailable`.
    """
    waiting = user.waiting()
    with gathered() as flaws:
        part = list(islice(user.upkeep.everything.of_user(user.user_id, after), most))
    findings = [one.finding() for batch in in_batches(part, BATCH) for one in user.differing(batch, waiting)]
    findings += flaw_findings(flaws, user.user_id)
    if len(part) == most:
        return Part(len(part), findings, part[-1].memory.memory_id)
    orphans, others = user.survey()
    return Part(len(part), [*findings, *(one.finding() for one in orphans), *others], None)


@dataclass
class Repaired:
    """What was done, or would be. `left`: what is wrong in records, which a repair leaves as they are."""

    indexed: int = 0
    removed: int = 0
    unchanged: int = 0
    failed: list[FailedRepair] = field(default_factory=list)
    left: list[Finding] = field(default_factory=list)


def repair(user: UserIndex, scope: Scope, dry_run: bool) -> Repaired:
    """Brings one user's index in line with the records; `dry_run` only counts. Raises `IndexUnavailable`."""
    done, contents, waiting = Repaired(), user.upkeep.contents, user.waiting()
    orphans, others = user.survey()  # before anything is mended, which may put a count right: told is what was wrong
    for batch in in_batches(user.upkeep.everything.of_user(user.user_id), BATCH):
        faults = user.differing(batch, waiting)
        ahead = {one.name for one in faults if not one.repairable}
        wanted = {one.name: one.change for one in faults if one.repairable}
        if scope == "all" and contents is not None:
            whole = {one.memory.memory_id: one for one in batch if one.memory.memory_id not in ahead}
            wanted = {**whole, **wanted}
        done.failed += [FailedRepair(id=name, code="ahead") for name in sorted(ahead)]
        done.indexed += _mend(contents, wanted, dry_run, done)
        done.unchanged += len(batch) - len(wanted) - len(ahead)
    for lost in in_batches(orphans, BATCH):
        done.removed += _mend(contents, {one.name: one.change for one in lost}, dry_run, done)
    if contents is not None and not dry_run:
        contents.recount(user.user_id)
    done.indexed += sum(one.repairable for one in others)
    done.left = [one for one in others if not one.repairable]
    return done


def _mend(contents: IndexContents | None, wanted: Mapping[str, IndexChange], dry_run: bool, done: Repaired) -> int:
    """How many are mended, or would be; what can't be is told as failed."""
    if contents is None or not wanted or dry_run:
        return len(wanted)
    failed = [
        FailedRepair(id=name, code=_code(outcome))
        for name, outcome in zip(wanted, contents.mend(list(wanted.values())), strict=True)
        if outcome.state != "done"
    ]
    done.failed += failed
    return len(wanted) - len(failed)


def _code(outcome: IndexOutcome) -> Literal["conflict", "refused", "unavailable"]:
    if outcome.reason == "conflict":
        return "conflict"
    return "unavailable" if outcome.state == "retry" else "refused"
