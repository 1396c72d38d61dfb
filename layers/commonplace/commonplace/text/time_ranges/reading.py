"""From a query that may speak of time to the range it names."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from commonplace.text.time_ranges import FINENESS, YEARLY, Period, TimePhrase, TimeRange, TimeSpan, periodic
from commonplace.text.time_ranges.find import look_alikes, spans_of
from commonplace.text.time_ranges.language import Language, language_of
from commonplace.text.time_ranges.named_periods import is_movable
from commonplace.text.time_ranges.period import Clock
from commonplace.text.time_ranges.resolve import point, resolve

# One character for one, so that a span of the translated query is one of the query.
PLAIN = str.maketrans("０１２３４５６７８９", "0123456789")
# What tells the year, or the days of which are others each year.
OF_ONE_YEAR = {"year", "year_turn", "turn", "turned", "years_back", "ago", "numeric"}
OF_ONE_YEAR |= {"week_number", "around", "later", "nth_weekday", "side_weekday"}
Ends = tuple[Period | None, Period | None]


def read(query: str, now: datetime, languages: Sequence[str]) -> TimeRange | None:
    """The leftmost time that one of these languages names in the query, likeliest language first."""
    plain = query.translate(PLAIN)
    spoken = [language_of(code) for code in languages]
    blocked = look_alikes(plain, spoken)
    for language in spoken:
        clock = _clock(plain, now, language)
        for span in spans_of(plain, language, blocked):
            try:
                found = _range(span, clock)
            except (OverflowError, ValueError):  # a year before 1 or after 9999
                continue
            if found is not None:
                return replace(found, text=query[span.start : span.end].strip())
    return None


def _clock(query: str, now: datetime, language: Language) -> Clock:
    told = language.past.search(query) is not None and language.planned.search(query) is None
    forward = not told and language.forward.search(query) is not None
    return Clock(now, now.replace(tzinfo=None, fold=0), forward, told)


def _range(span: TimeSpan, clock: Clock) -> TimeRange | None:
    if span.kind == "by":
        clock = replace(clock, forward=not clock.told)
    first, last = _ends(span, clock)
    if first is None or last is None:
        return None
    after = {"since": first.start, "after": first.end, "newer": first.start}.get(span.kind)
    before = {"before": first.start, "until": first.end, "by": first.end, "older": first.end}.get(span.kind)
    if after is None and before is None:
        after, before = first.start, last.end
        grain = min(first.grain, last.grain, key=FINENESS.index)
    else:
        grain = "open"
    edges = [None if edge is None else clock.aware(edge) for edge in (after, before)]
    if edges[0] and edges[1] and edges[0] >= edges[1]:
        return None
    any_year = grain != "open" and all(_of_any_year(phrase, clock.zone) for phrase in span.phrases)
    return TimeRange(edges[0], edges[1], "", grain, any_year)


def _ends(span: TimeSpan, clock: Clock) -> Ends:
    if len(span.phrases) == 2:
        return _between(span.phrases, clock)
    slots = span.phrases[0].slots
    if span.kind in ("older", "newer"):
        moment = periodic.back(slots, clock)
        return (Period(moment, moment, "moment"),) * 2
    return ((resolve if span.kind == "during" else point)(slots, clock),) * 2


def _of_any_year(phrase: TimePhrase, zone: str) -> bool:
    slots = phrase.slots
    moves = "holiday" in slots and is_movable(slots["holiday"], zone)
    return bool(slots.keys() & YEARLY) and not slots.keys() & OF_ONE_YEAR and not moves


def _between(phrases: Sequence[TimePhrase], clock: Clock) -> Ends:
    """Both ends; one that does not say its year or week lies next to the other, "the 3rd" in the other's month."""
    first, last = phrases
    if "day_number" in first.slots:
        end = _dated(last, clock)
        return (_same_month(first, end) if end else None), end
    if "day_number" in last.slots:
        start = _dated(replace(first, slots={**last.slots, **first.slots}), clock)
        return start, (_same_month(last, start) if start else None)
    if last.bare and (not first.bare or clock.forward):
        start = point(first.slots, clock)
        return start, (point(last.slots, clock.seen_from(start.start, forward=True)) if start else None)
    end = point(last.slots, clock)
    if end and first.bare:
        clock = clock.seen_from(end.start, forward=False)
    return point(first.slots, clock), end


def _dated(phrase: TimePhrase, clock: Clock) -> Period | None:
    return point(phrase.slots, clock) if phrase.slots.keys() & {"date"} else None


def _same_month(phrase: TimePhrase, other: Period) -> Period:
    start = other.start.replace(day=int(phrase.slots["day_number"]))
    return Period(start, start + (other.end - other.start), other.grain)
