"""Who may see a memory, and what a filter lets through, told of one memory at a time."""

from datetime import datetime

from commonplace.documents import Document
from commonplace.models.memory import GLOBAL_AGENT, Memory
from commonplace.ports import Caller, Filter, Visibility


def seen_by(caller: Caller, agent_id: str | None = None, include_expired: bool = False) -> Visibility:
    """What a caller may see: the global memories and those of their agent, or of `agent_id`."""
    agents = tuple(sorted({GLOBAL_AGENT, agent_id or caller.agent_id}))
    return Visibility(caller.user_id, agents, caller.now, include_expired)


def may_see(seen: Visibility, memory: Memory) -> bool:
    """Whether a memory may be seen: the user's own, active, valid now, unexpired, and meant for one of the agents."""
    return (
        memory.user_id == seen.user_id
        and memory.status == "active"
        and memory.agent_id in seen.agents
        and (memory.valid_from is None or memory.valid_from <= seen.now)
        and (memory.valid_to is None or memory.valid_to > seen.now)
        and (seen.include_expired or memory.expires_at is None or memory.expires_at > seen.now)
    )


def passes(wanted: Filter, memory: Memory, doc: Document) -> bool:
    """Whether a visible memory passes a filter."""
    return (
        all(getattr(doc if name == "content_type" else memory, name) == value for name, value in wanted.equal.items())
        and (wanted.types is None or memory.memory_type in wanted.types)
        and (wanted.importance_min is None or memory.importance >= wanted.importance_min)
        and _within(memory.happened_at, wanted.after, wanted.before)
    )


def _within(moment: datetime, after: datetime | None, before: datetime | None) -> bool:
    return (after is None or moment >= after) and (before is None or moment < before)
