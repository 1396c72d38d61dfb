"""Resolve the time phrases in a query to a time range.

Some times recur, like months and seasons, and others are counted from the present, like "3 weeks ago".
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial

from dateutil.relativedelta import relativedelta

from commonplace.text.time_ranges import ANCHORS, FINENESS, RELATIONS, YEARLY, Period, TimePhrase, TimeRange, TimeSpan, period
from commonplace.text.time_ranges.find import look_alikes, read_written, spans_of
from commonplace.text.time_ranges.language import Language, language_of
from commonplace.text.time_ranges.period import (
    Clock,
    calendar,
    days,
    is_movable,
    midnight,
    monday,
    months,
    narrowed,
    part_of_day,
    years,
)

Slots = Mapping[str, str]
# Eight years in each direction include a 29 February, even around 1900 and 2100.
REACH = 8

# "A few days ago" covers the days from five to two days back. "The last few days" covers five days.
FEW = (5, 2)
MADE_OF = {
    "half_hour": ("minute", 30),
    "hour_and_half": ("minute", 90),
    "fortnight": ("week", 2),
    "decade": ("year", 10),
    "half_year": ("month", 6),
    "year_and_half": ("month", 18),
}
CLOCK_UNITS = ("hour", "minute")


def turn_of(slots: Slots) -> int | None:
    """Return -1 for "last", 0 for "this" and 1 for "next", or None if a phrase has none of these words."""
    turn = slots.get("turn") or slots.get("turned")
    return None if turn is None else 1 if turn == "coming" else int(turn)


def written_date(slots: Slots, clock: Clock) -> Period | None:
    date = read_written(slots.get("date") or slots["numeric"], slots["language"])
    if date is None:
        return None
    if "numeric" in slots:
        return narrowed(days(datetime(date.year, date.month, date.day)), slots)
    return _resolve_in_year(lambda year: days(datetime(year, date.month, date.day)), slots, clock)


def month(slots: Slots, clock: Clock) -> Period | None:
    """Return the month given by the slots, or None if the name or number isn't that of a month."""
    if "month_number" in slots:
        number = int(slots["month_number"])
    else:
        date = read_written(slots["month"], slots["language"])
        number = date.month if date else 0
    return _resolve_in_year(lambda year: months(year, number), slots, clock) if 1 <= number <= 12 else None


def season(slots: Slots, clock: Clock) -> Period | None:
    """Return the season given by the slots. In southern time zones, each season is half a year later."""
    return _resolve_in_year(lambda year: period.season(int(slots["season"]), year, clock.zone), slots, clock)


def holiday(slots: Slots, clock: Clock) -> Period | None:
    """Return a holiday's usual days, or only the day itself for "Christmas morning" or "the day after Christmas"."""
    whole = not slots.keys() & {"part", "hour", "side"}
    return _resolve_in_year(lambda year: period.holiday(slots["holiday"], year, clock.zone, whole=whole), slots, clock)


def numbered_week(slots: Slots, clock: Clock) -> Period | None:
    """Return the ISO week with this number (1 to 53), as in "week 12"."""
    number = int(slots["week_number"])
    return _resolve_in_year(lambda year: calendar("week", datetime.fromisocalendar(year, number, 1)), slots, clock)


def part_of_year(slots: Slots, clock: Clock) -> Period | None:
    """Return a quarter (1 to 4) or half (1 or 2) of a year."""
    number, size = (int(slots["quarter"]), 3) if "quarter" in slots else (int(slots["half"]), 6)
    return _resolve_in_year(lambda year: months(year, size * (number - 1) + 1, size), slots, clock)


def decade(slots: Slots, clock: Clock) -> Period | None:
    """Return the ten years of a decade. If it has two digits ("the 90s"), the latest one that has begun is meant."""
    first = int(slots.get("decade") or slots["tens"])
    if first < 100:
        first += 1900 if 1900 + first + 100 > clock.now.year else 2000
    return narrowed(years(first, 10), slots)


def _resolve_in_year(make: Callable[[int], Period], slots: Slots, clock: Clock) -> Period | None:
    """Return the period in the given year. If there is none, "last", "this", "next" or the query's tense selects one."""
    named = _compute_year(slots, clock)
    if named is not None:
        return narrowed(make(named), slots)
    made = []
    for near in range(clock.now.year - REACH, clock.now.year + REACH + 1):
        with suppress(ValueError):  # 29 February in a common year, or a year without a week 53
            made.append(narrowed(make(near), slots))
    return clock.pick([period for period in made if period], turn_of(slots))


def _compute_year(slots: Slots, clock: Clock) -> int | None:
    """Return the year given by the slots, or None."""
    if "years_back" in slots:
        return clock.now.year - _count_units({**slots, "unit": "year"})[1][-1]
    if "year_turn" in slots:
        return clock.now.year + int(slots["year_turn"])
    return int(slots["year"]) if "year" in slots else None


def ago(slots: Slots, clock: Clock) -> Period | None:
    """Return the day, week, month or year that is a number of units ago or ahead. Hours and minutes give a whole hour."""
    sign = 1 if "from_now" in slots else -1
    if "weekday" in slots:
        return _resolve_weekday_ago(slots, clock)
    if slots.keys() & {"season", "holiday"}:
        shifted = {**slots, "turn": str(-_count_units({**slots, "unit": "year"})[1][-1])}
        return season(shifted, clock) if "season" in slots else holiday(shifted, clock)
    if slots.get("from_now") == "forward" and not clock.forward:  # "in two weeks" may also be a duration
        return None
    unit, counts = _count_units(slots)
    moments = [_shift_present(clock, unit, sign * count) for count in counts[::-sign]]
    if unit in CLOCK_UNITS:
        first, last = (moment.replace(minute=0, second=0, microsecond=0) for moment in (moments[0], moments[-1]))
        return Period(first, last + timedelta(hours=1), "moment")
    if "exact" in slots:
        return days(moments[0])
    wholes = [_build_period_around(unit, moment) for moment in moments]
    return narrowed(Period(wholes[0].start, wholes[-1].end, wholes[0].grain), slots)


def _resolve_weekday_ago(slots: Slots, clock: Clock) -> Period | None:
    count = int(slots["count"]) if slots["count"].isdigit() else FEW[-1]
    first = monday(clock.now) + timedelta(days=int(slots["weekday"]))
    return clock.pick([days(first - timedelta(weeks=step)) for step in range(count + 1, -1, -1)], -count)


def back(slots: Slots, clock: Clock) -> datetime:
    """Return the time a given number of units before now, as in "older than two years". "A few" counts as two."""
    unit, counts = _count_units(slots)
    return _shift_present(clock, unit, -counts[-1])


def rolling(slots: Slots, clock: Clock) -> Period | None:
    """Return a period of a given number of units that ends or begins now. From days upwards, it consists of whole days."""
    unit, counts = _count_units(slots)
    ahead = "ahead" in slots
    if unit == "weekend":
        wholes = [calendar(unit, clock.now, count if ahead else -count) for count in (1, counts[0])]
        return Period(min(whole.start for whole in wholes), max(whole.end for whole in wholes), "day")
    edge = _shift_present(clock, unit, counts[0] if ahead else -counts[0])
    now = clock.instant if unit in CLOCK_UNITS else clock.now
    # The two times aren't sorted. In the hour that occurs twice, the later time may look earlier.
    first, last = (now, edge) if ahead else (edge, now)
    if unit in CLOCK_UNITS:
        return Period(first, last, "moment")
    return Period(midnight(first), midnight(last) + timedelta(days=1), "day")


def _count_units(slots: Slots) -> tuple[str, tuple[int, ...]]:
    """Return the unit and its possible counts. "The last days" counts as "a few days"."""
    few = "several" in slots or slots.get("count") == "few"
    unit = slots.get("several") or slots.get("unit") or slots["stretch"]
    unit, size = MADE_OF.get(unit, (unit, 1))
    return unit, tuple(size * count for count in (FEW if few else (int(slots.get("count", "1")),)))


def _build_period_around(unit: str, moment: datetime) -> Period:
    if unit == "night":
        return part_of_day(days(moment), "night")
    return days(moment) if unit == "day" else calendar(unit, moment)


def _shift_present(clock: Clock, unit: str, count: int) -> datetime:
    """Shift the present by units. Hours and minutes are elapsed time. Longer units follow the calendar."""
    if unit in CLOCK_UNITS:
        passed = timedelta(hours=count) if unit == "hour" else timedelta(minutes=count)
        return (clock.instant.astimezone(UTC) + passed).astimezone(clock.instant.tzinfo)
    if unit in ("month", "year"):
        return clock.now + relativedelta(months=count * (12 if unit == "year" else 1))
    return clock.now + timedelta(days=count * (7 if unit in ("week", "weekend") else 1))


# Each character becomes exactly one, so spans in the translated query also fit the original query.
PLAIN = str.maketrans("０１２３４５６７８９", "0123456789")
# Slots that determine the year, or whose days differ from year to year.
YEAR_SLOTS = {"year", "year_turn", "turn", "turned", "years_back", "ago", "numeric"}
YEAR_SLOTS |= {"week_number", "around", "later", "nth_weekday", "side_weekday"}
Ends = tuple[Period | None, Period | None]
NOON = 12


def read(query: str, now: datetime, languages: Sequence[str]) -> TimeRange | None:
    """Return the leftmost time in the query, or None. `languages` are tried in order, likeliest first."""
    plain = query.translate(PLAIN)
    spoken = [language_of(code) for code in languages]
    blocked = look_alikes(plain, spoken)
    for language in spoken:
        clock = _build_clock(plain, now, language)
        for span in spans_of(plain, language, blocked):
            try:
                time_range = _build_range(span, clock)
            except (OverflowError, ValueError):  # a year before 1 or after 9999
                continue
            if time_range is not None:
                return replace(time_range, text=query[span.start : span.end].strip())
    return None


def _build_clock(query: str, now: datetime, language: Language) -> Clock:
    is_past = language.past.search(query) is not None and language.planned.search(query) is None
    forward = not is_past and language.forward.search(query) is not None
    return Clock(now, now.replace(tzinfo=None, fold=0), forward, is_past)


def _build_range(span: TimeSpan, clock: Clock) -> TimeRange | None:
    if span.kind == "by":
        clock = replace(clock, forward=not clock.told)
    first, last = _resolve_ends(span, clock)
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
    any_year = grain != "open" and all(_is_of_any_year(phrase, clock.zone) for phrase in span.phrases)
    return TimeRange(edges[0], edges[1], "", grain, any_year, any_week=_is_of_any_week(span))


def _is_of_any_week(span: TimeSpan) -> bool:
    slots_read = ANCHORS | YEARLY | RELATIONS | {"day_of_month"}
    return all("weekday" in phrase.slots and not phrase.slots.keys() & slots_read for phrase in span.phrases)


def _resolve_ends(span: TimeSpan, clock: Clock) -> Ends:
    if len(span.phrases) == 2:
        return _resolve_between(span.phrases, clock)
    slots = span.phrases[0].slots
    if span.kind in ("older", "newer"):
        moment = back(slots, clock)
        return (Period(moment, moment, "moment"),) * 2
    return ((resolve if span.kind == "during" else point)(slots, clock),) * 2


def _is_of_any_year(phrase: TimePhrase, zone: str) -> bool:
    slots = phrase.slots
    moves = "holiday" in slots and is_movable(slots["holiday"], zone)
    return bool(slots.keys() & YEARLY) and not slots.keys() & YEAR_SLOTS and not moves


def _resolve_between(phrases: Sequence[TimePhrase], clock: Clock) -> Ends:
    """Resolve both ends. An end without a year or week is placed as close as possible to the other end."""
    first, last = phrases
    if "day_number" in first.slots:
        end = _resolve_dated(last, clock)
        return (_build_same_month(first, end) if end else None), end
    if "day_number" in last.slots:
        start = _resolve_dated(replace(first, slots={**last.slots, **first.slots}), clock)
        return start, (_build_same_month(last, start) if start else None)
    if last.bare and (not first.bare or clock.forward):
        start = point(first.slots, clock)
        return start, (point(last.slots, replace(clock, now=start.start, forward=True)) if start else None)
    end = point(last.slots, clock)
    if end and first.bare:
        clock = replace(clock, now=end.start, forward=False)
    return point(first.slots, clock), end


def _resolve_dated(phrase: TimePhrase, clock: Clock) -> Period | None:
    return point(phrase.slots, clock) if phrase.slots.keys() & {"date"} else None


def _build_same_month(phrase: TimePhrase, other: Period) -> Period:
    """Return the day of the month given by a phrase ("6" in "6-7 April"), in the month of the other end."""
    start = other.start.replace(day=int(phrase.slots["day_number"]))
    return Period(start, start + (other.end - other.start), other.grain)


def resolve(slots: Slots, clock: Clock) -> Period | None:
    """Return the period given by the slots, or None if it is invalid (31 February, the afternoon of a week)."""
    read = next((read for slot, read in READERS.items() if slot in slots), None)
    whole = read(slots, clock) if read else None
    if whole is None or not slots.keys() & {"part", "hour"}:
        return whole
    if whole.grain != "day" or whole.end - whole.start > timedelta(days=1):
        return None
    return _resolve_hours(whole, slots) if "hour" in slots else part_of_day(whole, slots["part"])


def point(slots: Slots, clock: Clock) -> Period | None:
    """Resolve the start or end of a range. "Since noon" and "until 3 pm" mean a point in time rather than a whole hour."""
    period = resolve(slots, clock)
    if period is None or "to_hour" in slots or not ("hour" in slots or slots.get("part") == "noon"):
        return period
    moment = period.start if "hour" in slots else midnight(period.start) + timedelta(hours=NOON)
    return Period(moment, moment, "moment")


def _resolve_hours(day: Period, slots: Slots) -> Period | None:
    """Return the hour at a time of day, or the range between two times. Times without "am" or "pm" are on a 24-hour clock."""
    part = slots.get("part") or slots.get("moment", " ").split(" ")[1]
    half = slots.get("meridiem") or slots.get("to_meridiem") or ("am" if part == "morning" else "pm" if part else None)
    first = _parse_time_of_day(slots["hour"], slots.get("minute"), half)
    if "to_hour" not in slots:
        last = first and first + timedelta(hours=1)
    else:
        last = _parse_time_of_day(slots["to_hour"], slots.get("to_minute"), slots.get("to_meridiem") or half)
    if first is None or last is None:
        return None
    if first >= last:  # "between 11 and 1 pm"
        first -= timedelta(hours=NOON)
    return Period(day.start + first, day.start + last, "moment") if timedelta() <= first < last else None


def _parse_time_of_day(hours: str, minutes: str | None, half: str | None) -> timedelta | None:
    hour, minute = int(hours), int(minutes or "0")
    if half == "pm" and hour < NOON:
        hour += NOON
    elif half == "am" and hour == NOON:
        hour = 0
    return timedelta(hours=hour, minutes=minute) if hour <= 24 and minute <= 59 else None


def _resolve_relative_day(slots: Slots, clock: Clock) -> Period | None:
    """Return the day `slots["day"]` days from today. `narrowed` may change the day to a week ("week of tomorrow") or None."""
    return narrowed(days(clock.now + timedelta(days=int(slots["day"]))), slots)


def _resolve_clock_time(slots: Slots, clock: Clock) -> Period | None:
    """If a query is about the past, return the day when a time of day last began ("what have I said since 8 am")."""
    today = days(clock.now)
    time = _resolve_hours(today, slots) if "hour" in slots else part_of_day(today, slots["part"])
    if time is None or not clock.told:
        return None
    return today if time.start <= clock.now else days(clock.now - timedelta(days=1))


def _resolve_moment(slots: Slots, clock: Clock) -> Period:
    """Return part of a day, as in "tonight". "Near night" means last night before noon, and tonight afterwards."""
    day, part = slots["moment"].split()
    offset = (-1 if clock.now.hour < NOON else 0) if day == "near" else int(day)
    whole = days(clock.now + timedelta(days=offset))
    return whole if "hour" in slots else part_of_day(whole, part)


def _resolve_weekday(slots: Slots, clock: Clock) -> Period | None:
    first = monday(clock.now) + timedelta(days=int(slots["weekday"]))
    if "week_turn" in slots:
        return narrowed(days(first + timedelta(weeks=int(slots["week_turn"]))), slots)
    turn = turn_of(slots)
    if turn == 0:
        return narrowed(_move_weekend(days(first), clock), slots)
    near = [days(first + timedelta(weeks=week)) for week in range(-3, 4)]
    return narrowed(clock.pick(near, turn, current=False), slots)


def _move_weekend(period: Period, clock: Clock) -> Period:
    """Move a future weekend back by a week if the question is about the past ("what did I do this weekend" on a Monday)."""
    if clock.told and period.start > clock.now:
        return Period(period.start - timedelta(weeks=1), period.end - timedelta(weeks=1), period.grain)
    return period


def _resolve_whole(slots: Slots, clock: Clock) -> Period | None:
    turn, unit = (slots.get("whole") or slots["week_turn"] + " week").split()
    return narrowed(calendar(unit, clock.now, int(turn)), slots)


def _resolve_calendar(slots: Slots, clock: Clock) -> Period | None:
    unit, turn = slots["calendar"], turn_of(slots)
    if slots.get("turn") == "coming" and unit == "weekend":
        weekends = [calendar(unit, clock.now, step) for step in (0, 1)]
        return narrowed(replace(clock, forward=True).pick(weekends, turn), slots)
    if turn is not None:
        whole = calendar(unit, clock.now, turn)
        return narrowed(_move_weekend(whole, clock) if unit == "weekend" and turn == 0 else whole, slots)
    near = (narrowed(calendar(unit, clock.now, step), slots) for step in range(-2, 3))
    return clock.pick([period for period in near if period], None)


def _resolve_day_of_month(slots: Slots, clock: Clock) -> Period | None:
    number = int(slots["day_of_month"]) - 1
    near = [calendar("month", clock.now, step) for step in range(-3, 4)]
    nth = [days(month.start + timedelta(days=number)) for month in near]
    # A month without that day is skipped.
    return narrowed(clock.pick([day for day, month in zip(nth, near, strict=True) if day.start < month.end], None), slots)


# The first of these slots that a phrase has selects the reader. "Friday last week" also has a week, and "3 days ago" a unit.
READERS: Mapping[str, Callable[[Slots, Clock], Period | None]] = {
    "week_number": numbered_week,
    "ago": ago,
    "exact": ago,
    "from_now": ago,
    "rolling": rolling,
    "ahead": rolling,
    "date": written_date,
    "numeric": written_date,
    "month": month,
    "month_number": month,
    "holiday": holiday,
    "season": season,
    "quarter": part_of_year,
    "half": part_of_year,
    "day_of_month": _resolve_day_of_month,
    "weekday": _resolve_weekday,
    "moment": _resolve_moment,
    "day": _resolve_relative_day,
    "calendar": _resolve_calendar,
    "whole": _resolve_whole,
    "week_turn": _resolve_whole,
    "decade": decade,
    "tens": decade,
    "year": partial(_resolve_in_year, years),
    "year_turn": partial(_resolve_in_year, years),
    "hour": _resolve_clock_time,
    "part": _resolve_clock_time,
}
