"""One user's records and index: compared part by part, and the index brought in line."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice
from typing import Literal, Protocol, TypeVar

from pydantic import TypeAdapter

from commonplace.domain.batching import in_batches
from commonplace.domain.consistency import FailedRepair, Finding, Scope
from commonplace.domain.flaws import gathered
from commonplace.indexing.consistency import BATCH, IndexFault, RecordFaults, differing, flaw_findings, miscounted, orphaned
from commonplace.ports.bundle import Upkeep
from commonplace.ports.index import IndexContents
from commonplace.ports.records import MemoryRecords
from commonplace.ports.values import IndexChange, IndexOutcome, OutOfTime, Stored

_T = TypeVar("_T")


class InTime(Protocol):
    """Gives things one by one, as long as there is time; raises `OutOfTime`."""

    def __call__(self, things: Iterable[_T], /) -> Iterator[_T]:
        """The same things."""


@dataclass(frozen=True)
class UserIndex:
    """The records and the index of one user, at a moment. `progress` is told how many a repair has looked at."""

    user_id: str
    now: datetime
    records: MemoryRecords
    upkeep: Upkeep
    in_time: InTime = iter
    progress: Callable[[int], None] = lambda _checked: None

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
            for memory in self.in_time(self.records.all(self.user_id)):
                between.take(memory)
                known.add(memory.memory_id)
        known |= flaws.unreadable.keys()
        orphans, findings = list[IndexFault](), list(between.findings(self.records))
        if self.upkeep.contents is not None:
            strangers = (one for one in self.upkeep.contents.of_user(self.user_id) if one.memory_id not in known)
            for batch in self.in_time(in_batches(strangers, BATCH)):
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
    batches = user.in_time(in_batches(part, BATCH))
    findings = [one.finding() for batch in batches for one in user.differing(batch, waiting)]
    findings += flaw_findings(flaws, user.user_id)
    if len(part) == most:
        return Part(len(part), findings, part[-1].memory.memory_id)
    orphans, others = user.survey()
    return Part(len(part), [*findings, *(one.finding() for one in orphans), *others], None)


@dataclass
class Repaired:
    """What was done, or would be. `left`: what is wrong in records, which a repair leaves as they are.

    `checked`: how many records were looked at, and `last` the id of the last, behind which a repair goes on; `others`: what
    was wrong beside records and documents before anything was mended.
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
    """Brings one user's index in line with the records; `dry_run` only counts. Raises `IndexUnavailable`.

    Goes on from what was `done` before. Raises `OutOfTime`, which tells what is done by then.
    """
    done, contents = done or Repaired(), user.upkeep.contents
    try:
        if done.others is None:  # before anything is mended, which may put a count right: told is what was wrong
            _take_out_orphans(user, dry_run, done)
        _repair_documents(user, scope, dry_run, done)
    except OutOfTime:
        raise OutOfTime(REPAIRED.dump_python(done, mode="json")) from None
    if contents is not None and not dry_run:
        contents.recount(user.user_id)
    others = done.others or []
    done.indexed += sum(one.repairable for one in others)
    done.left = [one for one in others if not one.repairable]
    return done


def _take_out_orphans(user: UserIndex, dry_run: bool, done: Repaired) -> None:
    orphans, others = user.survey()
    for lost in in_batches(orphans, BATCH):
        done.removed += _mend(user.upkeep.contents, {one.name: one.change for one in lost}, dry_run, done)
    done.others = others


def _repair_documents(user: UserIndex, scope: Scope, dry_run: bool, done: Repaired) -> None:
    contents, waiting = user.upkeep.contents, user.waiting()
    for batch in user.in_time(in_batches(user.upkeep.everything.of_user(user.user_id, done.last), BATCH)):
        faults = user.differing(batch, waiting)
        ahead = {one.name for one in faults if not one.repairable}
        wanted = {one.name: one.change for one in faults if one.repairable}
        if scope == "all" and contents is not None:
            whole = {one.memory.memory_id: one for one in batch if one.memory.memory_id not in ahead}
            wanted = {**whole, **wanted}
        done.failed += [FailedRepair(id=name, code="ahead") for name in sorted(ahead)]
        done.indexed += _mend(contents, wanted, dry_run, done)
        done.unchanged += len(batch) - len(wanted) - len(ahead)
        done.checked, done.last = done.checked + len(batch), batch[-1].memory.memory_id
        user.progress(done.checked)


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
