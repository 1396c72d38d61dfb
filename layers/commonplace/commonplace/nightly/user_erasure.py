"""Erases for good: everything that is kept of a user, or one memory with its history."""

from dataclasses import dataclass

from commonplace.domain.errors import CommonplaceError, ErrorCode
from commonplace.domain.fields import Notes
from commonplace.domain.flaws import gathered
from commonplace.domain.ids import new_operation_id
from commonplace.domain.interactions import Erased
from commonplace.domain.memory import Memory
from commonplace.domain.runs import LEFT_IN_LOG
from commonplace.memories.lineage import lineage_ids
from commonplace.memories.searches import forget_searches
from commonplace.memories.transitions import erased
from commonplace.pages.publishing import erase_pages, publish_changes
from commonplace.ports.record_values import Audit, Change, Operation
from commonplace.ports.user_erasure import UserErasure
from commonplace.runs.apply import Lease, RunContext, leased
from commonplace.runs.finalize import erase_sources
from commonplace.runs.resume import exclusive_lease
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

    def lineage(self, memory_id: str) -> list[Memory]:
        """What `erase_memory` would erase: the memory, all that it replaced and all that replaced it, newest first.

        An id that it had elsewhere leads to it. What of it can't be read is not shown. Raises `NOT_FOUND` when nothing of it
        has any words.
        """
        return self._lineage(memory_id)[0]

    def _lineage(self, memory_id: str) -> tuple[list[Memory], list[str]]:
        """The memories with words, newest first, and the ids of those that can't be read."""
        with gathered() as flaws:
            known = list(self.context.ports.records.all(self.user_id))
            behind = behind_alias(memory_id, self.context.caller, self.context.ports)
        ids = lineage_ids(behind[0].memory_id if behind else memory_id, known)
        found = [memory for memory in known if memory.memory_id in ids]
        with_words = [memory for memory in found if memory.content]
        damaged = [one for one in flaws.unreadable if one in ids]
        if not (with_words or damaged):
            left = "" if not found or self.notes(wait=False) is None else f"; {LEFT_IN_LOG}"
            why = f"was erased already{left}" if found else "no memory has this id"
            raise CommonplaceError(ErrorCode.NOT_FOUND, f"memory_id: {why}", "memory_id")
        return with_words[::-1], damaged

    def erase_memory(self, memory_id: str) -> Erased:
        """Erases a memory with its history; tells the ids of what was erased.

        The texts that it was read from and what runs quote of them go first, then the memories, so that after a crash the
        same call goes on. What stays for 30 days, for every index and process to hear of it, has no word of it. Raises
        `CONFLICT` while a run of this user is at work or a memory is changed in the same moment.
        """
        with exclusive_lease(self.context) as lease:
            memories, damaged = self._lineage(memory_id)
            ids = [*(memory.memory_id for memory in memories), *damaged]
            self.context.ports.usage.fold(self.user_id)  # what was found is counted now, and not again later
            erase_sources(set(ids), set(), self.context, lease)
            for one in damaged:  # first: as long as there are others it is a memory that is forgotten, and no repair
                self.erasure.erase_unreadable(self.user_id, one, forgotten=bool(memories))
            for memory in memories:
                self._erase(memory, lease)
            publish_changes(self.context, "an erasure", ids)
        return Erased(memories=len(ids), ids=tuple(ids), notes=self.notes())

    def _erase(self, memory: Memory, lease: Lease) -> None:
        now = self.context.caller.now
        lease.renew()
        change = Change(erased(memory, now), Audit("erase", now, {}), before=memory, erases=True)
        operation = Operation(new_operation_id(now), self.user_id, "FORGET", now, closes=(change,))
        forget_searches(operation, self.context.ports)
        self.context.ports.operations.apply(operation, lease.fence)
