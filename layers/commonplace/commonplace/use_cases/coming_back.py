"""Memories of a backup of which no record is left, as they come back: with vectors, versions, old names and feedback."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence

from commonplace.domain.errors import CommonplaceError, ErrorCode
from commonplace.domain.memory import Memory
from commonplace.ports.bundle import Ports
from commonplace.ports.record_values import Alias, Audit, Change, RawRecord, Stored
from commonplace.ports.values import RATINGS_KEPT, Caller, IndexUnavailable, Rating
from commonplace.runs.plan import PlannedChange
from commonplace.use_cases.export_memories import IMPORTED_HISTORY


def coming_back(
    memories: Sequence[tuple[Memory, RawRecord]], backup_id: str, caller: Caller, ports: Ports
) -> Iterator[tuple[str, PlannedChange]]:
    """Each as a new record under its id, newer than any that was; what was done to it before is kept as of an import."""
    texts = list(dict.fromkeys(memory.content for memory, _ in memories))
    vectors = dict(zip(texts, ports.embedder.embed_all(texts), strict=True))
    indexed = _indexed_versions([memory for memory, _ in memories], ports)
    for (memory, record), version in zip(memories, indexed, strict=True):
        vector = vectors[memory.content]
        own = {
            "version": max(memory.version, version) + 1, "updated_at": caller.now,
            "embedding_model": ports.embedder.name if vector is not None else None,
        }  # fmt: skip
        steps = [{"operation": one.operation, "at": one.at.isoformat()} for one in record.audits.values()]
        audit = Audit("restore", caller.now, {"backup_id": backup_id, IMPORTED_HISTORY: steps})
        yield memory.memory_id, PlannedChange.of(Change(memory.model_copy(update=own), audit, vector))


def names_left(
    memory_ids: Collection[str], aliases: Sequence[Alias], caller: Caller, ports: Ports
) -> Mapping[str, tuple[str, ...]]:
    """By memory what it was called elsewhere, where that leads to no other memory by now and was not erased."""
    wanted = set(memory_ids)
    named = [one for one in aliases if one.memory_id in wanted and not one.withdrawn]
    names = [one.name for one in named]
    taken = ports.aliases.get(caller.user_id, names).keys() | ports.erased.among(caller.user_id, names)
    found = defaultdict[str, tuple[str, ...]](tuple)
    for one in named:
        found[one.memory_id] += () if one.name in taken else (one.name,)
    return found


def ratings_left(memory_ids: Collection[str], ratings: Sequence[Rating], caller: Caller) -> Mapping[str, tuple[Rating, ...]]:
    """By memory what it was useful for, as long as that would still be kept."""
    wanted, found = set(memory_ids), defaultdict[str, tuple[Rating, ...]](tuple)
    for one in ratings:
        if one.memory_id in wanted and caller.now - one.at < RATINGS_KEPT:
            found[one.memory_id] += (one,)
    return found


def _indexed_versions(memories: Sequence[Memory], ports: Ports) -> list[int]:
    """What the index has of memories without a record: it takes nothing that is not newer."""
    contents = ports.upkeep().contents if ports.upkeep else None
    if contents is None:
        return [0] * len(memories)
    try:
        found = contents.look_up([Stored(one, None) for one in memories])
    except IndexUnavailable as error:
        raise CommonplaceError(ErrorCode.STORAGE_UNAVAILABLE, f"the index can't be asked: {error}") from error
    return [one.version if one is not None else 0 for one in found]
