"""The controlled vocabularies, the meaning of each word, and the mapping between the dialects of the tools."""

import re
from collections.abc import Mapping
from typing import Literal, get_args

MemoryType = Literal[
    "preference", "biographical", "habit", "goal", "value", "project", "task", "fact",
    "insight", "pattern", "connection", "meta", "other",
]  # fmt: skip
StatementType = Literal["preference", "biographical", "habit", "goal", "value", "project", "other"]
InsightType = Literal["insight", "fact", "preference", "pattern", "connection"]
Category = Literal["contexts", "projects", "learnings", "reminders", "references", "interactions", "system"]
Section = Literal["preference", "work_context", "personal_context", "reading_history"]
SearchCategory = Literal[
    "contexts", "projects", "learnings", "reminders", "references", "interactions", "system",
    "preference", "work_context", "personal_context", "reading_history", "all",
]  # fmt: skip
ContentType = Literal["factual", "preference", "reminder", "procedure", "event", "instruction"]
Emotion = Literal["curiosity", "satisfaction", "concern", "neutral", "excitement"]
Durability = Literal["durable", "daily"]
SIMILARITIES: Mapping[str, float] = {"conservative": 0.9, "balanced": 0.8, "aggressive": 0.7}
"""The least similarity (0 unrelated, 1 the same) at which a store suggests to merge two memories, by setting."""
Scope = Literal["user_global", "session", "site", "conversation"]
Status = Literal["active", "superseded", "archived", "deleted"]
Source = Literal["user", "agent", "system"]
ToolGroup = Literal["maintenance", "analysis", "migration", "debugging"]
"""The purpose of an advanced tool."""
ImportKind = Literal[
    "chatgpt", "claude", "mem0", "zep", "graphiti", "letta", "langgraph", "agentcore", "mcp-memory", "basic-memory",
    "anthropic-memory", "markdown", "messages", "turns", "commonplace",
]  # fmt: skip
"""The possible kinds of a file or folder to be imported."""
Granularity = Literal["day", "week", "month", "year"]
"""How long a bucket of the timeline is."""

CATEGORIES: dict[Category, str] = {
    "contexts": "the user's person: who they are, family, tastes, habits, values, health, circumstances, moods",
    "projects": "work and undertakings with an outcome, and every lasting goal, personal ones too",
    "learnings": "what the user learned, understood or found out, also about themselves; skills",
    "reminders": "what must be done or kept in mind by a time or on an occasion, once or again and again; appointments",
    "references": "what is looked up again: rules of a team or house, addresses, sizes, contacts, recipes, facts",
    "interactions": "what was said, agreed or asked between people; meetings, regular company, how people get on",
    "system": "how the assistant is to behave: standing wishes, how to answer, what not to store",
}

_TYPE_OF_CATEGORY: dict[Category, MemoryType] = {
    "contexts": "fact", "projects": "project", "learnings": "insight", "reminders": "task",
    "references": "fact", "interactions": "other", "system": "meta",
}  # fmt: skip
_STATEMENT_OF: dict[MemoryType, StatementType] = {
    "preference": "preference", "biographical": "biographical", "habit": "habit", "goal": "goal", "value": "value",
    "project": "project", "pattern": "habit", "meta": "preference",
}  # fmt: skip
_INSIGHT_OF: dict[MemoryType, InsightType] = {
    "preference": "preference", "habit": "pattern", "value": "insight", "insight": "insight",
    "pattern": "pattern", "connection": "connection", "meta": "preference",
}  # fmt: skip
_PROCEDURE = re.compile(
    r"\bhow to\b|\bsteps?\s*(?:\d|:)|\bfirst\b.*\bthen\b|^\s*1[.)]\s.*^\s*2[.)]\s|\brecipe\b|\bprocedure\b"
    r"|\b(?:preheat|mix|simmer|run|type|click)\b.*\bthen\b|手順|作り方|\banleitung\b|\breceta\b|\brecette\b",
    re.IGNORECASE | re.MULTILINE | re.DOTALL,
)


def memory_type(statement: StatementType, category: Category) -> MemoryType:
    """Return the type of the statement. For `other`, return the type of the category.

    `meta` says how the assistant should behave. A statement of this type is a preference.
    """
    if category == "system" and statement == "preference":
        return "meta"
    return statement if statement != "other" else _TYPE_OF_CATEGORY[category]


def statement_type(kind: MemoryType) -> StatementType:
    """Return the word of `memory_normalize` and the personal pair for a record's type."""
    return _STATEMENT_OF.get(kind, "other")


def insight_type(kind: MemoryType) -> InsightType:
    """Return the word of `memory_store` and `memory_search` for a record's type."""
    return _INSIGHT_OF.get(kind, "fact")


def types_of_insight(kind: InsightType) -> tuple[MemoryType, ...]:
    """Return the record's types for a word of `memory_search`."""
    return tuple(own for own in get_args(MemoryType) if insight_type(own) == kind)


def section_of(kind: MemoryType, category: Category) -> Section:
    """Return the heading of a memory in MEMORY.md."""
    if kind in ("preference", "meta") or category == "system":
        return "preference"
    if kind in ("project", "task") or category == "projects":
        return "work_context"
    return "reading_history" if category in ("references", "learnings") else "personal_context"


def where_filed(named: SearchCategory) -> tuple[Category | None, Section | None]:
    """Return the category of a search as a category or a section of the record. Returns neither for `all`."""
    for category in CATEGORIES:
        if named == category:
            return category, None
    for section in get_args(Section):
        if named == section:
            return None, section
    return None, None


def content_type_of(kind: MemoryType, category: Category, text: str) -> ContentType:
    """Return the word of `search_memory`'s `content_type` option for a memory."""
    if category == "system" or kind == "meta":
        return "instruction"
    if category == "reminders" or kind == "task":
        return "reminder"
    if kind == "preference":
        return "preference"
    if category in ("references", "learnings") and _PROCEDURE.search(text):
        return "procedure"
    return "event" if category == "interactions" else "factual"
