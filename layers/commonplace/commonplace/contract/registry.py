"""THE SOURCE of the contract: a row per tool. Manifest, schemas, routes, events and docs are made from it or held to it."""

from commonplace.contract.analysis_tools import ANALYSIS_TOOLS
from commonplace.contract.debugging_tools import DEBUGGING_TOOLS
from commonplace.contract.keyed_tools import STORAGE_TOOLS
from commonplace.contract.maintenance_tools import MAINTENANCE_TOOLS
from commonplace.contract.migration_tools import MIGRATION_TOOLS
from commonplace.contract.tool import QUERY_ERRORS, READS, STORES, TEXT_ERRORS, Tool
from commonplace.domain import requests, results
from commonplace.domain.errors import CommonplaceError, ErrorCode, of_type

TOOLS: tuple[Tool, ...] = (
    Tool(
        name="memory_normalize",
        title="Normalize a statement",
        description="Turns what a user said into one clean third-person statement with a type and tags. Stores nothing; "
        "give the answer to memory_store_personal. Use it when the user tells something of themselves that is worth "
        "keeping; not for questions, small talk or passing moods.",
        request=requests.NormalizeRequest,
        result=results.NormalizeResult,
        function="normalize",
        tier="core",
        hints=READS,
        examples=({"text": "I'm 43 and I love concept albums and triathlons."},),
        errors=TEXT_ERRORS,
    ),
    Tool(
        name="memory_store_personal",
        title="Store a normalized statement",
        description="Stores a clean statement of the user, once; memory_normalize gives it; the same memory again returns "
        "the id that is there, with created false.",
        request=requests.StorePersonalRequest,
        result=results.StorePersonalResult,
        function="store",
        tier="core",
        hints=STORES,
        examples=(
            {
                "raw_text": "I go running most mornings before work.",
                "normalized": "The user goes running most mornings before work.",
                "type": "habit",
                "tags": ["running", "exercise", "morning"],
            },
        ),
        errors=TEXT_ERRORS,
    ),
    Tool(
        name="memory_search_personal",
        title="Search what is known of the user",
        description="Finds what is known of the user for a question in plain words, best first, each with its raw and "
        "its normalized text. An agent sees the global memories and its own.",
        request=requests.SearchPersonalRequest,
        result=results.SearchPersonalResult,
        function="search",
        tier="core",
        hints=READS,
        examples=({"query": "What sports does the user do?", "limit": 5},),
        errors=QUERY_ERRORS,
    ),
    Tool(
        name="store_memory",
        title="Remember something",
        description="Remembers a statement as it was said. Nothing has to be decided: category, type, tags, importance and "
        "concepts are found out, and memories that say the same are pointed out. recommendations.updates lists memories that "
        "this one may leave untrue; close those that are with update_memory; a store closes what context.supersedes names.",
        request=requests.StoreRequest,
        result=results.StoreResult,
        function="store",
        tier="primary",
        hints=STORES,
        examples=(
            {"content": "My daughter Mia is allergic to peanuts."},
            {"content": "The staging database moves on Friday.", "context": {"force_importance": 4}},
        ),
        errors=(*TEXT_ERRORS, ErrorCode.NOT_FOUND, ErrorCode.CONFLICT),
    ),
    Tool(
        name="search_memory",
        title="Search memories",
        description="Finds memories for a question in plain words, best first. Times in the question (`last week`, `in "
        "March`) are understood. probability tells how likely a memory is the answer: when it is low for all of them, say "
        "that you don't know instead of guessing.",
        request=requests.SearchRequest,
        result=results.SearchResult,
        function="search",
        tier="primary",
        hints=READS,
        examples=(
            {"query": "Is anybody in the family allergic to something?"},
            {"query": "what did I decide last week", "category": "projects", "options": {"importance_min": 3}},
        ),
        errors=QUERY_ERRORS,
    ),
    Tool(
        name="discover_memory_tools",
        title="Discover further tools",
        description="Lists the advanced tools that can be called now and the measured state of the memories. With tool, the "
        "whole schema of that one, which over MCP joins your list; with group, what each tool of that group takes.",
        request=requests.DiscoverRequest,
        result=results.DiscoverResult,
        function="discover",
        tier="primary",
        hints=READS,
        examples=({}, {"tool": "memory_search"}, {"group": "maintenance"}),
        errors=(ErrorCode.UNKNOWN_TOOL,),
    ),
    Tool(
        name="memory_store",
        title="Store an insight with metadata",
        description="Stores an insight with metadata of your own in a collection: for agents that keep their own types, "
        "confidence and emotion, and for moving memories here from another store. The same id again updates the insight.",
        request=requests.StoreInsightRequest,
        result=results.StoreInsightResult,
        function="store",
        tier="core",
        hints=STORES,
        examples=(
            {
                "content": "The user decides faster when given two options instead of five.",
                "metadata": {"type": "insight", "importance": 0.7, "tags": ["decisions"]},
            },
        ),
        errors=(*TEXT_ERRORS, ErrorCode.NOT_FOUND, ErrorCode.CONFLICT, ErrorCode.ERASED),
    ),
    Tool(
        name="memory_search",
        title="Search by distance",
        description="Finds memories with their cosine distance, nearest first, in one collection or all, filtered by type, "
        "label, importance or emotion.",
        request=requests.SearchInsightRequest,
        result=results.SearchInsightResult,
        function="search",
        tier="core",
        hints=READS,
        examples=({"query": "how does the user decide", "nResults": 3, "filter": {"type": "insight"}},),
        errors=QUERY_ERRORS,
    ),
    *STORAGE_TOOLS,
    *MAINTENANCE_TOOLS,
    *ANALYSIS_TOOLS,
    *MIGRATION_TOOLS,
    *DEBUGGING_TOOLS,
)
_BY_NAME = {tool.name: tool for tool in TOOLS}


def tool_named(name: str, field: str | None = None) -> Tool:
    """The tool of that name; `UNKNOWN_TOOL` tells the names that there are."""
    if of_type(str, name, field or "tool") not in _BY_NAME:
        raise CommonplaceError(
            ErrorCode.UNKNOWN_TOOL, f"there is no tool of this name; there are {', '.join(_BY_NAME)}", field
        )
    return _BY_NAME[name]
