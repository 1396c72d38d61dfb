"""Permanently erase all data of a user, or one memory with its history and with memories merged from it."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from commonplace.domain.documents import check_place, reference_of
from commonplace.domain.errors import CommonplaceError, ErrorCode, of_type
from commonplace.domain.fields import Notes
from commonplace.domain.flaws import gathered
from commonplace.domain.ids import new_operation_id
from commonplace.domain.interactions import Erased
from commonplace.domain.memory import Memory
from commonplace.domain.runs import LEFT_IN_LOG
from commonplace.memories.document_words import twins
from commonplace.memories.lineage import UNMERGED, made_of
from commonplace.memories.searches import forget_searches
from commonplace.memories.transitions import erased
from commonplace.pages.publishing import erase_pages, publish_changes
from commonplace.ports.records import MemoryRecords, UserErasure
from commonplace.ports.values import Alias, Audit, Change, Operation
from commonplace.runs.apply import Lease, RunContext, leased
from commonplace.runs.backup_file import Backup, stored_backups
from commonplace.runs.finalize import erase_sources
from commonplace.runs.queueing import exclusive_lease
from commonplace.text.paraphrase.repeats import bare_words
from commonplace.use_cases.named import behind_alias
from commonplace.use_cases.unmerge import Unmerge


@dataclass(frozen=True)
class ErasureScope:
    """The records to erase together with a memory, and the merges to repeat without them.

    `ids` contains the ids of all erased memories. Of these, `damaged` ids have an unreadable record, and `purged` ids have
    none. `memories` contains the erased records that still have text, newest first. `merged` contains the ids of memories
    merged from both erased and other sources, and `left` contains the other sources. `standing` contains the merged memories
    that still replace these sources. `names` contains the external names of the purged ids.
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
        """The ids that still have data: first readable memories (newest first), then unreadable records, then purged ids."""
        return tuple(dict.fromkeys((*(memory.memory_id for memory in self.memories), *self.damaged, *sorted(self.purged))))


@dataclass(frozen=True)
class Known:
    """A user's stored memories: the records (oldest first), the ids of unreadable records, and the backups."""

    records: MemoryRecords
    stored: Sequence[Memory]
    unreadable: Collection[str]
    backups: Callable[[], Sequence[Backup]]

    def scope(self, names: Sequence[str], aliases: Sequence[Alias], document: str | None = None) -> ErasureScope:
        """Return the scope of an erasure of the memories with these ids or external names.

        Backups are read if an id has no record, or if a memory is a passage, whose text may have had another memory earlier.
        `document` is the reference of a document that is erased as a whole. Active copies elsewhere are kept.
        """
        ids = {memory.memory_id for memory in self.stored}.union(self.unreadable)
        scope = self._find_scope(_resolve(names, aliases, ids), self.stored, document)
        if not scope.purged and not any(memory.is_passage for memory in scope.memories):
            return scope
        backups = self.backups()
        aliases = [*aliases, *(alias for backup in backups for alias in backup.aliases if alias.memory_id not in ids)]
        records = {record.memory_id: record for backup in backups for record in backup.records if record.memory_id not in ids}
        items = sorted((record.memory for record in records.values() if record.memory), key=lambda memory: memory.memory_id)
        scope = self._find_scope(_resolve(names, aliases, ids), [*items, *self.stored], document)
        known_ids = records.keys() | {alias.memory_id for alias in aliases}
        gone = frozenset(alias.name for alias in aliases if alias.memory_id in scope.purged)
        return replace(scope, purged=scope.purged & known_ids, names=gone)

    def _find_scope(self, memory_ids: Sequence[str], known: Sequence[Memory], document: str | None) -> ErasureScope:
        damaged_too = any(memory_id in self.unreadable for memory_id in memory_ids)
        reach = _Reach({memory.memory_id: memory for memory in known}, damaged_too, self.records)
        current = {memory.memory_id for memory in self.stored if memory.status == "active"}
        for memory_id in memory_ids:
            reach.follow(memory_id)
        may_go = [memory for memory in known if document in (None, memory.session_id) or memory.memory_id not in current]
        while more := twins([memory for memory in may_go if memory.memory_id in reach.whole], may_go, current):
            for memory_id in more:
                reach.follow(memory_id)
        # An undone import or nightly run leaves a closed copy. So does a deletion, if the same text is then stored again.
        while copies := reach.closed_copies(memory for memory in self.stored if memory.status != "active"):
            for memory_id in copies:
                reach.follow(memory_id, is_copy=True)
        reach.merged -= reach.whole
        ids = frozenset(reach.whole | reach.merged)
        words = [memory for memory in known if memory.memory_id in ids and memory.content]
        damaged = tuple(memory_id for memory_id in self.unreadable if memory_id in ids)
        standing = tuple(memory for memory in words if reach.still_replaces(memory.memory_id))
        memories = (memory for memory in self.stored if memory.memory_id not in ids and memory.content)
        left = tuple(memory for memory in memories if reach.still_replaces(memory.superseded_by))
        purged = ids.difference(self.unreadable, (memory.memory_id for memory in self.stored))
        return ErasureScope(ids, tuple(words[::-1]), damaged, frozenset(reach.merged), standing, left, purged)


def _resolve(names: Sequence[str], aliases: Sequence[Alias], ids: Collection[str]) -> list[str]:
    """Return the memory id for each id or external name. Unknown names are returned unchanged."""
    by_name = {alias.name: alias.memory_id for alias in reversed(aliases) if not alias.withdrawn}
    return [name if name in ids else by_name.get(name, name) for name in names]


@dataclass
class _Reach:
    known: Mapping[str, Memory]
    damaged: bool
    records: MemoryRecords
    whole: set[str] = field(default_factory=set)
    merged: set[str] = field(default_factory=set)
    sources: dict[str, frozenset[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.closed_by, self.named_by = defaultdict[str, list[str]](list), defaultdict[str, list[str]](list)
        for memory in self.known.values():
            self.closed_by[memory.superseded_by or ""].append(memory.memory_id)
            self.named_by[memory.supersedes or ""].append(memory.memory_id)
        # The links of an undone merge or an unreadable record are missing.
        self.suspects = [
            memory.memory_id
            for memory in self.known.values()
            if memory.content and (memory.status == "deleted" or (self.damaged and memory.supersedes))
        ]

    def follow(self, memory_id: str, is_copy: bool = False) -> None:
        """Add a memory and all linked memories to the scope. For a copy, newer versions that are still in use stay out."""
        ahead = [(memory_id, True)]
        while ahead:
            reached, whole = ahead.pop()
            if reached in self.whole or (reached in self.merged and not whole):
                continue
            (self.whole if whole else self.merged).add(reached)
            newer = [new for new in self._find_newer(reached) if not is_copy or not self._has_active_successor(new)]
            ahead += [(new, reached not in self._find_sources(new)) for new in newer]
            memory = self.known.get(reached)
            older = [memory.supersedes] if memory is not None and memory.supersedes is not None else []
            ahead += [(old, True) for old in (*older, *self.closed_by[reached])] if whole else []
        self.merged -= self.whole

    def closed_copies(self, closed: Iterable[Memory]) -> list[str]:
        """Return the ids of closed memories outside the scope that have the same words as an erased memory."""
        words = {bare_words(self.known[memory_id].content) for memory_id in self.whole if memory_id in self.known} - {()}
        return [item.memory_id for item in closed if item.memory_id not in self.whole and bare_words(item.content) in words]

    def _has_active_successor(self, memory_id: str) -> bool:
        seen, ahead = set[str](), {memory_id}
        while ahead:
            if any(self.known[memory_id].status == "active" for memory_id in ahead if memory_id in self.known):
                return True
            seen |= ahead
            ahead = {new for memory_id in ahead for new in self._find_newer(memory_id)} - seen
        return False

    def still_replaces(self, memory_id: str | None) -> bool:
        """Return whether a merged memory, or a merged memory that superseded it, still replaces its sources."""
        memory = self.known.get(memory_id or "")
        if memory is None or memory.memory_id not in self.merged:
            return False
        return memory.status == "active" or self.still_replaces(memory.superseded_by) or self._is_separated(memory)

    def _find_newer(self, memory_id: str) -> Iterator[str]:
        """Yield the memories that replaced a memory, and the merges that include it."""
        memory = self.known.get(memory_id)
        if memory is not None and memory.superseded_by is not None:
            yield memory.superseded_by
        yield from self.named_by[memory_id]
        yield from (suspect for suspect in self.suspects if memory_id in self._find_sources(suspect))

    def _find_sources(self, memory_id: str) -> frozenset[str]:
        if memory_id not in self.sources:
            memory = self.known.get(memory_id)
            self.sources[memory_id] = frozenset() if memory is None else made_of(memory, self.records)
        return self.sources[memory_id]

    def _is_separated(self, memory: Memory) -> bool:
        """Return whether an erasure closed the memory but crashed before it restored all other sources."""
        return memory.status == "deleted" and any(
            audit.detail.get(UNMERGED) for audit in self.records.audits(memory.user_id, memory.memory_id)[-1:]
        )


@dataclass(frozen=True)
class ErasableUser:
    """Count and erase the data of one user."""

    context: RunContext
    erasure: UserErasure

    @property
    def user_id(self) -> str:
        return self.context.user_id

    def memories(self) -> int:
        """Count the user's memories, including closed and unreadable records."""
        with gathered() as flaws:
            return sum(1 for _ in self.context.ports.records.all(self.user_id)) + len(flaws.unreadable)

    def erase(self) -> Erased:
        """Permanently erase all of the user's data, first files, then pages, then the rest. Returns the number of memories.

        Raises `CONFLICT` while a run of this user is active, because the run could write the data back. The call is safe
        to repeat after a crash.
        """
        with leased(self.context):
            memories = self.memories()
            if self.context.ports.files is not None:
                self.context.ports.files.delete_all(self.user_id)
            if self.context.night.pages is not None:
                erase_pages(self.context.night.pages(self.user_id))
            self.erasure.erase(self.user_id)
        return Erased(memories=memories, notes=self.notes())

    def notes(self, wait: bool = True) -> Notes | None:
        """Return a warning if erased data remains in a log file. If `wait` is true, first wait a few seconds."""
        return None if self.context.night.finish_erasing(wait) else Notes(warnings=[LEFT_IN_LOG])

    def scope(self, memory_id: str) -> ErasureScope:
        """Return the scope of `erase_memory`, which is the memory, its lineage, memories merged from it, and affected merges.

        `memory_id` may be an external id. If an id has no record, its memory is looked up in the backups. Raises `NOT_FOUND`
        if none of the memory's text is stored.
        """
        return self._find_scope([of_type(str, memory_id, "memory_id")])

    def _find_scope(self, ids: Sequence[str], document: str | None = None) -> ErasureScope:
        ports = self.context.ports
        with gathered() as flaws:
            memories = list(ports.records.all(self.user_id))
            behind = [(memory_id, behind_alias(memory_id, self.context.caller, ports)) for memory_id in ids]
        files = ports.files
        known = Known(ports.records, memories, flaws.unreadable, lambda: stored_backups(files, self.user_id) if files else [])
        names = [reached[0].memory_id if reached else name for name, reached in behind]
        scope = known.scope(names, list(ports.aliases.all(self.user_id)), document)
        if not scope.erased:
            exists = any(memory.memory_id in scope.ids for memory in memories) or bool(ports.erased.among(self.user_id, ids))
            left = "" if not exists or self.notes(wait=False) is None else f"; {LEFT_IN_LOG}"
            why = f"was erased already{left}" if exists else "no memory has this id"
            raise CommonplaceError(ErrorCode.NOT_FOUND, f"memory_id: {why}", "memory_id")
        return scope

    def erase_memory(self, memory_id: str) -> Erased:
        """Erase a memory with its older and newer values. Returns the erased ids and the ids of merges repeated without it.

        Memories merged from the erased memory are erased too. Their other sources are merged again, or reopened if they can't
        be merged. If a merged memory was later given a new value, its other sources are erased too. Erasing a passage also
        erases earlier versions of its text, their memories, and copies in other documents. Source texts and quotes in runs
        are erased before the memories, so that a repeated call completes the erasure after a crash. Records without text
        remain for 30 days to inform all indexes and processes of the erasure. Raises `CONFLICT` while a run of this user is
        active, or if a memory changes concurrently.
        """
        return self._erase_memories([of_type(str, memory_id, "memory_id")])

    def _erase_memories(self, memory_ids: Sequence[str], document: str | None = None) -> Erased:
        with exclusive_lease(self.context) as lease:
            scope = self._find_scope(memory_ids, document)
            ids = scope.erased
            self.context.ports.usage.fold(self.user_id)  # write pending usage counts before the erasure
            places = forget_searches(self.user_id, scope.memories, self.context.ports)
            places |= erase_sources(set(scope.ids), set(), self.context, lease, merged=scope.merged)[1]
            if scope.purged:
                self.erasure.forget_purged(self.user_id, scope.purged, scope.names)
            for memory_id in scope.damaged:  # first, while other records still show that words are erased
                self.erasure.erase_unreadable(self.user_id, memory_id, forgotten=bool(scope.memories))
            remade = Unmerge(scope.left, scope.standing, lease).make() if scope.left else ()
            # Erase the given memories last, because after a crash, their words are needed to find the others.
            order = sorted(scope.memories, key=lambda memory: memory.memory_id in memory_ids)
            for memory in self.context.ports.records.get(self.user_id, [memory.memory_id for memory in order]):
                self._erase_memory(memory, lease, memory.memory_id in scope.merged)
            trouble = publish_changes(self.context, "an erasure", ids)
            was_shown = any(memory.status == "active" for memory in scope.memories)
            places |= {"pages"} if self.context.night.pages is not None and trouble is None and was_shown else set()
        return Erased(memories=len(ids), ids=ids, places=tuple(sorted(places)), made_again=remade, notes=self.notes())

    def erase_document(self, namespace: Sequence[str], key: str) -> Erased:
        """Erase a document with all its versions, then the memories of its passages. Returns the ids of these memories.

        The call is safe to repeat after a crash. Raises `NOT_FOUND` if none of the document's data is left, and `CONFLICT`
        while a run of this user is active.
        """
        check_place(namespace, key)
        documents = self.context.ports.documents
        passages = self._find_passages(namespace, key)
        exists = documents.get(self.user_id, namespace, key) is not None
        with exclusive_lease(self.context):
            documents.erase(self.user_id, namespace, key)  # even if missing, as an earlier erasure may have crashed
        if not passages and not exists:
            raise CommonplaceError(ErrorCode.NOT_FOUND, "key: there is no such document", "key")
        nothing = Erased(memories=0, notes=self.notes())
        erased = self._erase_memories(passages, reference_of(namespace, key)) if passages else nothing
        return erased.model_copy(update={"places": tuple(sorted({*erased.places, "documents"}))})

    def _find_passages(self, namespace: Sequence[str], key: str) -> list[str]:
        ports, reference = self.context.ports, reference_of(namespace, key)
        with gathered() as flaws:
            memories = {memory.memory_id: memory for memory in ports.records.all(self.user_id)}
        versions = ports.documents.versions(self.user_id, namespace, key)
        passage_ids = {passage.memory_id for version in versions for passage in version.passages}
        backups = stored_backups(ports.files, self.user_id) if ports.files else []
        records = (record for backup in backups for record in backup.records if record.memory_id not in memories)
        ids = [name for name, memory in memories.items() if memory.session_id == reference and memory.content]
        damaged = [memory_id for memory_id in flaws.unreadable if memory_id in passage_ids]
        alone = [
            record.memory_id
            for record in records
            if record.memory_id in passage_ids or (record.memory and record.memory.session_id == reference)
        ]
        return list(dict.fromkeys((*ids, *damaged, *alone)))

    def _erase_memory(self, memory: Memory, lease: Lease, merged: bool) -> None:
        """Erase the words of one memory. If it was `merged` from others, its link to an older value is removed as well."""
        now = self.context.caller.now
        lease.renew()
        without = erased(memory, now)
        if merged:  # otherwise a repeated erasure would follow the link to the other sources
            without = without.model_copy(update={"supersedes": None})
        change = Change(without, Audit("erase", now, {}), before=memory, erases=True)
        operation = Operation(new_operation_id(now), self.user_id, "FORGET", now, closes=(change,))
        self.context.ports.operations.apply(operation, lease.fence)
