"""Which memories replaced which, by `superseded_by` and `supersedes`."""

from collections.abc import Iterable, Sequence

from commonplace.domain.memory import Memory
from commonplace.ports.records import MemoryRecords

MERGED, TAKEN_APART = "merged", "taken_apart"
"""Keys in audit details: the ids that a memory was merged from, and closed because one of its sources is erased."""


def successors(memory: Memory, records: MemoryRecords) -> list[Memory]:
    """Return the stored successors of a memory, in order; the last is current or closed."""
    found: dict[str, Memory] = {}
    after = memory.superseded_by
    while after is not None and after not in found:
        later = records.get(memory.user_id, [after])
        found |= {one.memory_id: one for one in later}
        after = later[0].superseded_by if later else None
    return list(found.values())


def lineage(memory_id: str, memories: Iterable[Memory]) -> list[Memory]:
    """Return the memory with all that it replaced and all that replaced it, transitively, in the given order."""
    known = list(memories)
    ids = lineage_ids(memory_id, known)
    return [one for one in known if one.memory_id in ids]


def lineage_ids(memory_id: str, known: Sequence[Memory]) -> set[str]:
    """Return the ids of the lineage, including linked ids that are not among `known`."""
    found, more = set[str](), {memory_id}
    while more:
        found |= more
        linked = {one.memory_id for one in known if {one.superseded_by, one.supersedes} & more}
        named = {link for one in known if one.memory_id in more for link in (one.superseded_by, one.supersedes) if link}
        more = (linked | named) - found
    return found


def made_of(memory: Memory, records: MemoryRecords) -> frozenset[str]:
    """Return the ids that a memory was merged from; empty if it wasn't, or was erased."""
    found = (audit.detail.get(MERGED) for audit in records.audits(memory.user_id, memory.memory_id))
    return frozenset(one for ids in found if isinstance(ids, list) for one in ids)
