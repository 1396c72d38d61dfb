"""Requests and results of the Memory Storage API: memories by key, id or page, and the context of a prompt."""

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


def normal_key(given: object) -> object:
    """Normalize a key: NFKC, lower case, 1-64 letters, digits, `_`, `.`, `-`; anything else is refused."""
    if not isinstance(given, str):
        return given
    if not may_be_key(given):
        raise PydanticCustomError("key", "must be 1 to 64 letters, digits, `_`, `.` or `-`, without spaces")
    return folded_key(given)


def may_be_key(given: str) -> bool:
    """Return whether a text can be a key once it is folded."""
    return _KEY.fullmatch(folded_key(given)) is not None


def folded_key(given: str) -> str:
    """Return a key in its canonical form, whether or not it is valid."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", given).lower())


Key = Annotated[str, BeforeValidator(normal_key), Field(json_schema_extra={"pattern": "^[\\w.-]{1,64}$"})]
Budget = Annotated[int, Field(ge=100, le=8_000, strict=True)]


class NamedMemory(Request):
    """A memory by its id or by its key, in exactly one field: either takes both, and `id` is the same as `memory_id`."""

    memory_id: Name | None = Field(None, description="The id or key of the memory. Give this or key.")
    key: Key | None = Field(None, description="The key or id of the memory. Give this or memory_id.")

    @model_validator(mode="before")
    @classmethod
    def _id_as_memory_id(cls, given: Any) -> Any:
        """Move an id to `memory_id` from either field, because `key` also affects the redaction of its value."""
        if not isinstance(given, Mapping):
            return given
        fields = dict(given)
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
    category: Section = Field(description="The heading that it stands under.")
    durability: Durability = Field(description="`durable`: true until changed; `daily`: a note that is gone after 90 days.")
    source: Provenance = Field(
        "user", description="Who said it (user, agent, system), or where it is from: explicit_mention, discussion:<id>."
    )
    confidence: Fraction = Field(
        1.0, description="0.9-1.0 said outright, 0.7-0.9 a pattern, 0.5-0.7 a weak sign; below 0.7 it becomes a daily note."
    )
    allow_similar: Flag = Field(False, description="Write it although a memory says the same in other words.")


class ReadRequest(Request):
    """One heading of what is remembered."""

    category: Section = Field(description="The heading.")
    limit: Limit = Field(20, description="The most memories to return.")


class UpdateRequest(NamedMemory):
    """A new value for a memory, or a correction of its labels alone."""

    value: Text | None = Field(
        None, description="What is true now: one self-contained sentence. Leave it out to correct the labels alone."
    )
    category: Section | None = Field(None, description="Another heading; the old one when left out.")
    filed_under: Category | None = Field(None, description="The category to file it under.")
    type: MemoryType | None = Field(None, description="The kind of memory.")
    tags: Tags | None = Field(None, description="The tags that it is to have; they replace those that it has.")
    importance: Level | None = Field(None, description="1 (trivial) to 5 (never forget).")
    expires_at: End | None = Field(None, description="When it stops being true or useful, ISO 8601.")
    durability: Durability | None = Field(
        None, description="`durable`: it never expires any more; `daily`: a note that is gone after 90 days."
    )


class DeleteRequest(NamedMemory):
    """A memory to be deleted."""


class ContextRequest(Request):
    """What the agent is about to talk about."""

    topic: Text = Field(description="The user's message, or what it is about, in plain words.")
    max_tokens: Budget = Field(1_500, description="The most tokens that the context may have.")


class SummarizeRequest(Request):
    """A question in plain words."""

    query: Query = Field(description="What to sum up: a question or keywords in plain words.")
    limit: Limit = Field(20, description="The most memories to read for it.")


class ResultWithMessage(Result):
    """An answer with a line about it."""

    message: str = Field(description="What was done, in a line for you to read.")


class Existing(Part):
    """A memory that was there before."""

    key: str | None = Field(None, exclude_if=absent)
    value: str
    memory_id: str


class WriteResult(ResultWithMessage):
    written: bool = Field(description="False when nothing was written; `existing` then holds what is there.")
    memory_id: str | None = Field(None, description="The new memory's id.", exclude_if=absent)
    key: str = Field(description="The key as it is kept.")
    stored_as: Durability = Field(description="How it is kept, or would have been.")
    operation_id: str | None = Field(None, description="By it the write can be undone.", exclude_if=absent)
    existing: list[Existing] = Field(description="What is in the way; of a memory that was written, what is similar.")


class MemoryEntry(Part):
    """A memory under its heading."""

    key: str | None = Field(None, exclude_if=absent)
    memory_id: str
    value: str
    section: Section
    durability: Durability
    confidence: Fraction
    updated_at: datetime

    @classmethod
    def of(cls, memory: Memory, **more: Any) -> Self:
        """Return a record for display; `more`: additional fields."""
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
    markdown: str = Field(description="The same as a list in Markdown.")


class UpdateResult(ResultWithMessage):
    memory_id: str = Field(description="The id of the new value; of a correction, the memory's own.")
    previous_id: str = Field(description="The id of the old value, which is closed and kept; of a correction, the same id.")
    operation_id: str = Field(description="By it the change can be undone.")


class DeleteResult(ResultWithMessage):
    memory_id: str = Field(description="The id of the memory that was closed.")
    operation_id: str = Field(description="By it the deletion can be undone for 30 days.")


class ContextResult(ResultWithMessage):
    context: str = Field(description="What is known, to be put into a prompt as it is.")
    tokens: int = Field(description="How many tokens it has at the most.")
    memory_ids: list[str] = Field(description="The memories in it, in order.")
    left_out: int = Field(description="How many more there were no room for.")


class Point(Part):
    """One thing that memories say."""

    text: str
    ids: list[str] = Field(description="The memories that say it.")


class SummarizeResult(ResultWithMessage):
    summary: str = Field(description="A few sentences.")
    key_points: list[Point]
    count: int = Field(description="How many memories were read.")


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
