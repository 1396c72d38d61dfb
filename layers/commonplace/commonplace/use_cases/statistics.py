"""Implement `memory_stats`, which counts memories by label, age, month and tag."""

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import UTC, date, datetime, timedelta, tzinfo
from itertools import islice, pairwise
from typing import Any

from commonplace.domain.analysis import (
    AgeGroup,
    Breakdown,
    Health,
    HealthParts,
    Month,
    StatsRequest,
    StatsResult,
    TagCount,
    TagStats,
)
from commonplace.domain.fields import EARLIEST, Notes, is_never, local_day
from commonplace.domain.outline import Outline
from commonplace.ports.bundle import Ports
from commonplace.ports.values import Caller, Statistics
from commonplace.retrieval.record_scan import visibility_of
from commonplace.use_cases.discover import health, health_parts

_AGES = (7, 30, 90, 365)
_TOP = 20
_LABELS = ("category", "section", "collection", "durability")
_DAY = 86_400.0
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def memory_stats(request: StatsRequest, caller: Caller, ports: Ports) -> StatsResult:
    """Return statistics for the memories that are visible to this agent and were stored in the period."""
    agents = visibility_of(caller).agents
    mine = (outline for outline in ports.facts.outlines(caller.user_id) if outline.agent_id in agents)
    stored = [outline for outline in mine if within(outline.created_at, request.after, request.before)]
    state = ports.facts.statistics(caller.user_id, caller.now, ports.embedder.name)
    partial = f"the health covers only the newest {state.of_newest:,} memories" if state.of_newest else None
    notes = zone_note(caller.now, partial=partial)
    return counted(stored, state, caller.now).model_copy(update={"notes": notes})


def counted(stored: Sequence[Outline], state: Statistics, now: datetime) -> StatsResult:
    """Count memories as of `now`, whose time zone defines the months. `state` determines the health."""
    at = now.timestamp()
    live = [outline for outline in stored if outline.is_live(at)]
    parts = {name: round(part, 4) for name, part in health_parts(state).items()}
    return StatsResult(
        as_of=now,
        total=len(live),
        by=Breakdown(
            **{name: _count(getattr(outline, name) for outline in live) for name in _LABELS},
            type=_count(outline.memory_type for outline in live),
            status=_count("expired" if item.status == "active" and not item.is_live(at) else item.status for item in stored),
        ),
        age=_count_by_age(live, at),
        growth=_compute_growth(stored, at, zone_of(now)),
        tags=_compute_tag_stats(live),
        health=Health(score=health(state), parts=HealthParts(**parts)),
        record_bytes=sum(outline.record_bytes for outline in live),
    )


def within(seconds: float, after: datetime | None, before: datetime | None) -> bool:
    """Return whether a time is at or after `after` and before `before`. A bound that is None sets no limit."""
    return (after is None or seconds >= after.timestamp()) and (
        before is None or is_never(before) or seconds < before.timestamp()
    )


def zone_of(now: datetime) -> tzinfo:
    """Return the time zone in which days and months are counted. As in a search, it is that of the caller's clock."""
    return now.tzinfo or UTC


def zone_note(now: datetime, **more: Any) -> Notes | None:
    """Return a note that days and months are in UTC, unless the time zone is known."""
    unnamed = zone_of(now) is UTC
    notes = Notes(warnings=["no time zone is known: days and months are in UTC"] if unnamed else None, **more)
    return notes or None


def moment_of(seconds: float, zone: tzinfo) -> datetime:
    """Convert seconds since 1970 to a datetime in a zone. The earliest result is 2 January of the year 1."""
    return max(_EPOCH + timedelta(seconds=seconds), EARLIEST + timedelta(days=1)).astimezone(zone)


def day_of(seconds: float, zone: tzinfo) -> date:
    """Return the local date in `zone` for a time in seconds since 1970."""
    return local_day(_EPOCH + timedelta(seconds=seconds), zone)


def _count(names: Iterable[str]) -> dict[str, int]:
    """Count how often each name occurs. The most frequent names come first, then names in alphabetical order."""
    return dict(sorted(Counter(names).items(), key=lambda item: (-item[1], item[0])))


def _count_by_age(live: Sequence[Outline], now: float) -> list[AgeGroup]:
    """Count the memories per age group. A memory with a future date counts as new."""
    days = [(now - outline.created_at) / _DAY for outline in live]
    bounds = (-float("inf"), *_AGES, float("inf"))
    counts = [sum(low < age <= high for age in days) for low, high in pairwise(bounds)]
    return [AgeGroup(up_to_days=most, count=count) for most, count in zip((*_AGES, None), counts, strict=True)]


def _compute_growth(stored: Sequence[Outline], now: float, zone: tzinfo) -> list[Month]:
    closed_at = (outline.closed_at(now) for outline in stored)
    added = Counter(_format_month(outline.created_at, zone) for outline in stored)
    closed = Counter(_format_month(moment, zone) for moment in closed_at if moment is not None)
    return [Month(month=month, added=added[month], closed=closed[month]) for month in sorted({*added, *closed})]


def _format_month(seconds: float, zone: tzinfo) -> str:
    day = day_of(seconds, zone)
    return f"{day.year:04}-{day.month:02}"


def _compute_tag_stats(live: Sequence[Outline]) -> TagStats:
    counts = _count(tag for outline in live for tag in set(outline.tags))
    assignments = sum(counts.values())
    return TagStats(
        distinct=len(counts),
        assignments=assignments,
        used_once=sum(count == 1 for count in counts.values()),
        reuse_rate=round(1 - len(counts) / assignments, 3) if assignments else 0.0,
        top=[TagCount(tag=tag, count=count) for tag, count in islice(counts.items(), _TOP)],
    )
