"""Follow the replacements of memories through the fields `superseded_by` and `supersedes`."""

from collections.abc import Iterable, Sequence

from commonplace.domain.memory import Memory
from commonplace.ports.records import MemoryRecords

MERGED, UNMERGED = "merged", "taken_apart"
"""Keys in audit details. `MERGED` lists a merge's source ids. `UNMERGED` marks a merge closed because a source was erased."""


def successors(memory: Memory, records: MemoryRecords) -> list[Memory]:
    """Return the chain of stored memories that replaced a memory one after another, newest last."""
    chain: dict[str, Memory] = {}
    after = memory.superseded_by
    while after is not None and after not in chain:
        later = records.get(memory.user_id, [after])
        chain |= {memory.memory_id: memory for memory in later}
        after = later[0].superseded_by if later else None
    return list(chain.values())


def lineage(memory_id: str, memories: Iterable[Memory]) -> list[Memory]:
    """Return the memory, all its predecessors and all its successors, in the order of `memories`."""
    known = list(memories)
    ids = lineage_ids(memory_id, known)
    return [memory for memory in known if memory.memory_id in ids]


def lineage_ids(memory_id: str, known: Sequence[Memory]) -> set[str]:
    """Return the ids in a memory's lineage, including linked ids that are not in `known`."""
    seen, more = set[str](), {memory_id}
    while more:
        seen |= more
        linked = {memory.memory_id for memory in known if {memory.superseded_by, memory.supersedes} & more}
        named = {link for item in known if item.memory_id in more for link in (item.superseded_by, item.supersedes) if link}
        more = (linked | named) - seen
    return seen


def made_of(memory: Memory, records: MemoryRecords) -> frozenset[str]:
    """Return the ids of the memories that were merged into `memory`. If it is not a merge, or was erased, there are none."""
    sources = (audit.detail.get(MERGED) for audit in records.audits(memory.user_id, memory.memory_id))
    return frozenset(memory_id for ids in sources if isinstance(ids, list) for memory_id in ids)
