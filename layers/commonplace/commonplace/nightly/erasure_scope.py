"""What the erasing of one memory takes along: its history, and what was made of it and of others."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from commonplace.domain.memory import Memory
from commonplace.memories.document_words import twins
from commonplace.memories.lineage import TAKEN_APART, made_of
from commonplace.ports.memory_records import MemoryRecords
from commonplace.ports.record_values import Alias
from commonplace.runs.backup_file import Backup


@dataclass(frozen=True)
class ErasureScope:
    """All that goes with one memory, and what comes back in its place.

    `ids`: of all that goes, as far as it is named; some may have no record. `memories`: of those what has words, newest
    first. `damaged`: what can't be read. `merged`: the ids of what was made of it and of others, `standing` those that hold
    the place of these others still, and `left` the others. `purged`: the ids without a record, and `names` what these were
    called elsewhere.
    """

    ids: frozenset[str]
    memories: tuple[Memory, ...]
    damaged: tuple[str, ...]
    merged: frozenset[str]
    standing: tuple[Memory, ...]
    left: tuple[Memory, ...]
    purged: frozenset[str]
    names: frozenset[str] = frozenset()

    @property
    def erased(self) -> tuple[str, ...]:
        """The ids of what is erased, as far as there is anything of it; newest first."""
        return tuple(dict.fromkeys((*(one.memory_id for one in self.memories), *self.damaged, *sorted(self.purged))))


@dataclass(frozen=True)
class Known:
    """What is kept of a user's memories: records, oldest first, the ids of those that can't be read, and backups."""

    records: MemoryRecords
    there: Sequence[Memory]
    unreadable: Collection[str]
    backups: Callable[[], Sequence[Backup]]

    def scope(self, names: Sequence[str], aliases: Sequence[Alias]) -> ErasureScope:
        """The scope of memories by their ids, or by what they were called elsewhere.

        Backups are read where one has no record, and for a passage, which may have had another memory before.
        """
        ids = {one.memory_id for one in self.there}.union(self.unreadable)
        scope = self._scope([one if one in ids else _memory_of(one, aliases) for one in names], self.there)
        if not scope.purged and not any(one.is_passage for one in scope.memories):
            return scope
        backups = self.backups()
        aliases = [*aliases, *(one for backup in backups for one in backup.aliases if one.memory_id not in ids)]
        kept = {one.memory_id: one for backup in backups for one in backup.records if one.memory_id not in ids}
        found = sorted((one.memory for one in kept.values() if one.memory), key=lambda one: one.memory_id)
        wanted = [one if one in ids else _memory_of(one, aliases) for one in names]
        scope = self._scope(wanted, [*found, *self.there])
        told = kept.keys() | {one.memory_id for one in aliases}
        gone = frozenset(one.name for one in aliases if one.memory_id in scope.purged)
        return replace(scope, purged=scope.purged & told, names=gone)

    def _scope(self, memory_ids: Sequence[str], known: Sequence[Memory]) -> ErasureScope:
        damaged_too = any(one in self.unreadable for one in memory_ids)
        reach = _Reach({one.memory_id: one for one in known}, damaged_too, self.records)
        current = {one.memory_id for one in self.there if one.status == "active"}
        for memory_id in memory_ids:
            reach.follow(memory_id)
        while more := twins([one for one in known if one.memory_id in reach.whole], known, current):
            for memory_id in more:
                reach.follow(memory_id)
        ids = frozenset(reach.whole | reach.merged)
        words = [one for one in known if one.memory_id in ids and one.content]
        damaged = tuple(one for one in self.unreadable if one in ids)
        standing = tuple(one for one in words if reach.stands(one.memory_id))
        others = (one for one in self.there if one.memory_id not in ids and one.content)
        left = tuple(one for one in others if reach.stands(one.superseded_by))
        purged = ids.difference(self.unreadable, (one.memory_id for one in self.there))
        return ErasureScope(ids, tuple(words[::-1]), damaged, frozenset(reach.merged), standing, left, purged)


def _memory_of(name: str, aliases: Sequence[Alias]) -> str:
    return next((one.memory_id for one in aliases if one.name == name and not one.withdrawn), name)


@dataclass
class _Reach:
    """How far an erasure goes. `whole`: what goes with all that it replaced; `merged`: only what was made of that, too."""

    known: Mapping[str, Memory]
    damaged: bool
    records: MemoryRecords
    whole: set[str] = field(default_factory=set)
    merged: set[str] = field(default_factory=set)
    sources: dict[str, frozenset[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.closed_by, self.named_by = defaultdict[str, list[str]](list), defaultdict[str, list[str]](list)
        for one in self.known.values():
            self.closed_by[one.superseded_by or ""].append(one.memory_id)
            self.named_by[one.supersedes or ""].append(one.memory_id)
        # Of a merge that was taken back no link tells any more, nor does a record that can't be read.
        self.suspects = [
            one.memory_id
            for one in self.known.values()
            if one.content and (one.status == "deleted" or (self.damaged and one.supersedes))
        ]

    def follow(self, memory_id: str) -> None:
        """Goes on from a memory until there is no more."""
        ahead = [(memory_id, True)]
        while ahead:
            one, whole = ahead.pop()
            if one in self.whole or (one in self.merged and not whole):
                continue
            (self.whole if whole else self.merged).add(one)
            ahead += [(new, one not in self._sources(new)) for new in self._newer(one)]
            ahead += [(old, True) for old in self._older(one)] if whole else []
        self.merged -= self.whole

    def stands(self, memory_id: str | None) -> bool:
        """Whether a merged memory, or what was merged of it, holds the place of what it was made of."""
        memory = self.known.get(memory_id or "")
        if memory is None or memory.memory_id not in self.merged:
            return False
        return memory.status == "active" or self.stands(memory.superseded_by) or self._is_taken_apart(memory)

    def _newer(self, memory_id: str) -> Iterator[str]:
        memory = self.known.get(memory_id)
        if memory is not None and memory.superseded_by is not None:
            yield memory.superseded_by
        yield from self.named_by[memory_id]
        yield from (one for one in self.suspects if memory_id in self._sources(one))

    def _older(self, memory_id: str) -> Iterator[str]:
        memory = self.known.get(memory_id)
        if memory is not None and memory.supersedes is not None:
            yield memory.supersedes
        yield from self.closed_by[memory_id]

    def _sources(self, memory_id: str) -> frozenset[str]:
        if memory_id not in self.sources:
            memory = self.known.get(memory_id)
            self.sources[memory_id] = frozenset() if memory is None else made_of(memory, self.records)
        return self.sources[memory_id]

    def _is_taken_apart(self, memory: Memory) -> bool:
        """Whether an erasure that died has closed it, and not put all of the others in its place yet."""
        return memory.status == "deleted" and any(
            one.detail.get(TAKEN_APART) for one in self.records.audits(memory.user_id, memory.memory_id)[-1:]
        )
