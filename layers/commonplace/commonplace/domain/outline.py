"""A memory without its words: what statistics, the timeline and the network of concepts are counted from."""

from collections.abc import Collection
from typing import NamedTuple, Self

from commonplace.domain.memory import Memory


class Outline(NamedTuple):
    """A record of a user as it is counted. Times are seconds since 1970; `record_bytes` are those of the whole record,
    usage aside."""

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
        """The outline of a memory; None of an erased one, which nothing counts. `record_bytes`: where they are known."""
        if not memory.content:
            return None
        times = (memory.valid_from, memory.valid_to, memory.expires_at)
        return cls(
            memory.memory_id,
            memory.agent_id,
            memory.status,
            memory.memory_type,
            memory.category,
            memory.section,
            memory.collection,
            memory.durability,
            memory.created_at.timestamp(),
            memory.happened_at.timestamp(),
            *(None if time is None else time.timestamp() for time in times),
            memory.superseded_by,
            memory.tags,
            memory.concepts,
            _record_bytes(memory) if record_bytes is None else record_bytes,
        )

    def is_live(self, now: float) -> bool:
        """Whether it is active and its time is not over."""
        return self.status == "active" and (self.expires_at is None or self.expires_at > now)

    def is_visible(self, agents: Collection[str], now: float) -> bool:
        """Whether one of these agents sees it now, as a search does."""
        begun = self.valid_from is None or self.valid_from <= now
        return self.agent_id in agents and self.is_live(now) and begun and (self.valid_to is None or self.valid_to > now)

    def closed_at(self, now: float) -> float | None:
        """When it was replaced or deleted, or its time was over, at its creation where that isn't told; None while it is
        live."""
        if self.is_live(now):
            return None
        told = self.expires_at if self.status in ("active", "archived") else self.valid_to
        return self.created_at if told is None else told


def _record_bytes(memory: Memory) -> int:
    unused = memory.model_copy(update={"access_count": 0, "last_accessed": None})
    return len(unused.model_dump_json().encode())
