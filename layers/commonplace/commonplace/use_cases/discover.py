"""Implement `discover_memory_tools`, which lists the advanced tools and reports on the state of the memories."""

from typing import get_args

from commonplace.contract import manifest
from commonplace.contract.registry import TOOLS, tool_named
from commonplace.domain.fields import Notes
from commonplace.domain.requests import DiscoverRequest
from commonplace.domain.results import AdvancedTools, DiscoverResult, SystemState
from commonplace.domain.taxonomy import ToolGroup
from commonplace.ports.bundle import Ports
from commonplace.ports.values import Caller, Statistics
from commonplace.use_cases.tag_plan import TagPlan, visible

_MANY_UNUSED = 0.5


def discover_tools(request: DiscoverRequest, caller: Caller, ports: Ports) -> DiscoverResult:
    """Return the advanced tools by purpose, the state of the memories, and the requested schemas."""
    ports.usage.fold(caller.user_id)  # because the state counts unused memories
    state = ports.facts.statistics(caller.user_id, caller.now, ports.embedder.name)
    groups = {group: [tool.name for tool in TOOLS if tool.group == group] for group in get_args(ToolGroup)}
    uses = ports.facts.tags(caller.user_id)
    # Tags are compared without vectors, so that a call need not embed them.
    tags = TagPlan.of(uses, ports.words, lambda: visible(ports.records.all(caller.user_id), caller))
    schemas = [
        manifest.without_answers(manifest.row(tool)) for tool in TOOLS if request.group and tool.group == request.group
    ]
    return DiscoverResult(
        advanced_tools=AdvancedTools(**groups),
        current_system_state=SystemState(
            total_memories=state.active,
            health_score=health(state),
            optimization_opportunities=_list_opportunities(state, len(tags.merges)),
        ),
        tool_schema=manifest.row(tool_named(request.tool, "tool")) if request.tool else None,
        group_schemas=schemas or None,
        notes=Notes(partial=f"only the newest {state.of_newest:,} memories were counted") if state.of_newest else None,
    )


def health(state: Statistics) -> float:
    """Return the health score, which is 1 minus the deductions and never below 0. An empty store scores 1."""
    return round(min(1.0, max(0.0, 1 - sum(health_parts(state).values()))), 3)


def health_parts(state: Statistics) -> dict[str, float]:
    """Return the deductions for expired memories, memories embedded by another model, and many tags with a single use."""
    memories = max(1, state.active + state.expired)
    single = max(0.0, state.single_tags / max(1, state.tags) - 0.5) if state.tags >= 20 else 0.0
    return {
        "expired": state.expired / memories,
        "other_embedding": state.other_embedding / memories,
        "single_use_tags": 0.2 * single,
    }


def _list_opportunities(state: Statistics, duplicates: int) -> list[str]:
    suggestions = []
    if duplicates:
        suggestions.append(f"consolidate {duplicates} duplicate tag{'s' if duplicates > 1 else ''}")
    if state.expired:
        suggestions.append(_format_memory_count(state.expired, "is durable and has expired", "are durable and have expired"))
    if state.other_embedding:
        by = "embedded by another model"
        singular, many = f"was {by}: it is found by words only", f"were {by}: they are found by words only"
        suggestions.append(_format_memory_count(state.other_embedding, singular, many))
    if state.without_vector:
        by = "no vector (in a script that the embedding model doesn't know)"
        singular, many = f"has {by}: it is found by words only", f"have {by}: they are found by words only"
        suggestions.append(_format_memory_count(state.without_vector, singular, many))
    if state.active and state.unused / state.active > _MANY_UNUSED and state.active >= 20:
        suggestions.append(f"{state.unused} of {state.active} memories were never found by a search")
    if state.tags >= 20 and state.single_tags / state.tags > _MANY_UNUSED:
        suggestions.append(f"{state.single_tags} of {state.tags} tags are used only once")
    return suggestions


def _format_memory_count(count: int, singular: str, many: str) -> str:
    return f"1 memory {singular}" if count == 1 else f"{count} memories {many}"
