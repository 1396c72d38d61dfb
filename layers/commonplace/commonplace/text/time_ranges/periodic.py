"""Times that come again or are counted from now: "3 weeks ago", dates, months, seasons, quarters, years, decades."""

from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime, timedelta

from dateutil.relativedelta import relativedelta

from commonplace.text.time_ranges import Period, named_periods
from commonplace.text.time_ranges.find import read_written
from commonplace.text.time_ranges.parts import narrowed
from commonplace.text.time_ranges.period import Clock, calendar, days, midnight, monday, months, part_of_day, week, years

Slots = Mapping[str, str]
# Eight years each way hold a 29 February, also across 1900 and 2100.
REACH = 8

# "A few days ago" reaches from five to two days back, "the last few days" five.
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
    """-1 for last, 0 for this, 1 for next; None when the phrase has no such word."""
    turn = slots.get("turn") or slots.get("turned")
    return None if turn is None else 1 if turn == "coming" else int(turn)


def written_date(slots: Slots, clock: Clock) -> Period | None:
    found = read_written(slots.get("date") or slots["numeric"], slots["language"])
    if found is None:
        return None
    if "numeric" in slots:
        return narrowed(days(datetime(found.year, found.month, found.day)), slots)
    return _of_year(lambda year: _day_of(year, found), slots, clock)


def month(slots: Slots, clock: Clock) -> Period | None:
    if "month_number" in slots:
        number = int(slots["month_number"])
    else:
        found = read_written(slots["month"], slots["language"])
        number = found.month if found else 0
    return _of_year(lambda year: months(year, number), slots, clock) if 1 <= number <= 12 else None


def season(slots: Slots, clock: Clock) -> Period | None:
    return _of_year(lambda year: named_periods.season(int(slots["season"]), year, clock.zone), slots, clock)


def holiday(slots: Slots, clock: Clock) -> Period | None:
    """The days that are meant by it; "Christmas morning" and "the day after Christmas" mean the one day."""
    whole = not slots.keys() & {"part", "hour", "side"}
    return _of_year(lambda year: named_periods.holiday(slots["holiday"], year, clock.zone, whole=whole), slots, clock)


def numbered_week(slots: Slots, clock: Clock) -> Period | None:
    return _of_year(lambda year: _iso_week(year, int(slots["week_number"])), slots, clock)


def quarter(slots: Slots, clock: Clock) -> Period | None:
    return _of_year(lambda year: months(year, 3 * int(slots["quarter"]) - 2, 3), slots, clock)


def half(slots: Slots, clock: Clock) -> Period | None:
    return _of_year(lambda year: months(year, 6 * int(slots["half"]) - 5, 6), slots, clock)


def year(slots: Slots, clock: Clock) -> Period | None:
    return _of_year(years, slots, clock)


def decade(slots: Slots, clock: Clock) -> Period | None:
    """Ten years; of two digits the latest such decade that has begun."""
    first = int(slots.get("decade") or slots["tens"])
    if first < 100:
        first += 1900 if 1900 + first + 100 > clock.now.year else 2000
    return narrowed(years(first, 10), slots)


def _day_of(year: int, found: date) -> Period | None:
    try:
        return days(datetime(year, found.month, found.day))
    except ValueError:  # 29 February of a common year
        return None


def _iso_week(year: int, number: int) -> Period | None:
    try:
        return week(datetime.fromisocalendar(year, number, 1))
    except ValueError:  # a year without a week 53
        return None


def _of_year(make: Callable[[int], Period | None], slots: Slots, clock: Clock) -> Period | None:
    """The one of the year named, else the one that a last, this or next or the query's direction means."""
    named = _year_told(slots, clock)
    if named is not None:
        return narrowed(make(named), slots)
    made = (narrowed(make(near), slots) for near in range(clock.now.year - REACH, clock.now.year + REACH + 1))
    return clock.pick([period for period in made if period], turn_of(slots))


def _year_told(slots: Slots, clock: Clock) -> int | None:
    if "years_back" in slots:
        return clock.now.year - _counted({**slots, "unit": "year"})[1][-1]
    if "year_turn" in slots:
        return clock.now.year + int(slots["year_turn"])
    return int(slots["year"]) if "year" in slots else None


def ago(slots: Slots, clock: Clock) -> Period | None:
    """The day, night, week, month or year (for hours and minutes the hour) that lies so many units back or ahead."""
    sign = 1 if "from_now" in slots else -1
    if "weekday" in slots:
        return _weekday_ago(slots, clock)
    if slots.keys() & {"season", "holiday"}:
        turned = {**slots, "turn": str(-_counted({**slots, "unit": "year"})[1][-1])}
        return season(turned, clock) if "season" in slots else holiday(turned, clock)
    if slots.get("from_now") == "forward" and not clock.forward:  # "in two weeks" may be a length as well
        return None
    unit, counts = _counted(slots)
    moments = [_shift(clock, unit, sign * count) for count in counts[::-sign]]
    if unit in CLOCK_UNITS:
        first, last = (moment.replace(minute=0, second=0, microsecond=0) for moment in (moments[0], moments[-1]))
        return Period(first, last + timedelta(hours=1), "moment")
    if "exact" in slots:
        return days(moments[0])
    wholes = [_around(unit, moment) for moment in moments]
    return narrowed(Period(wholes[0].start, wholes[-1].end, wholes[0].grain), slots)


def _weekday_ago(slots: Slots, clock: Clock) -> Period | None:
    count = int(slots["count"]) if slots["count"].isdigit() else FEW[-1]
    first = monday(clock.now) + timedelta(days=int(slots["weekday"]))
    return clock.pick([days(first - timedelta(weeks=step)) for step in range(count + 1, -1, -1)], -count)


def back(slots: Slots, clock: Clock) -> datetime:
    """The moment so many units before now: "older than two years"; of a few the nearest."""
    unit, counts = _counted(slots)
    return _shift(clock, unit, -counts[-1])


def rolling(slots: Slots, clock: Clock) -> Period | None:
    """So many units back from now, or ahead: whole days, the first and today among them; hours to the minute."""
    unit, counts = _counted(slots)
    ahead = "ahead" in slots
    if unit == "weekend":
        wholes = [calendar(unit, clock.now, count if ahead else -count) for count in (1, counts[0])]
        return Period(min(one.start for one in wholes), max(one.end for one in wholes), "day")
    edge = _shift(clock, unit, counts[0] if ahead else -counts[0])
    now = clock.instant if unit in CLOCK_UNITS else clock.now
    # Not sorted: in the hour that comes twice the later of two times may show the earlier one.
    first, last = (now, edge) if ahead else (edge, now)
    if unit in CLOCK_UNITS:
        return Period(first, last, "moment")
    return Period(midnight(first), midnight(last) + timedelta(days=1), "day")


def _counted(slots: Slots) -> tuple[str, tuple[int, ...]]:
    """The unit and how many; "the last days" are a few."""
    few = "several" in slots or slots.get("count") == "few"
    unit = slots.get("several") or slots.get("unit") or slots["stretch"]
    unit, size = MADE_OF.get(unit, (unit, 1))
    return unit, tuple(size * count for count in (FEW if few else (int(slots.get("count", "1")),)))


def _around(unit: str, moment: datetime) -> Period:
    if unit == "night":
        return part_of_day(days(moment), "night")
    return days(moment) if unit == "day" else calendar(unit, moment)


def _shift(clock: Clock, unit: str, count: int) -> datetime:
    """Hours and minutes are counted as they pass and give an instant; days and more on the calendar."""
    if unit in CLOCK_UNITS:
        passed = timedelta(hours=count) if unit == "hour" else timedelta(minutes=count)
        return (clock.instant.astimezone(UTC) + passed).astimezone(clock.instant.tzinfo)
    if unit in ("month", "year"):
        return clock.now + relativedelta(months=count * (12 if unit == "year" else 1))
    return clock.now + timedelta(days=count * (7 if unit in ("week", "weekend") else 1))
