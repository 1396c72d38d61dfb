"""One user's memories, as pages are held against them."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import tzinfo
from functools import cached_property

from commonplace.markdown.page import zone_of
from commonplace.models.memory import Memory
from commonplace.nightly.restoring import changes_since
from commonplace.ports import Caller, MemoryRecords, Ports, Visibility
from commonplace.visibility import may_see


@dataclass(frozen=True)
class Record:
    """All memories by id, closed ones too. The pages are the user's own: they show what is current, of every agent."""

    memories: Mapping[str, Memory]
    seen: Visibility
    records: MemoryRecords
    zone: tzinfo

    @cached_property
    def current(self) -> list[Memory]:
        """What a page shows."""
        return [memory for memory in self.memories.values() if self.is_current(memory)]

    def is_current(self, memory: Memory) -> bool:
        """Whether a page shows it."""
        return may_see(self.seen, memory)

    def changed_since(self, memory: Memory, version: int) -> bool:
        """Whether it was changed since that version; to count its use or to embed it again is no change."""
        return version > memory.version or bool(changes_since(memory, version, self.records))


def read_record(caller: Caller, ports: Ports) -> Record:
    """Everything that there is of the user."""
    memories = {memory.memory_id: memory for memory in ports.records.all(caller.user_id)}
    agents = tuple({memory.agent_id for memory in memories.values()})
    return Record(memories, Visibility(caller.user_id, agents, caller.now), ports.records, zone_of(caller))
