"""Requests and results of the analysis tools: statistics, the timeline, the network of concepts, usage, and feedback."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field

from commonplace.domain.fields import End, Flag, Fraction, Limit, Moment, Name, Query, Request, Result, Sent, Text, absent
from commonplace.domain.results import Part
from commonplace.domain.taxonomy import Granularity


class Period(Request):
    """A half-open period."""

    after: Moment | None = Field(None, description="Only what is of this moment or later, ISO 8601.")
    before: End | None = Field(None, description="Only what is of before this moment, ISO 8601.")


class StatsRequest(Period):
    """Statistics of the memories that were stored in a period."""


class Breakdown(Part):
    """Numbers of memories by name, the largest first. All but `status` count those of `total`."""

    category: dict[str, int]
    type: dict[str, int]
    section: dict[str, int]
    collection: dict[str, int]
    durability: dict[str, int]
    status: dict[str, int] = Field(description="Of closed and expired memories as well; `active` is `total`.")


class AgeGroup(Part):
    up_to_days: int | None = Field(
        description="Stored at most so many days ago, and more than the group before; null: longer."
    )
    count: int


class Month(Part):
    month: str = Field(description="YYYY-MM, in the time zone.")
    added: int
    closed: int = Field(description="How many were replaced or deleted then, or were over.")


class TagCount(Part):
    tag: str
    count: int


class TagStats(Part):
    distinct: int
    assignments: int = Field(description="How often a memory carries a tag.")
    used_once: int
    reuse_rate: Fraction = Field(description="1 - distinct / assignments; 0 without tags.")
    top: list[TagCount] = Field(description="The most used, 20 at most.")


class HealthParts(Part):
    """What the score lost, and to what."""

    expired: float = Field(description="Durable memories whose time is over, of all; daily notes end by design.")
    other_embedding: float = Field(description="Memories that another model embedded, of all.")
    single_use_tags: float = Field(description="A fifth of the tags that are used once, beyond half of all tags.")


class Health(Part):
    score: Fraction = Field(description="1 less the parts, at least 0; that of discover_memory_tools.")
    parts: HealthParts


class StatsResult(Result):
    as_of: datetime
    total: int = Field(description="Memories that can be found now; added less closed over all months.")
    by: Breakdown
    age: list[AgeGroup]
    growth: list[Month] = Field(description="What was stored, and what became of it, month by month; empty ones left out.")
    tags: TagStats
    health: Health = Field(description="Of all memories, whatever the period.")
    record_bytes: int = Field(description="Of the records of `total`, without vectors and index.")


class TimelineRequest(Period):
    """The memories of a period by when things happened."""

    topic: Query | None = Field(None, description="Only memories with all of these words, in the text or as labels.")
    granularity: Granularity = Field("month", description="How long a bucket is; a week begins on Monday.")
    cursor: Name | None = Field(None, description="`cursor` of the answer before; the timeline goes on from there.")


class Version(Part):
    id: str
    content: str


class TimelineChange(Part):
    """A memory that another took the place of."""

    at: datetime
    old: Version
    new: Version


class Bucket(Part):
    start: datetime
    end: datetime = Field(description="Where the next begins; it is not in this one.")
    count: int
    concepts: list[str] = Field(description="What most of its memories are about, five at most.")
    changes: list[TimelineChange] = Field(description="Memories that were replaced then, ten at most.")


class TimelineResult(Result):
    buckets: list[Bucket] = Field(description="Oldest first; empty ones are left out.")
    cursor: str | None = Field(
        None, description="Give it back for the next buckets; not there when there are no more.", exclude_if=absent
    )


class NetworkRequest(Request):
    """The graph of concepts, or a part of it."""

    focus: Name | None = Field(None, description="A concept to begin at; without it the most used ones are shown.")
    depth: Annotated[int, Field(ge=1, le=3, strict=True)] = Field(1, description="How many links away from the focus.")
    limit: Limit = Field(50, description="The most concepts to return.")
    format: Literal["json", "dot"] = Field("json", description="dot: the graph for Graphviz as well.")


class NetworkNode(Part):
    id: str = Field(description="The concept.")
    count: int = Field(description="How many memories have it.")
    community: int = Field(description="Concepts that stand together more than others have the same number.")


class NetworkLink(Part):
    source: str
    target: str
    weight: float = Field(description="NPMI: 1 never one without the other, 0 by chance, below 0 less than that.")
    count: int = Field(description="How many memories have both; three at least.")


class NetworkResult(Result):
    nodes: list[NetworkNode]
    links: list[NetworkLink] = Field(description="The strongest first; as d3 has nodes and links.")
    dot: str | None = Field(None, exclude_if=absent)


class UsageRequest(Period):
    """How the memories were used in a period."""


class UsedMemory(Part):
    id: str
    content: str
    count: int = Field(description="How often it was found, ever.")


class NeverUsed(Part):
    count: int = Field(description="Memories that no search has found.")
    ids: list[str] = Field(description="The oldest of them, at most 50.")


class UnansweredQuery(Part):
    query: str = Field(description="What was asked, without secrets, cut to 200 characters.")
    count: int
    last: datetime


class UsageResult(Result):
    timezone: str = Field(description="The zone of hours and weekdays.")
    searches: int = Field(description="Searches of the period, of the last 90 days.")
    by_hour: list[int] = Field(min_length=24, max_length=24, description="Searches by hour of the day, from midnight on.")
    by_weekday: list[int] = Field(min_length=7, max_length=7, description="Searches by day of the week, Monday first.")
    top: list[UsedMemory] = Field(
        description="The memories found most often, at most 10; in a period those that were last found in it."
    )
    never_used: NeverUsed = Field(description="Of the memories that were stored before the end of the period.")
    found_nothing: list[UnansweredQuery] = Field(
        description="What was asked and nothing matched enough, the most often asked first, at most 20."
    )


class FeedbackRequest(Request):
    """Whether a memory was useful for a query."""

    memory_id: Name = Field(description="The memory, by its id or one that it had elsewhere.")
    query: Text = Field(description="What was asked.")
    useful: Flag = Field(description="Whether the memory was of use for that.")


class FeedbackResult(Result):
    memory_id: str = Field(description="The memory that was rated: the one that an old id leads to.")
    query: str = Field(description="The query as it is kept: without secrets, cut to 200 characters.")
    useful: bool
    kept: bool = Field(description="Whether it is kept, for 90 days; if not, `notes` tells why.")


class ForgetFeedbackRequest(Request):
    """Feedback to be forgotten."""

    memory_id: Annotated[Name | None, Sent(selects=True)] = Field(
        None, description="Only that on this memory; all of the user's when left out."
    )


class ForgottenFeedback(Result):
    forgotten: int = Field(description="How many ratings were taken out.")
