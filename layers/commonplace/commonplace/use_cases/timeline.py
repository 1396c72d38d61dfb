"""Implement `memory_timeline`, which counts memories and concepts by event date, and shows changes over time."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta, tzinfo

from commonplace.domain.analysis import Bucket, TimelineChange, TimelineRequest, TimelineResult, Version
from commonplace.domain.errors import CommonplaceError, ErrorCode
from commonplace.domain.memory import Memory
from commonplace.domain.outline import Outline
from commonplace.domain.taxonomy import Granularity
from commonplace.ports.bundle import Ports
from commonplace.ports.values import Caller, Visibility
from commonplace.retrieval.record_scan import visibility_of
from commonplace.text.foundation import tokenizer
from commonplace.use_cases.concepts import names_of, things
from commonplace.use_cases.cursors import cursor_of, place_of
from commonplace.use_cases.statistics import day_of, moment_of, within, zone_note, zone_of

PAGE = 31
"""The maximum number of buckets per result."""
_CONCEPTS, _CHANGES = 5, 10


@dataclass
class Span:
    """A bucket that starts on the day `first`, with its visible memories and the memories replaced during it."""

    first: date
    seen: list[Outline] = field(default_factory=list)
    replaced: list[Outline] = field(default_factory=list)


def memory_timeline(request: TimelineRequest, caller: Caller, ports: Ports) -> TimelineResult:
    """Return a page of the timeline, oldest first."""
    question = request.model_dump_json(exclude={"cursor"})
    begin = date.min
    if request.cursor is not None:
        begin = date.fromisoformat(place_of(request.cursor, caller.user_id, question))
    terms = sorted(set(tokenizer.terms(request.topic or "")))
    if request.topic is not None and not terms:
        raise CommonplaceError(ErrorCode.EMPTY_TEXT, "topic: holds no word to look for", "topic")
    visibility, zone = visibility_of(caller), zone_of(caller.now)
    outlines = ports.facts.outlines(caller.user_id, terms)
    spans = [span for span in spans_of(outlines, visibility, request, zone) if span.first >= begin]
    page, later = spans[:PAGE], spans[PAGE:]
    changes = _load_changes(page, visibility, caller, ports)
    cut = any(len(span.replaced) > _CHANGES for span in page)
    buckets = (_build_bucket(span, changes, request.granularity, zone) for span in page)
    return TimelineResult(
        buckets=[bucket for bucket in buckets if bucket.count or bucket.changes],
        cursor=cursor_of(later[0].first.isoformat(), caller.user_id, question) if later else None,
        notes=zone_note(caller.now, partial=f"of a bucket the last {_CHANGES} changes are shown" if cut else None),
    )


def spans_of(outlines: Iterable[Outline], visibility: Visibility, request: TimelineRequest, zone: tzinfo) -> list[Span]:
    """Return the non-empty buckets of the period, oldest first."""
    spans: dict[date, Span] = {}
    now = visibility.now.timestamp()

    def put_in(seconds: float) -> Span | None:
        if not within(seconds, request.after, request.before):
            return None
        first = first_day(day_of(seconds, zone), request.granularity)
        return spans.setdefault(first, Span(first))

    for outline in outlines:
        if outline.is_visible(visibility.agents, now) and (span := put_in(outline.happened_at)):
            span.seen.append(outline)
        if _is_replaced(outline, visibility) and (span := put_in(outline.valid_to or 0.0)):
            span.replaced.append(outline)
    return [spans[first] for first in sorted(spans)]


def _is_replaced(outline: Outline, visibility: Visibility) -> bool:
    """Return whether a visible agent's memory was superseded by a known memory at a known time."""
    closed = outline.status == "superseded" and outline.superseded_by is not None and outline.valid_to is not None
    return closed and outline.agent_id in visibility.agents


def first_day(day: date, granularity: Granularity) -> date:
    """Return the first day of the bucket that contains `day`."""
    if granularity == "week":
        return day - timedelta(days=day.weekday())
    return day.replace(day=1 if granularity != "day" else day.day, month=1 if granularity == "year" else day.month)


def day_after(first: date, granularity: Granularity) -> date:
    """Return the first day of the next bucket."""
    days = {"day": 1, "week": 7, "month": 31, "year": 366}[granularity]
    return first_day(first + timedelta(days=days), granularity)


def _build_bucket(span: Span, changes: dict[str, TimelineChange], granularity: Granularity, zone: tzinfo) -> Bucket:
    replaced = [changes[outline.memory_id] for outline in span.replaced if outline.memory_id in changes]
    return Bucket(
        start=datetime.combine(span.first, time.min, zone),
        end=datetime.combine(day_after(span.first, granularity), time.min, zone),
        count=len(span.seen),
        concepts=_find_most_frequent(span.seen),
        changes=sorted(replaced, key=lambda change: (change.at, change.old.id)),
    )


def _find_most_frequent(seen: Sequence[Outline]) -> list[str]:
    """Return the names of the five concepts that occur in most memories, most frequent first."""
    names = names_of(seen)
    counts = Counter(names[thing] for outline in seen for thing in things(outline))
    return [name for name, _ in sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:_CONCEPTS]]


def _load_changes(page: Sequence[Span], visibility: Visibility, caller: Caller, ports: Ports) -> dict[str, TimelineChange]:
    """Map the ids of old memories to the last changes in each span. Changes that involve a hidden memory are skipped."""
    last = [
        outline
        for span in page
        for outline in sorted(span.replaced, key=lambda outline: (outline.valid_to, outline.memory_id))[-_CHANGES:]
    ]
    ids = {name for outline in last for name in (outline.memory_id, outline.superseded_by) if name}
    read = {memory.memory_id: memory for memory in ports.records.get(caller.user_id, sorted(ids))} if ids else {}
    shown = {
        name: memory
        for name, memory in read.items()
        if memory.status in ("active", "superseded") and memory.content and memory.agent_id in visibility.agents
    }
    return {
        outline.memory_id: TimelineChange(
            at=moment_of(outline.valid_to or 0.0, zone_of(caller.now)),
            old=_build_version(shown[outline.memory_id]),
            new=_build_version(shown[outline.superseded_by]),
        )
        for outline in last
        if outline.memory_id in shown and outline.superseded_by in shown
    }


def _build_version(memory: Memory) -> Version:
    return Version(id=memory.memory_id, content=memory.content)
