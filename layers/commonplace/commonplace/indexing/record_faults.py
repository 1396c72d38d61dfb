"""What is wrong between records themselves, whatever the index has: links that lead nowhere, and places held twice."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from itertools import groupby
from typing import NamedTuple

from commonplace.domain.batching import in_batches
from commonplace.domain.consistency import Finding, Kind
from commonplace.domain.flaws import Flaws, gathered
from commonplace.domain.ids import made_at
from commonplace.domain.memory import Memory
from commonplace.memories.transitions import PURGE_DELAY
from commonplace.ports.records import MemoryRecords
from commonplace.retrieval.documents import fingerprint

_AT_ONCE = 100


class _Named(NamedTuple):
    user_id: str
    memory_id: str


class RecordFaults:
    """Takes in records one by one, of one user or of many, and tells at the end what is wrong between them."""

    def __init__(self, now: datetime) -> None:
        self._now = now
        self._links: dict[str, dict[_Named, str]] = {"superseded_by": {}, "supersedes": {}}
        self._holders: dict[tuple[str, Kind, object], str] = {}
        self._held_twice: list[Finding] = []

    def take(self, memory: Memory) -> None:
        """Takes in one record."""
        for name, links in self._links.items():
            target = getattr(memory, name)
            if target is not None:
                links[_Named(memory.user_id, memory.memory_id)] = target
        if memory.status == "active" and (memory.expires_at is None or memory.expires_at > self._now):
            self._hold(memory, "same_content", fingerprint(memory))
            if memory.key is not None:
                self._hold(memory, "same_key", (memory.collection, memory.key))

    def findings(self, records: MemoryRecords) -> Iterator[Finding]:
        """What is wrong; `records` are asked for what a link leads to."""
        yield from self._held_twice
        for name, links in self._links.items():
            for ring in _circles(links):
                first = min(ring)
                back = f"{name} leads back to it over {len(ring)} memories"
                why = f"{back}; commonplace erase --memory {first} erases them all"
                yield Finding(kind="circle", id=first, detail=why, repairable=False)
        yield from self._broken(records)

    def _hold(self, memory: Memory, kind: Kind, place: object) -> None:
        other = self._holders.setdefault((memory.user_id, kind, place), memory.memory_id)
        if other == memory.memory_id:
            return
        what = "has its key" if kind == "same_key" else "says the same"
        why = f"{other} {what}, and both are active; commonplace delete {memory.memory_id} closes one"
        self._held_twice.append(Finding(kind=kind, id=memory.memory_id, detail=why, repairable=False))

    def _broken(self, records: MemoryRecords) -> Iterator[Finding]:
        known = {one for links in self._links.values() for one in links}
        named = {_Named(one.user_id, target) for links in self._links.values() for one, target in links.items()}
        there = known | _kept(sorted(named - known), records)
        for name, links in self._links.items():
            for one, target in links.items():
                if _Named(one.user_id, target) not in there and not self._may_be_purged(target):
                    why = f"{name} names {target}, which is not there; commonplace history {one.memory_id} shows what is"
                    yield Finding(kind="broken_link", id=one.memory_id, detail=why, repairable=False)

    def _may_be_purged(self, memory_id: str) -> bool:
        """Whether a memory made when its id says may be gone by now in the ordinary way."""
        made = made_at(memory_id)
        return made is not None and made + PURGE_DELAY <= self._now


def flaw_findings(flaws: Flaws, user_id: str) -> Iterator[Finding]:
    """What could not be read of one user, and the dates that are read as the nearest bound."""
    for name in (name for name, owner in flaws.unreadable.items() if owner == user_id):
        why = f"its record can't be read; commonplace erase --memory {name} erases it"
        yield Finding(kind="unreadable", id=name, detail=why, repairable=False)
    for name, fields in flaws.held.items():
        why = f"{', '.join(fields)}: beyond the years 1 to 9000, and read as the nearest of them; nothing has to be done"
        yield Finding(kind="held", id=name, detail=why, repairable=False)


def _kept(named: list[_Named], records: MemoryRecords) -> set[_Named]:
    """Which of these there are, readable or not."""
    found = set[_Named]()
    for user_id, group in groupby(named, key=lambda one: one.user_id):
        for batch in in_batches((one.memory_id for one in group), _AT_ONCE):
            with gathered() as flaws:
                there = [memory.memory_id for memory in records.get(user_id, batch)]
            found |= {_Named(user_id, name) for name in (*there, *flaws.unreadable)}
    return found


def _circles(links: Mapping[_Named, str]) -> Iterator[list[str]]:
    """The ids of each circle that links make, once."""
    done = set[_Named]()
    for start in links:
        path = dict[_Named, None]()
        at = start
        while at in links and at not in done and at not in path:
            path[at] = None
            at = _Named(at.user_id, links[at])
        if at in path:
            names = [one.memory_id for one in path]
            yield names[names.index(at.memory_id) :]
        done |= path.keys()
