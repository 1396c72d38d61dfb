"""Implement `get_memory` and `list_memories`, which return one memory or a page of memories, and list the tags in use."""

from collections import Counter

from commonplace.domain.analysis import TagCount
from commonplace.domain.errors import invalid
from commonplace.domain.ids import may_be_id
from commonplace.domain.requests import FilterOptions
from commonplace.domain.storage import (
    GetRequest,
    GetResult,
    KeptMemory,
    ListRequest,
    ListResult,
    TagsRequest,
    TagsResult,
    TagUse,
)
from commonplace.ports.bundle import Ports
from commonplace.ports.values import Caller
from commonplace.retrieval.record_scan import filter_of, visibility_of
from commonplace.use_cases.cursors import cursor_of, place_of
from commonplace.use_cases.named import memory_named
from commonplace.use_cases.statistics import moment_of, zone_of

_TAGS = "tags"


def get_memory(request: GetRequest, caller: Caller, ports: Ports) -> GetResult:
    """Return the current memory with an id or a key."""
    return GetResult(memory=KeptMemory.of(memory_named(request, caller, ports)))


def list_memories(request: ListRequest, caller: Caller, ports: Ports) -> ListResult:
    """Return a page of the current memories, newest first. The read is strongly consistent."""
    options = request.options or FilterOptions()
    if request.cursor is not None and not may_be_id(request.cursor):
        raise invalid("cursor", "was not returned by list_memories")
    visibility = visibility_of(caller, include_expired=options.include_expired)
    wanted = filter_of(request.category, options)
    memories, after = ports.records.listed(visibility, wanted, request.limit, request.cursor)
    return ListResult(memories=[KeptMemory.of(memory) for memory in memories], count=len(memories), cursor=after)


def list_tags(request: TagsRequest, caller: Caller, ports: Ports) -> TagsResult:
    """Return a page of the tags of memories visible to this agent, with counts.

    The tags are sorted by name, so that memories stored between two calls don't shift the pages.
    """
    counts = tags_in_use(caller, ports)
    after = "" if request.cursor is None else place_of(request.cursor, caller.user_id, _TAGS)
    left = sorted(tag for tag in counts if tag > after)
    shown = left[: request.limit]
    return TagsResult(
        tags=[TagCount(tag=tag, count=counts[tag]) for tag in shown],
        cursor=cursor_of(shown[-1], caller.user_id, _TAGS) if len(left) > len(shown) else None,
    )


def tag_uses(caller: Caller, ports: Ports) -> list[TagUse]:
    """Return all tags visible to this agent, by name, with their first and last use. Merged and archived tags come last."""
    agents, counts = visibility_of(caller).agents, tags_in_use(caller, ports)
    stored: dict[str, list[float]] = {}
    for outline in ports.facts.outlines(caller.user_id):
        for tag in outline.tags if outline.agent_id in agents else ():
            stored.setdefault(tag, []).append(outline.created_at)
    zone = zone_of(caller.now)
    used = [
        TagUse(
            tag=tag, count=counts[tag], first_used=moment_of(min(stored[tag]), zone),
            last_used=moment_of(max(stored[tag]), zone),
        )
        for tag in sorted(counts)
    ]  # fmt: skip
    rows = sorted(ports.tag_rows.rows(caller.user_id).items())
    return used + [TagUse(tag=tag, **row.model_dump(exclude={"run_id"})) for tag, row in rows if tag not in counts]


def tags_in_use(caller: Caller, ports: Ports) -> Counter[str]:
    """Return all tags visible to this agent, each with its number of current memories."""
    agents, now = visibility_of(caller).agents, caller.now.timestamp()
    seen = (outline for outline in ports.facts.outlines(caller.user_id) if outline.is_visible(agents, now))
    return Counter(tag for outline in seen for tag in set(outline.tags))
