"""Erases for good: everything that is kept of a user, or one memory with its history."""

from collections.abc import Sequence
from dataclasses import dataclass

from commonplace.domain.documents import check_place, reference_of
from commonplace.domain.errors import CommonplaceError, ErrorCode, of_type
from commonplace.domain.fields import Notes
from commonplace.domain.flaws import gathered
from commonplace.domain.ids import new_operation_id
from commonplace.domain.interactions import Erased
from commonplace.domain.memory import Memory
from commonplace.domain.runs import LEFT_IN_LOG
from commonplace.memories.searches import forget_searches
from commonplace.memories.transitions import erased
from commonplace.nightly.erasure_scope import ErasureScope, Known
from commonplace.pages.publishing import erase_pages, publish_changes
from commonplace.ports.record_values import Audit, Change, Operation
from commonplace.ports.user_erasure import UserErasure
from commonplace.runs.apply import Lease, RunContext, leased
from commonplace.runs.backup_file import kept_backups
from commonplace.runs.finalize import erase_sources
from commonplace.runs.resume import exclusive_lease
from commonplace.use_cases.merged_again import MergedAgain
from commonplace.use_cases.named import behind_alias


@dataclass(frozen=True)
class ErasableUser:
    """A user whose data can be counted and erased."""

    context: RunContext
    erasure: UserErasure

    @property
    def user_id(self) -> str:
        """The user's id."""
        return self.context.user_id

    def memories(self) -> int:
        """The number of the user's memories, closed ones too, and those that can't be read."""
        with gathered() as flaws:
            return sum(1 for _ in self.context.ports.records.all(self.user_id)) + len(flaws.unreadable)

    def erase(self) -> Erased:
        """Erases everything for good, the pages first; tells how many memories there were.

        Raises `CONFLICT` while a run of this user is at work, for it would write what it has read. Safe to repeat after a
        crash.
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
        """What is left of anything that was erased; None as soon as it is gone. `wait`: some seconds for who reads there."""
        return None if self.context.night.finish_erasing(wait) else Notes(warnings=[LEFT_IN_LOG])

    def scope(self, memory_id: str) -> ErasureScope:
        """What `erase_memory` would erase: the memory, all that it replaced and all that replaced it, and what was merged of
        it; and what that would leave of others.

        An id that it had elsewhere leads to it, and one of which no record is left to what backups have of it. Raises
        `NOT_FOUND` when nothing of it has any words.
        """
        return self._scope([of_type(str, memory_id, "memory_id")])

    def _scope(self, memory_ids: Sequence[str]) -> ErasureScope:
        """The same of several memories at once."""
        ports = self.context.ports
        with gathered() as flaws:
            there = list(ports.records.all(self.user_id))
            behind = [(one, behind_alias(one, self.context.caller, ports)) for one in memory_ids]
        known = Known(
            ports.records,
            there,
            flaws.unreadable,
            lambda: kept_backups(ports.files, self.user_id) if ports.files else [],
        )
        names = [found[0].memory_id if found else one for one, found in behind]
        scope = known.scope(names, list(ports.aliases.all(self.user_id)))
        if not scope.erased:
            found = any(one.memory_id in scope.ids for one in there) or bool(ports.erased.among(self.user_id, memory_ids))
            left = "" if not found or self.notes(wait=False) is None else f"; {LEFT_IN_LOG}"
            why = f"was erased already{left}" if found else "no memory has this id"
            raise CommonplaceError(ErrorCode.NOT_FOUND, f"memory_id: {why}", "memory_id")
        return scope

    def erase_memory(self, memory_id: str) -> Erased:
        """Erases a memory with its history; tells the ids of what was erased, and of what was made again without it.

        The texts that it was read from and what runs quote of them go first, then the memories, so that after a crash the
        same call goes on. What was merged of it and of others goes, too: of the others one memory is made again. Of a
        passage all goes that its document held of its words before, with the memories of that. What stays for 30 days, for
        every index and process to hear of it, has no word of it. Raises `CONFLICT` while a run of this user is at work or a
        memory is changed in the same moment.
        """
        return self._erase_memories([of_type(str, memory_id, "memory_id")])

    def _erase_memories(self, memory_ids: Sequence[str]) -> Erased:
        with exclusive_lease(self.context) as lease:
            scope = self._scope(memory_ids)
            ids = scope.erased
            self.context.ports.usage.fold(self.user_id)  # what was found is counted now, and not again later
            places = forget_searches(self.user_id, scope.memories, self.context.ports)
            places |= erase_sources(set(scope.ids), set(), self.context, lease, merged=scope.merged)[1]
            if scope.purged:
                self.erasure.forget_purged(self.user_id, scope.purged, scope.names)
            for one in scope.damaged:  # first: as long as there are others it is a memory that is forgotten, and no repair
                self.erasure.erase_unreadable(self.user_id, one, forgotten=bool(scope.memories))
            again = MergedAgain(scope.left, scope.standing, lease).make() if scope.left else ()
            for memory in self.context.ports.records.get(self.user_id, [one.memory_id for one in scope.memories]):
                self._erase(memory, lease, memory.memory_id in scope.merged)
            trouble = publish_changes(self.context, "an erasure", ids)
            if self.context.night.pages is not None and trouble is None and any(map(_is_on_page, scope.memories)):
                places.add("pages")
        return Erased(memories=len(ids), ids=ids, places=tuple(sorted(places)), made_again=again, notes=self.notes())

    def erase_document(self, namespace: Sequence[str], key: str) -> Erased:
        """Erases a document with its versions, then every memory that was derived from one of them; tells their ids.

        Safe to repeat after a crash. Raises `NOT_FOUND` when nothing of it is left, and `CONFLICT` while a run of this
        user is at work.
        """
        check_place(namespace, key)
        documents = self.context.ports.documents
        passages = self._passages(namespace, key)
        is_there = documents.get(self.user_id, namespace, key) is not None
        with exclusive_lease(self.context):
            documents.erase(self.user_id, namespace, key)  # also where there is none: an erasure may have died half-way
        if not passages and not is_there:
            raise CommonplaceError(ErrorCode.NOT_FOUND, "key: there is no such document", "key")
        erased = self._erase_memories(passages) if passages else Erased(memories=0, notes=self.notes())
        return erased.model_copy(update={"places": tuple(sorted({*erased.places, "documents"}))})

    def _passages(self, namespace: Sequence[str], key: str) -> list[str]:
        """The ids of what was derived from a document and has words: in a record, or only in a backup."""
        ports, reference = self.context.ports, reference_of(namespace, key)
        with gathered() as flaws:
            there = {one.memory_id: one for one in ports.records.all(self.user_id)}
        versions = ports.documents.versions(self.user_id, namespace, key)
        told = {one.memory_id for version in versions for one in version.passages}
        backups = kept_backups(ports.files, self.user_id) if ports.files else []
        kept = (one for backup in backups for one in backup.records if one.memory_id not in there)
        found = [name for name, one in there.items() if one.session_id == reference and one.content]
        damaged = [one for one in flaws.unreadable if one in told]
        alone = [
            one.memory_id for one in kept if one.memory_id in told or (one.memory and one.memory.session_id == reference)
        ]
        return list(dict.fromkeys((*found, *damaged, *alone)))

    def _erase(self, memory: Memory, lease: Lease, merged: bool) -> None:
        now = self.context.caller.now
        lease.renew()
        without = erased(memory, now)
        if merged:  # it leads to none of the others any more
            without = without.model_copy(update={"supersedes": None})
        change = Change(without, Audit("erase", now, {}), before=memory, erases=True)
        operation = Operation(new_operation_id(now), self.user_id, "FORGET", now, closes=(change,))
        self.context.ports.operations.apply(operation, lease.fence)


def _is_on_page(memory: Memory) -> bool:
    return memory.status == "active"
