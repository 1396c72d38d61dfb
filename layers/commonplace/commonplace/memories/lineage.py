"""Which memories took the place of which: by `superseded_by` and `supersedes`."""

from collections.abc import Iterable, Sequence

from commonplace.domain.memory import Memory
from commonplace.ports.records import MemoryRecords

MERGED, TAKEN_APART = "merged", "taken_apart"
"""In the detail of an audit row: the ids of the memories that one was merged from; that it was closed because one of them is
erased."""


def successors(memory: Memory, records: MemoryRecords) -> list[Memory]:
    """What took the place of a memory, one after the other, as far as it is kept; the last one is current, or closed."""
    found: dict[str, Memory] = {}
    after = memory.superseded_by
    while after is not None and after not in found:
        later = records.get(memory.user_id, [after])
        found |= {one.memory_id: one for one in later}
        after = later[0].superseded_by if later else None
    return list(found.values())


def lineage(memory_id: str, memories: Iterable[Memory]) -> list[Memory]:
    """Of these, the memory of that id with all that it replaced and all that replaced it, in any number of steps.

    Where one memory took the place of several, all of those belong together. In the order of the given ones.
    """
    known = list(memories)
    ids = lineage_ids(memory_id, known)
    return [one for one in known if one.memory_id in ids]


def lineage_ids(memory_id: str, known: Sequence[Memory]) -> set[str]:
    """The ids of the same, and of what is linked with them and not among the given ones."""
    found, more = set[str](), {memory_id}
    while more:
        found |= more
        linked = {one.memory_id for one in known if {one.superseded_by, one.supersedes} & more}
        named = {link for one in known if one.memory_id in more for link in (one.superseded_by, one.supersedes) if link}
        more = (linked | named) - found
    return found


def made_of(memory: Memory, records: MemoryRecords) -> frozenset[str]:
    """The ids of the memories that one was merged from; none where it was not, or where its words are erased."""
    found = (audit.detail.get(MERGED) for audit in records.audits(memory.user_id, memory.memory_id))
    return frozenset(one for ids in found if isinstance(ids, list) for one in ids)
