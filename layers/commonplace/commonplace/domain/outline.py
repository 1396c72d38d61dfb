"""Outlines of memories, from which statistics, the timeline and the concept network are computed."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any, NamedTuple, Self

from commonplace.domain.memory import Memory


class Outline(NamedTuple):
    """A memory's fields for counting. Times are in seconds since 1970. `record_bytes` is the size without usage fields."""

    memory_id: str
    agent_id: str
    status: str
    memory_type: str
    category: str
    section: str
    collection: str
    durability: str
    created_at: float
    happened_at: float
    valid_from: float | None
    valid_to: float | None
    expires_at: float | None
    superseded_by: str | None
    tags: tuple[str, ...]
    concepts: tuple[str, ...]
    record_bytes: int

    @classmethod
    def of(cls, memory: Memory, record_bytes: int | None = None) -> Self | None:
        """Return the outline of a memory, or None if the memory was erased. `record_bytes` is computed if it is None."""
        if not memory.content:
            return None
        if record_bytes is None:
            unused = memory.model_copy(update={"access_count": 0, "last_accessed": None})
            record_bytes = len(unused.model_dump_json().encode())
        return cls(
            memory_id=memory.memory_id,
            agent_id=memory.agent_id,
            status=memory.status,
            memory_type=memory.memory_type,
            category=memory.category,
            section=memory.section,
            collection=memory.collection,
            durability=memory.durability,
            created_at=memory.created_at.timestamp(),
            happened_at=memory.happened_at.timestamp(),
            valid_from=seconds(memory.valid_from),
            valid_to=seconds(memory.valid_to),
            expires_at=seconds(memory.expires_at),
            superseded_by=memory.superseded_by,
            tags=memory.tags,
            concepts=memory.concepts,
            record_bytes=record_bytes,
        )

    @classmethod
    def from_values(cls, values: Sequence[Any]) -> Self:
        """Build an outline from the list of values that an index stores."""
        *plain, tags, concepts, size = values
        return cls._make((*plain, tuple(tags), tuple(concepts), size))

    def is_live(self, now: float) -> bool:
        """Return whether the memory is active and has not expired."""
        return self.status == "active" and (self.expires_at is None or self.expires_at > now)

    def is_visible(self, agents: Collection[str], now: float) -> bool:
        """Return whether the memory is active, valid and unexpired at `now`, and belongs to one of `agents`."""
        begun = self.valid_from is None or self.valid_from <= now
        return self.agent_id in agents and self.is_live(now) and begun and (self.valid_to is None or self.valid_to > now)

    def closed_at(self, now: float) -> float | None:
        """Return when the memory was closed or expired, or else created. Returns None if the memory is live."""
        if self.is_live(now):
            return None
        end = self.expires_at if self.status in ("active", "archived") else self.valid_to
        return self.created_at if end is None else end


def seconds(moment: datetime | None) -> float | None:
    """Return `moment` in seconds since 1970, or None if it is None."""
    return None if moment is None else moment.timestamp()
