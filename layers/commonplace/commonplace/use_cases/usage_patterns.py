"""Implement `usage_patterns`, which reports when a user searches, which memories are found, and which searches fail."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from commonplace.domain.analysis import NeverUsed, UnansweredQuery, UsageRequest, UsageResult, UsedMemory
from commonplace.domain.fields import Notes, within
from commonplace.domain.memory import Memory
from commonplace.ports.bundle import Ports
from commonplace.ports.values import Caller, LoggedSearch
from commonplace.retrieval.record_scan import is_visible, visibility_of
from commonplace.use_cases.statistics import zone_note, zone_of

_TOP, _UNUSED, _UNANSWERED = 10, 50, 20
_OFF = "searches are not stored (COMMONPLACE_SEARCH_LOG is off): these numbers are from before it was turned off"


def usage_patterns(request: UsageRequest, caller: Caller, ports: Ports) -> UsageResult:
    """Count the searches stored in a period, and how often visible memories were found."""
    ports.usage.fold(caller.user_id)
    zone = zone_of(caller.now)
    logged = (entry for entry in ports.search_log.searches(caller.user_id) if within(entry.at, request.after, request.before))
    searches = [replace(search, at=search.at.astimezone(zone)) for search in logged]
    hours, weekdays = Counter(search.at.hour for search in searches), Counter(search.at.weekday() for search in searches)
    seen = visibility_of(caller)
    memories = [memory for memory in ports.records.all(caller.user_id) if is_visible(seen, memory)]
    unused = [memory for memory in memories if not memory.access_count and within(memory.created_at, None, request.before)]
    unused.sort(key=lambda memory: (memory.created_at, memory.memory_id))
    return UsageResult(
        timezone=getattr(zone, "key", None) or str(zone),
        searches=len(searches),
        by_hour=[hours[hour] for hour in range(24)],
        by_weekday=[weekdays[day] for day in range(7)],
        top=_list_most_used(memories, request),
        never_used=NeverUsed(count=len(unused), ids=[memory.memory_id for memory in unused[:_UNUSED]]),
        found_nothing=_list_unanswered_queries(searches),
        notes=zone_note(caller.now) if ports.search_log.is_on() else Notes(warnings=[_OFF]),
    )


def _list_most_used(memories: Sequence[Memory], request: UsageRequest) -> list[UsedMemory]:
    """Return the most used memories that were last used in the period, with counts of all their uses."""
    used = (memory for memory in memories if memory.access_count)
    recent = [item for item in used if item.last_accessed and within(item.last_accessed, request.after, request.before)]
    recent.sort(key=lambda memory: (-memory.access_count, memory.memory_id))
    return [UsedMemory(id=memory.memory_id, content=memory.content, count=memory.access_count) for memory in recent[:_TOP]]


def _list_unanswered_queries(searches: Sequence[LoggedSearch]) -> list[UnansweredQuery]:
    unanswered: dict[str, UnansweredQuery] = {}
    for search in searches:
        if not search.found:
            before = unanswered.get(search.query.casefold())
            last = search.at if before is None else max(before.last, search.at)
            count = 1 if before is None else before.count + 1
            unanswered[search.query.casefold()] = UnansweredQuery(query=search.query, count=count, last=last)
    return sorted(unanswered.values(), key=lambda each: (-each.count, -each.last.timestamp(), each.query))[:_UNANSWERED]
