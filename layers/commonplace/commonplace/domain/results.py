"""The results of the tools."""

from datetime import datetime
from typing import Annotated, Literal, Self, TypeVar

from pydantic import ConfigDict, Field, JsonValue

from commonplace.domain.fields import Model, Result, absent
from commonplace.domain.memory import Memory
from commonplace.domain.taxonomy import Category, Emotion, InsightType, Section, StatementType, insight_type

Intent = Literal["find", "remind", "show_similar"]
Fraction = Annotated[float, Field(ge=0.0, le=1.0)]
Level = Annotated[int, Field(ge=1, le=5)]
AnyResult = TypeVar("AnyResult", bound=Result)


class Part(Model):
    """A part of an answer."""

    model_config = ConfigDict(extra="forbid", hide_input_in_errors=True, defer_build=True)


class NormalizeResult(Result):
    normalized: str = Field(description="The statement in the third person, self-contained, in its own language.")
    type: StatementType = Field(description="The kind of statement.")
    tags: list[str] = Field(description="3-8 lower-case words without spaces; at least `misc`.")


class StorePersonalResult(Result):
    id: str = Field(description="The memory's id.")
    created: bool = Field(description="False if it was already stored.")


class PersonalHit(Part):
    id: str
    agent_id: str
    memory_type: StatementType
    raw_text: str
    normalized_text: str
    tags: list[str]
    created_at: datetime
    relevance_score: Fraction


class SearchPersonalResult(Result):
    results: list[PersonalHit] = Field(description="The memories that match, best first.")
    count: int = Field(description="How many are returned.")


class Analysis(Part):
    detected_category: Category = Field(description="The category it is filed under.")
    detected_type: str = Field(description="The kind of memory.")
    generated_tags: list[str]
    importance_score: Level = Field(description="1 (trivial) to 5 (never forget).")
    confidence: Fraction = Field(description="How sure the engine is of type and category.")
    concepts_extracted: list[str]


class Merge(Part):
    memory_id: str = Field(description="An older memory that says the same.")
    why: str


class Update(Part):
    memory_id: str = Field(description="A memory that the new one may make untrue.")
    content: str
    why: str


class SimilarMemory(Part):
    memory_id: str
    content: str
    similarity: Fraction | None = Field(description="The cosine of both; null if either has no vector.")


class Recommendations(Part):
    similar_memories: list[str] = Field(description="Ids of memories on the same subject, nearest first.")
    similar: list[SimilarMemory] = Field(description="The same memories with their content.")
    suggested_merges: list[Merge] = Field(description="Memories that say the same; nothing was merged.")
    updates: list[Update] = Field(description="Memories that may no longer be true; context.supersedes closes them.")
    tag_consolidations: dict[str, str] = Field(description="Tags replaced by their standard form, or by one of the user's.")


class StoreResult(Result):
    success: bool
    memory_id: str
    analysis: Analysis
    recommendations: Recommendations
    operation_id: str | None = Field(None, description="Undoes the store, if it superseded memories.", exclude_if=absent)


class Hit(Part):
    id: str
    content: str
    relevance_score: Fraction = Field(description="How well it matches; comparable across questions.")
    probability: Fraction | None = Field(description="How likely it is the answer; null if nothing in particular is asked.")
    below_threshold: bool | None = Field(
        None, exclude_if=absent, description="True for the best memory if no memory matches enough."
    )
    matched_concepts: list[str]
    category: Category
    importance: Level
    created_at: datetime
    last_accessed: datetime = Field(description="When a search last returned it; if never, when it was stored.")
    key: str | None = Field(None, exclude_if=absent)
    section: Section | None = Field(None, exclude_if=absent)
    event_time: datetime | None = Field(None, exclude_if=absent)


class ReadTimeRange(Part):
    after: datetime | None = Field(description="Inclusive; null if open.")
    before: datetime | None = Field(description="Exclusive; null if open.")


class QueryAnalysis(Part):
    intent: Intent
    extracted_concepts: list[str]
    search_scope: str = Field(description="The parts that were searched, content+tags+categories, and the filters.")
    semantic_expansions: dict[str, list[str]] = Field(description="Words added to the query, by concept; they weigh little.")
    time_range: ReadTimeRange | None = Field(
        description="The range that the query names; it affects the order, and hides nothing."
    )
    answerable: Fraction | None = Field(
        description="How likely a conversation contains the answer; null for single facts, which carry no signal."
    )
    held_back: int = Field(description="How many memories were left out because they match too little.")


class SearchResult(Result):
    results: list[Hit] = Field(description="The memories that match, best first.")
    total_found: int = Field(description="How many match, returned or not.")
    query_analysis: QueryAnalysis


class AdvancedTools(Part):
    maintenance: list[str]
    analysis: list[str]
    migration: list[str]
    debugging: list[str]


class SystemState(Part):
    total_memories: int = Field(description="Memories that can be found now.")
    health_score: Fraction = Field(description="1 if there is nothing to tidy up; docs/advanced.md has the formula.")
    optimization_opportunities: list[str]


class DiscoverResult(Result):
    advanced_tools: AdvancedTools
    current_system_state: SystemState
    tool_schema: dict[str, JsonValue] | None = Field(None, description="The manifest's row of that tool.", exclude_if=absent)
    group_schemas: list[dict[str, JsonValue]] | None = Field(None, description="The group's tools.", exclude_if=absent)
    tool_list: str | None = Field(None, description="Over MCP: which tools your list has, and can have.", exclude_if=absent)


class InsightMetadata(Part):
    type: InsightType
    user: str | None = Field(None, exclude_if=absent)
    importance: Fraction
    confidence: Fraction
    emotion: Emotion | None = Field(None, exclude_if=absent)
    tags: list[str]
    timestamp: int = Field(description="When it was stored, milliseconds since 1970.")

    @classmethod
    def of(cls, memory: Memory) -> Self:
        """Return the metadata of a memory in the format of `memory_store`."""
        return cls(
            type=insight_type(memory.memory_type),
            user=memory.subject,
            importance=memory.importance,
            confidence=memory.confidence,
            emotion=memory.emotion,
            tags=list(memory.tags),
            timestamp=round(memory.created_at.timestamp() * 1000),
        )


class StoreInsightResult(Result):
    id: str
    collection: str
    content: str
    metadata: InsightMetadata


class InsightHit(Part):
    id: str
    content: str
    metadata: InsightMetadata
    distance: Annotated[float, Field(ge=0.0, le=2.0)] | None = Field(
        None,
        description="Below 0.2 highly relevant, 0.5 relevant, 0.8 somewhat; absent if only the words match.",
        exclude_if=absent,
    )


class SearchInsightResult(Result):
    results: list[InsightHit] = Field(description="The nearest insights, nearest first.")
    query: str
    count: int
