"""What the tools take and answer that show memories as they are kept: one by its id, or page by page."""

from datetime import datetime
from typing import Annotated, Any, Literal, Self

from pydantic import Field

from commonplace.domain.analysis import TagCount
from commonplace.domain.fields import FrozenPart, Level, Limit, Name, Request, Result, absent
from commonplace.domain.memory import Memory, level_of
from commonplace.domain.requests import FilterOptions
from commonplace.domain.storage import MemoryEntry, NamedMemory
from commonplace.domain.taxonomy import Category, MemoryType, SearchCategory, Source


class GetRequest(NamedMemory):
    """One memory."""


class ListRequest(Request):
    """The memories, newest first."""

    limit: Limit = Field(20, description="The most memories to return.")
    category: SearchCategory | None = Field(None, description="Only this category or section; all when left out.")
    options: FilterOptions | None = Field(None, description="Filters.")
    cursor: Name | None = Field(None, description="`cursor` of the answer before; the list goes on from there.")


class TagsRequest(Request):
    """The tags in use, by name."""

    limit: Annotated[int, Field(ge=1, le=500, strict=True)] = Field(500, description="The most tags to return.")
    cursor: Annotated[str, Field(min_length=1, max_length=512)] | None = Field(
        None, description="`cursor` of the answer before; the list goes on from there."
    )


class TagsResult(Result):
    tags: list[TagCount] = Field(description="By name, with how many current memories carry each.")
    cursor: str | None = Field(
        None, description="Give it back for the next page; not there when there is no more.", exclude_if=absent
    )


class TagUse(FrozenPart):
    """A tag with what became of it. `merged`: what had it has `into` now; `archived`: put aside, unused for long."""

    tag: str
    count: int = Field(description="How many current memories carry it; of a merged one, how many did.")
    first_used: datetime | None = Field(None, description="When the first memory that has it was stored.")
    last_used: datetime | None = Field(None, description="When the last was.")
    status: Literal["active", "merged", "archived"] = "active"
    into: str | None = None


class KeptMemory(MemoryEntry):
    """A memory as it is kept."""

    type: MemoryType = Field(description="The kind of memory.")
    filed_under: Category = Field(description="The category that it is filed under.")
    tags: list[str]
    importance: Level = Field(description="1 (trivial) to 5 (never forget).")
    source: Source = Field(description="Who said it.")
    origin: str | None = Field(None, description="Where it is from, if that was said.", exclude_if=absent)
    created_at: datetime
    event_time: datetime | None = Field(None, description="When it happened, if that was said.", exclude_if=absent)
    expires_at: datetime | None = Field(None, description="When its time is over.", exclude_if=absent)
    user_note: str | None = Field(None, exclude_if=absent)
    previous_id: str | None = Field(None, description="The memory whose place it took.", exclude_if=absent)

    @classmethod
    def of(cls, memory: Memory, **more: Any) -> Self:
        return super().of(
            memory,
            type=memory.memory_type,
            filed_under=memory.category,
            tags=list(memory.tags),
            importance=level_of(memory.importance),
            source=memory.source,
            origin=memory.origin,
            created_at=memory.created_at,
            event_time=memory.event_time,
            expires_at=memory.expires_at,
            user_note=memory.user_note,
            previous_id=memory.supersedes,
            **more,
        )


class GetResult(Result):
    memory: KeptMemory


class ListResult(Result):
    memories: list[KeptMemory] = Field(description="Newest first.")
    count: int = Field(description="How many are returned.")
    cursor: str | None = Field(
        None, description="Give it back for the next page; not there when there is no more.", exclude_if=absent
    )
