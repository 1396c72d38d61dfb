"""Requests and results of the Memory Storage API. The API reads and writes memories and builds the context for a prompt."""

import re
import unicodedata
from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, Field, model_validator
from pydantic_core import PydanticCustomError

from commonplace.domain.analysis import TagCount
from commonplace.domain.fields import (
    End,
    Flag,
    Fraction,
    FrozenPart,
    Level,
    Limit,
    Name,
    Provenance,
    Query,
    Request,
    Result,
    Text,
    absent,
)
from commonplace.domain.ids import id_or_key
from commonplace.domain.memory import Memory, level_of
from commonplace.domain.requests import FilterOptions, Tags
from commonplace.domain.results import Part
from commonplace.domain.taxonomy import Category, Durability, MemoryType, SearchCategory, Section, Source

_KEY = re.compile(r"[\w.-]{1,64}")


def normal_key(key: object) -> object:
    """Normalize a key to NFKC and lower case. The result must be 1 to 64 letters, digits, `_`, `.` and `-`."""
    if not isinstance(key, str):
        return key
    if not may_be_key(key):
        raise PydanticCustomError("key", "must be 1 to 64 letters, digits, `_`, `.` or `-`, without spaces")
    return folded_key(key)


def may_be_key(key: str) -> bool:
    """Return whether a text is a valid key after folding."""
    return _KEY.fullmatch(folded_key(key)) is not None


def folded_key(key: str) -> str:
    """Return a key in its canonical form, even if the key is invalid."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", key).lower())


Key = Annotated[str, BeforeValidator(normal_key), Field(json_schema_extra={"pattern": "^[\\w.-]{1,64}$"})]
Budget = Annotated[int, Field(ge=100, le=8_000, strict=True)]


class NamedMemory(Request):
    """A memory by id or key, in exactly one field: each field accepts both, and `id` is an alias of `memory_id`."""

    memory_id: Name | None = Field(None, description="The id or key of the memory. Give this or key.")
    key: Key | None = Field(None, description="The key or id of the memory. Give this or memory_id.")

    @model_validator(mode="before")
    @classmethod
    def _move_id(cls, value: Any) -> Any:
        """Move an id from `id` or `key` to `memory_id`, because the field `key` also affects how values are redacted."""
        if not isinstance(value, Mapping):
            return value
        fields = dict(value)
        if fields.get("id") in (None, "") and any(fields.get(other) for other in ("memory_id", "key")):
            fields.pop("id", None)
        for other in ("id", "key"):
            name = fields.get(other)
            is_id = other == "id" or (isinstance(name, str) and "memory_id" in id_or_key(name))
            if name is not None and is_id and fields.get("memory_id") in (None, name):
                fields["memory_id"] = fields.pop(other)
        if fields.get("id") is not None:
            raise PydanticCustomError("names", "give one of memory_id, key and id")
        return fields


class WriteRequest(Request):
    """A memory under a key."""

    key: Key = Field(description="A short name to find and change it by, e.g. `role`: letters, digits, `_`, `.`, `-`.")
    value: Text = Field(description="What to remember: one self-contained sentence in plain words, never code.")
    category: Section = Field(description="The section to store it in.")
    durability: Durability = Field(description="`durable`: true until changed; `daily`: a note that expires after 90 days.")
    source: Provenance = Field(
        "user", description="Who said it (user, agent, system), or its origin: explicit_mention, discussion:<id>."
    )
    confidence: Fraction = Field(
        1.0, description="0.9-1.0 said outright, 0.7-0.9 a pattern, 0.5-0.7 a weak sign; below 0.7 it becomes a daily note."
    )
    allow_similar: Flag = Field(False, description="Write it even if a memory says the same in other words.")


class ReadRequest(Request):
    """A section of the memories."""

    category: Section = Field(description="The section.")
    limit: Limit = Field(20, description="The most memories to return.")


class UpdateRequest(NamedMemory):
    """A new value for a memory, or a correction of only its labels."""

    value: Text | None = Field(
        None, description="What is true now: one self-contained sentence. Leave it out to correct only the labels."
    )
    category: Section | None = Field(None, description="The new section; default: unchanged.")
    filed_under: Category | None = Field(None, description="The new category.")
    type: MemoryType | None = Field(None, description="The kind of memory.")
    tags: Tags | None = Field(None, description="The new tags, which replace the old ones.")
    importance: Level | None = Field(None, description="1 (trivial) to 5 (never forget).")
    expires_at: End | None = Field(None, description="When it stops being true or useful, ISO 8601.")
    durability: Durability | None = Field(
        None, description="`durable`: no longer expires; `daily`: a note that expires after 90 days."
    )


class DeleteRequest(NamedMemory):
    """A memory to delete."""


class ContextRequest(Request):
    """The topic of the agent's next answer."""

    topic: Text = Field(description="The user's message, or its topic in plain words.")
    max_tokens: Budget = Field(1_500, description="The maximum number of tokens in the context.")


class SummarizeRequest(Request):
    """A question in plain words."""

    query: Query = Field(description="What to summarize: a question or keywords in plain words.")
    limit: Limit = Field(20, description="The maximum number of memories to read.")


class ResultWithMessage(Result):
    """A result with a message."""

    message: str = Field(description="One line for you to read about what was done.")


class Existing(Part):
    """An existing memory."""

    key: str | None = Field(None, exclude_if=absent)
    value: str
    memory_id: str


class WriteResult(ResultWithMessage):
    written: bool = Field(description="False if nothing was written; `existing` then contains the reason.")
    memory_id: str | None = Field(None, description="The new memory's id.", exclude_if=absent)
    key: str = Field(description="The key in stored form.")
    stored_as: Durability = Field(description="The durability that it has, or would have had.")
    operation_id: str | None = Field(None, description="To undo the write.", exclude_if=absent)
    existing: list[Existing] = Field(description="Memories that prevented the write, or are similar to the written one.")


class MemoryEntry(Part):
    """A memory in its section."""

    key: str | None = Field(None, exclude_if=absent)
    memory_id: str
    value: str
    section: Section
    durability: Durability
    confidence: Fraction
    updated_at: datetime

    @classmethod
    def of(cls, memory: Memory, **more: Any) -> Self:
        """Build the entry for a memory. `more` contains the values of a subclass's additional fields."""
        return cls(
            key=memory.key,
            memory_id=memory.public_id,
            value=memory.content,
            section=memory.section,
            durability=memory.durability,
            confidence=memory.confidence,
            updated_at=memory.updated_at,
            **more,
        )


class ReadResult(ResultWithMessage):
    entries: list[MemoryEntry] = Field(description="The most important first, then the newest.")
    count: int
    markdown: str = Field(description="The entries as a Markdown list.")


class UpdateResult(ResultWithMessage):
    memory_id: str = Field(description="The id of the new value; after a correction, the unchanged id.")
    previous_id: str = Field(description="The id of the old value, which is closed; after a correction, the same id.")
    operation_id: str = Field(description="To undo the change.")


class DeleteResult(ResultWithMessage):
    memory_id: str = Field(description="The id of the closed memory.")
    operation_id: str = Field(description="To undo the deletion, for 30 days.")


class ContextResult(ResultWithMessage):
    context: str = Field(description="The known facts, to insert into a prompt unchanged.")
    tokens: int = Field(description="The maximum number of tokens in it.")
    memory_ids: list[str] = Field(description="The memories in it, in order.")
    left_out: int = Field(description="The number of memories that did not fit.")


class Point(Part):
    """A statement of some memories."""

    text: str
    ids: list[str] = Field(description="The memories that say it.")


class SummarizeResult(ResultWithMessage):
    summary: str = Field(description="A few sentences.")
    key_points: list[Point]
    count: int = Field(description="The number of memories that were read.")


class GetRequest(NamedMemory):
    """One memory."""


class ListRequest(Request):
    """The memories, newest first."""

    limit: Limit = Field(20, description="The most memories to return.")
    category: SearchCategory | None = Field(None, description="Only this category or section; default: all.")
    options: FilterOptions | None = Field(None, description="Filters.")
    cursor: Name | None = Field(None, description="The `cursor` of the previous page, to get the next.")


class TagsRequest(Request):
    """The tags in use, by name."""

    limit: Annotated[int, Field(ge=1, le=500, strict=True)] = Field(500, description="The most tags to return.")
    cursor: Annotated[str, Field(min_length=1, max_length=512)] | None = Field(
        None, description="The `cursor` of the previous page, to get the next."
    )


class TagsResult(Result):
    tags: list[TagCount] = Field(description="By name, with the number of current memories.")
    cursor: str | None = Field(None, description="To get the next page; absent on the last page.", exclude_if=absent)


class TagUse(FrozenPart):
    """A tag and its status. `merged`: its memories have `into` now; `archived`: unused for long."""

    tag: str
    count: int = Field(description="Number of current memories with it; if merged, the number before.")
    first_used: datetime | None = Field(None, description="When the first memory with it was stored.")
    last_used: datetime | None = Field(None, description="When the last memory with it was stored.")
    status: Literal["active", "merged", "archived"] = "active"
    into: str | None = None


class KeptMemory(MemoryEntry):
    """A stored memory."""

    type: MemoryType = Field(description="The kind of memory.")
    filed_under: Category = Field(description="Its category.")
    tags: list[str]
    importance: Level = Field(description="1 (trivial) to 5 (never forget).")
    source: Source = Field(description="Who said it.")
    origin: str | None = Field(None, description="Where it comes from, if known.", exclude_if=absent)
    created_at: datetime
    event_time: datetime | None = Field(None, description="When it happened, if known.", exclude_if=absent)
    expires_at: datetime | None = Field(None, description="When it expires.", exclude_if=absent)
    user_note: str | None = Field(None, exclude_if=absent)
    previous_id: str | None = Field(None, description="The memory that it replaced.", exclude_if=absent)

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
    count: int = Field(description="The number of returned memories.")
    cursor: str | None = Field(None, description="To get the next page; absent on the last page.", exclude_if=absent)
