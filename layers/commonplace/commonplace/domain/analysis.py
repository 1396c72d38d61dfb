"""Requests and results of the tools for statistics, the timeline, the concept network, usage, and feedback."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field

from commonplace.domain.fields import End, Flag, Fraction, Limit, Moment, Name, Query, Request, Result, Sent, Text, absent
from commonplace.domain.results import Part
from commonplace.domain.taxonomy import Granularity


class Period(Request):
    """A half-open period."""

    after: Moment | None = Field(None, description="From this time on, inclusive, ISO 8601.")
    before: End | None = Field(None, description="Until this time, exclusive, ISO 8601.")


class StatsRequest(Period):
    """Statistics of the memories that were stored in a period."""


class Breakdown(Part):
    """Numbers of memories by name, largest first. All but `status` count the memories of `total`."""

    category: dict[str, int]
    type: dict[str, int]
    section: dict[str, int]
    collection: dict[str, int]
    durability: dict[str, int]
    status: dict[str, int] = Field(description="Includes closed and expired memories; `active` equals `total`.")


class AgeGroup(Part):
    up_to_days: int | None = Field(description="Maximum age in days, above that of the previous group; null: no maximum.")
    count: int


class Month(Part):
    month: str = Field(description="YYYY-MM, in the time zone.")
    added: int
    closed: int = Field(description="Number of memories replaced, deleted or expired in the month.")


class TagCount(Part):
    tag: str
    count: int


class TagStats(Part):
    distinct: int
    assignments: int = Field(description="Number of tags of all memories together.")
    used_once: int
    reuse_rate: Fraction = Field(description="1 - distinct / assignments; 0 without tags.")
    top: list[TagCount] = Field(description="The most used, 20 at most.")


class HealthParts(Part):
    """The deductions from the score."""

    expired: float = Field(description="Share of durable memories that have expired; daily notes expire by design.")
    other_embedding: float = Field(description="Share of memories embedded by another model.")
    single_use_tags: float = Field(description="A fifth of the share of single-use tags beyond half of all tags.")


class Health(Part):
    score: Fraction = Field(description="1 minus the parts, at least 0; as in discover_memory_tools.")
    parts: HealthParts


class StatsResult(Result):
    as_of: datetime
    total: int = Field(description="Memories that can be found now: added minus closed over all months.")
    by: Breakdown
    age: list[AgeGroup]
    growth: list[Month] = Field(description="Added and closed memories by month, without empty months.")
    tags: TagStats
    health: Health = Field(description="For all memories, regardless of the period.")
    record_bytes: int = Field(description="Size of the records of `total`, without vectors and index.")


class TimelineRequest(Period):
    """The memories of a period by event date."""

    topic: Query | None = Field(None, description="Only memories with all of these words, in the text or as labels.")
    granularity: Granularity = Field("month", description="Length of a bucket; a week starts on Monday.")
    cursor: Name | None = Field(None, description="The `cursor` of the previous page, to get the next.")


class Version(Part):
    id: str
    content: str


class TimelineChange(Part):
    """A memory that was replaced by another."""

    at: datetime
    old: Version
    new: Version


class Bucket(Part):
    start: datetime
    end: datetime = Field(description="Start of the next bucket, exclusive.")
    count: int
    concepts: list[str] = Field(description="The most frequent concepts, at most five.")
    changes: list[TimelineChange] = Field(description="Memories replaced in this bucket, at most ten.")


class TimelineResult(Result):
    buckets: list[Bucket] = Field(description="Oldest first, without empty buckets.")
    cursor: str | None = Field(None, description="To get the next page; absent on the last page.", exclude_if=absent)


class NetworkRequest(Request):
    """The graph of concepts, or a part of it."""

    focus: Name | None = Field(None, description="A concept to start from; default: the most used concepts.")
    depth: Annotated[int, Field(ge=1, le=3, strict=True)] = Field(1, description="Maximum number of links from the focus.")
    limit: Limit = Field(50, description="The maximum number of concepts.")
    format: Literal["json", "dot"] = Field("json", description="dot: also return the graph for Graphviz.")


class NetworkNode(Part):
    id: str = Field(description="The concept.")
    count: int = Field(description="Number of memories with it.")
    community: int = Field(description="Concepts that often occur together have the same number.")


class NetworkLink(Part):
    source: str
    target: str
    weight: float = Field(description="NPMI: 1 if they only occur together, 0 for chance, below 0 for less than chance.")
    count: int = Field(description="Number of memories with both, at least three.")


class NetworkResult(Result):
    nodes: list[NetworkNode]
    links: list[NetworkLink] = Field(description="Strongest first; nodes and links have the format of d3.")
    dot: str | None = Field(None, exclude_if=absent)


class UsageRequest(Period):
    """The usage of memories in a period."""


class UsedMemory(Part):
    id: str
    content: str
    count: int = Field(description="How often it was ever found.")


class NeverUsed(Part):
    count: int = Field(description="Memories that no search has found.")
    ids: list[str] = Field(description="The oldest of them, at most 50.")


class UnansweredQuery(Part):
    query: str = Field(description="The query, without secrets, cut to 200 characters.")
    count: int
    last: datetime


class UsageResult(Result):
    timezone: str = Field(description="The zone of hours and weekdays.")
    searches: int = Field(description="Searches in the period, within the last 90 days.")
    by_hour: list[int] = Field(min_length=24, max_length=24, description="Searches by hour of the day, from midnight.")
    by_weekday: list[int] = Field(min_length=7, max_length=7, description="Searches by day of the week, Monday first.")
    top: list[UsedMemory] = Field(
        description="The most often found memories, at most 10; for a period, those last found in it."
    )
    never_used: NeverUsed = Field(description="Among memories stored before the end of the period.")
    found_nothing: list[UnansweredQuery] = Field(description="Queries without a good match, most frequent first, at most 20.")


class FeedbackRequest(Request):
    """Whether a memory was useful for a query."""

    memory_id: Name = Field(description="The memory, by its id or an external id.")
    query: Text = Field(description="The query.")
    useful: Flag = Field(description="Whether the memory was useful for the query.")


class FeedbackResult(Result):
    memory_id: str = Field(description="The id of the rated memory, also if an external id was given.")
    query: str = Field(description="The stored query: without secrets, cut to 200 characters.")
    useful: bool
    kept: bool = Field(description="Whether it is stored, for 90 days; if not, `notes` says why.")


class ForgetFeedbackRequest(Request):
    """Feedback to delete."""

    memory_id: Annotated[Name | None, Sent(selects=True)] = Field(
        None, description="Only feedback on this memory; default: all of the user's."
    )


class ForgottenFeedback(Result):
    forgotten: int = Field(description="The number of deleted ratings.")
