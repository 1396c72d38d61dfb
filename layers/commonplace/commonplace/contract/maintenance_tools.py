"""The rows of the tools that keep the memories tidy."""

from commonplace.contract.tool import READS, Tool
from commonplace.domain import analysis

MAINTENANCE_TOOLS: tuple[Tool, ...] = (
    Tool(
        name="memory_stats",
        title="Count the memories",
        description="Counts the memories: by category, type, section, collection, durability and status, by age, month by "
        "month, with their tags, their health and their size. Use it for what there is as a whole; search_memory and "
        "list_memories show single memories.",
        request=analysis.StatsRequest,
        result=analysis.StatsResult,
        function="analysis",
        tier="advanced",
        group="maintenance",
        hints=READS,
        examples=({}, {"after": "2026-01-01", "before": "2026-07-01"}),
        errors=(),
    ),
)
