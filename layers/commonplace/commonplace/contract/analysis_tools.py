"""The rows of the tools that show what the memories say as a whole."""

from commonplace.contract.tool import QUERY_ERRORS, READS, Tool
from commonplace.domain import analysis, usage

ANALYSIS_TOOLS: tuple[Tool, ...] = (
    Tool(
        name="memory_timeline",
        title="Show when things happened",
        description="Counts the memories by day, week, month or year of when things happened, each with what it was about "
        "and with what changed then: the old value beside the new one. Use it for how something went on over time; "
        "search_memory answers a question.",
        request=analysis.TimelineRequest,
        result=analysis.TimelineResult,
        function="analysis",
        tier="advanced",
        group="analysis",
        hints=READS,
        examples=({}, {"topic": "running", "granularity": "week", "after": "2026-01-01"}),
        errors=QUERY_ERRORS,
    ),
    Tool(
        name="concept_network",
        title="Show how concepts hang together",
        description="Shows which concepts stand together in the memories, as a graph: how many memories have each, how "
        "strongly two are linked, and which form a community. With focus, what is around one concept. Use it to see what "
        "subjects there are; search_memory finds the memories themselves.",
        request=analysis.NetworkRequest,
        result=analysis.NetworkResult,
        function="analysis",
        tier="advanced",
        group="analysis",
        hints=READS,
        examples=({}, {"focus": "running", "depth": 2}, {"limit": 30, "format": "dot"}),
        errors=(),
    ),
    Tool(
        name="usage_patterns",
        title="Show how the memories are used",
        description="Tells how the memories are used: how many searches there were by hour and weekday, which memories were "
        "found most, which never, and which questions found nothing. Use it to see what is missing or of no use.",
        request=usage.UsageRequest,
        result=usage.UsageResult,
        function="analysis",
        tier="advanced",
        group="analysis",
        hints=READS,
        examples=({}, {"after": "2026-05-01", "before": "2026-06-01"}),
        errors=(),
    ),
)
