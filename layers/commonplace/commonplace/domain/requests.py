"""The request models of the tools."""

import re
from typing import Annotated

from pydantic import AfterValidator, Field
from pydantic_core import PydanticCustomError

from commonplace.domain.fields import (
    End,
    Flag,
    Fraction,
    Level,
    Limit,
    Moment,
    Name,
    Place,
    Provenance,
    Query,
    Request,
    Tag,
    Text,
    printable,
)
from commonplace.domain.memory import DEFAULT_COLLECTION, GLOBAL_AGENT
from commonplace.domain.taxonomy import (
    Category,
    ContentType,
    Emotion,
    InsightType,
    SearchCategory,
    Source,
    StatementType,
    ToolGroup,
)

Tags = Annotated[list[Tag], Field(max_length=32)]
# up to three words, without sentence-ending punctuation
_NO_SENTENCE = r"^\s*(\S*[^\s。！？]|(\S+\s+){1,2}\S*[^\s.!?。！？])\s*$"
Note = Annotated[str, Field(max_length=2_000), AfterValidator(printable)]


def _refuse_sentence(tag: str) -> str:
    if not re.match(_NO_SENTENCE, tag):
        raise PydanticCustomError("sentence", "is a sentence: a tag is one word, or up to three words that name one thing")
    return tag


ShortTag = Annotated[Tag, AfterValidator(_refuse_sentence), Field(json_schema_extra={"pattern": _NO_SENTENCE})]


class NormalizeRequest(Request):
    """One statement to normalize. Nothing is stored."""

    text: Text = Field(description="The user's statement, in its own words and language, up to 8,000 characters.")
    source: Source = Field("user", description="Who said it.")
    context: Query | None = Field(None, description="The message just before, such as the question that this text answers.")


class StorePersonalRequest(Request):
    """A statement from `memory_normalize`."""

    raw_text: Text = Field(description="The user's statement, in their own words.")
    normalized: Text = Field(description="The statement in the third person, self-contained: `normalized` of the answer.")
    type: StatementType = Field(description="The kind of statement: `type` of the answer.")
    tags: list[ShortTag] = Field(
        max_length=32, description="3-8 lower-case words without spaces, never a sentence: `tags` of the answer."
    )
    agent_id: Name = Field(GLOBAL_AGENT, description="`global`, or the only agent that may see this memory.")
    place: Place | None = Field(None, description="Where in a conversation it was said.")


class SearchPersonalRequest(Request):
    """A question in plain words."""

    query: Query = Field(description="A question or keywords in plain words, in any language.")
    agent_id: Name | None = Field(None, description="The agent that asks; it sees its own and the global memories.")
    limit: Limit = Field(10, description="The most memories to return.")


class StoreContext(Request):
    """Values that override what the engine detects."""

    force_category: Category | None = Field(None, description="The category to use instead of the detected one.")
    force_importance: Level | None = Field(None, description="1 (trivial) to 5 (never forget).")
    expires_at: End | None = Field(None, description="When it stops being true or useful, ISO 8601.")
    additional_tags: Tags | None = Field(None, description="Tags to add to the detected tags.")
    source: Provenance | None = Field(
        None, description="The speaker (user, agent, system), or the origin: conversation, document, web."
    )
    user_note: Note | None = Field(None, description="A remark to store with the memory.")
    place: Place | None = Field(None, description="Where in a conversation it was said.")
    supersedes: list[Name] | None = Field(
        None, max_length=10, description="Ids of memories that this one makes untrue; they are closed."
    )


class StoreRequest(Request):
    """Something worth remembering, as the user said it."""

    content: Text = Field(description="The statement to remember, in its own words and language.")
    context: StoreContext | None = Field(None, description="Overrides; omit it to have everything detected.")


class TimeSpan(Request):
    """A half-open range of time: from `after` (inclusive) to `before` (exclusive)."""

    after: Moment | None = Field(None, description="From this time on, ISO 8601; in the user's time zone without an offset.")
    before: End | None = Field(None, description="Before this time.")


class FilterOptions(Request):
    """Filters for memories."""

    time_range: TimeSpan | None = Field(None, description="Only events in this range; without a time, memories stored in it.")
    importance_min: Level | None = Field(None, description="Only memories at least this important, 1-5.")
    content_type: ContentType | None = Field(None, description="Only memories of this kind.")
    include_expired: Flag = Field(False, description="Also expired memories.")


class SearchOptions(FilterOptions):
    """Filters and limits of a search."""

    limit: Limit = Field(10, description="The most memories to return.")
    min_relevance: Fraction | None = Field(
        None,
        description="0-1; memories that match less are left out. By default 0.3, and the best memory is always returned.",
    )


class SearchRequest(Request):
    """A question in plain words."""

    query: Query = Field(description="A question or keywords; times such as `last week` are understood.")
    limit: Limit | None = Field(None, description="The most memories to return; overrides options.limit.")
    category: SearchCategory | None = Field(None, description="Only this category or section.")
    options: SearchOptions | None = Field(None, description="Filters and limits.")


class DiscoverRequest(Request):
    """Which further tools to describe."""

    tool: Name | None = Field(None, description="The name of a tool, for its whole schema.")
    group: ToolGroup | None = Field(None, description="A group of tools, for their arguments.")


class StoreMetadata(Request):
    """The metadata of an insight."""

    type: InsightType = Field(description="The kind of insight.")
    user: Name | None = Field(None, description="A label for the person it is about; a filter, never an identity.")
    importance: Fraction = Field(0.5, description="0-1.")
    confidence: Fraction = Field(0.8, description="0-1: how certain it is.")
    emotion: Emotion | None = Field(None, description="The emotion of the insight.")
    tags: Tags = Field(default_factory=list, description="Lower-case words for finding it.")


def _refuse_blank(name: str) -> str:
    if not name.strip():
        raise PydanticCustomError("blank", "must not be empty")
    return name


class StoreInsightRequest(Request):
    """An insight with its metadata."""

    id: Annotated[Name, AfterValidator(_refuse_blank)] | None = Field(
        None, description="The id of the insight; an existing insight is updated."
    )
    content: Text = Field(description="The insight, self-contained.")
    metadata: StoreMetadata = Field(description="The metadata of the insight.")
    collection: Name = Field(DEFAULT_COLLECTION, description="The namespace of the insight.")
    place: Place | None = Field(None, description="Where in a conversation it was said.")


class InsightFilter(Request):
    """Filters for insights."""

    type: InsightType | None = Field(None, description="Only insights of this kind.")
    user: Name | None = Field(None, description="Only insights stored with this label as `user`.")
    minImportance: Fraction | None = Field(None, description="Only insights at least this important, 0-1.")  # noqa: N815
    emotion: Emotion | None = Field(None, description="Only insights with this emotion.")


class SearchInsightRequest(Request):
    """A question in plain words."""

    query: Query = Field(description="A question or keywords in plain words, in any language.")
    collection: Name | None = Field(None, description="Only this namespace; all by default.")
    nResults: Limit = Field(5, description="The most insights to return.")  # noqa: N815
    filter: InsightFilter | None = Field(None, description="Filters for the insights.")
