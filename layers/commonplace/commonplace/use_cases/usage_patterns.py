"""`usage_patterns`: when searches happen, which memories they find most or never, and which searches found nothing."""

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
    """Count the stored searches of a period, and how often visible memories were found."""
    ports.usage.fold(caller.user_id)
    zone = zone_of(caller.now)
    kept = (one for one in ports.search_log.searches(caller.user_id) if within(one.at, request.after, request.before))
    searches = [replace(one, at=one.at.astimezone(zone)) for one in kept]
    hours, weekdays = Counter(one.at.hour for one in searches), Counter(one.at.weekday() for one in searches)
    seen = visibility_of(caller)
    memories = [memory for memory in ports.records.all(caller.user_id) if is_visible(seen, memory)]
    return UsageResult(
        timezone=getattr(zone, "key", None) or str(zone),
        searches=len(searches),
        by_hour=[hours[hour] for hour in range(24)],
        by_weekday=[weekdays[day] for day in range(7)],
        top=_most_found(memories, request),
        never_used=_never_found(memories, request),
        found_nothing=_unanswered_queries(searches),
        notes=zone_note(caller.now) if ports.search_log.is_on() else Notes(warnings=[_OFF]),
    )


def _most_found(memories: Sequence[Memory], request: UsageRequest) -> list[UsedMemory]:
    used = (one for one in memories if one.access_count)
    found = [one for one in used if one.last_accessed and within(one.last_accessed, request.after, request.before)]
    found.sort(key=lambda memory: (-memory.access_count, memory.memory_id))
    return [UsedMemory(id=one.memory_id, content=one.content, count=one.access_count) for one in found[:_TOP]]


def _never_found(memories: Sequence[Memory], request: UsageRequest) -> NeverUsed:
    unused = [one for one in memories if not one.access_count and within(one.created_at, None, request.before)]
    unused.sort(key=lambda memory: (memory.created_at, memory.memory_id))
    return NeverUsed(count=len(unused), ids=[one.memory_id for one in unused[:_UNUSED]])


def _unanswered_queries(searches: Sequence[LoggedSearch]) -> list[UnansweredQuery]:
    asked: dict[str, UnansweredQuery] = {}
    for one in searches:
        if not one.found:
            before = asked.get(one.query.casefold())
            last = one.at if before is None else max(before.last, one.at)
            count = 1 if before is None else before.count + 1
            asked[one.query.casefold()] = UnansweredQuery(query=one.query, count=count, last=last)
    return sorted(asked.values(), key=lambda each: (-each.count, -each.last.timestamp(), each.query))[:_UNANSWERED]
