"""The rows of the tools that keep the memories tidy."""

from functools import partial

from commonplace.contract.tool import READS, Hints, Tool
from commonplace.domain import analysis, maintenance
from commonplace.domain.errors import ErrorCode

_PLANS = Hints(read_only=False, destructive=False, idempotent=False)
"""Nothing is lost: what is closed is kept, and the whole run can be undone."""
_PLAN_ERRORS = (ErrorCode.NOT_FOUND, ErrorCode.CONFLICT, ErrorCode.LEASE_LOST)

_changing = partial(Tool, function="maintenance", tier="advanced", group="maintenance", hints=_PLANS)

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
    _changing(
        name="merge_memories",
        title="Merge memories",
        description="Makes one memory of two to ten that say the same or belong together; no clause is lost that another "
        "does not tell, and the old ones are kept. Without memory_ids it tells which memories say the same. First it only "
        "plans: show the user merged_text, then call it again with run_id and dry_run false.",
        request=maintenance.MergeRequest,
        result=maintenance.MergeResult,
        examples=({}, {"memory_ids": ["mem_01M7Y9WZRKKCZMXKBZPYYE31X7", "mem_01M7Y9WZRKKCZMXKBZPYYE31X8"]}),
        errors=(*_PLAN_ERRORS, ErrorCode.NOT_MERGEABLE, ErrorCode.TOO_MANY_REQUESTS),
    ),
    _changing(
        name="optimize_tags",
        title="Merge tags of one meaning",
        description="Gives tags that mean the same one name: other names and spellings, abbreviations, typing errors and "
        "forms of a word; a query for an old tag goes on finding what it did. First it only plans: show the user the merges, "
        "then call it again with run_id and dry_run false.",
        request=maintenance.OptimizeRequest,
        result=maintenance.OptimizeResult,
        examples=({}, {"threshold": 1.0}),
        errors=_PLAN_ERRORS,
    ),
)
