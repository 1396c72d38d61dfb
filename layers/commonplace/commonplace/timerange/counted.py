"""Times counted from now: "3 weeks ago", "in the last 5 days", "two months from now"."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

from dateutil.relativedelta import relativedelta

from commonplace.timerange.clock import Clock
from commonplace.timerange.period import Period, calendar, days, midnight, part_of_day

Slots = Mapping[str, str]
# "A few days ago" reaches from five to two days back, "the last few days" five.
FEW = (5, 2)
MADE_OF = {"fortnight": ("week", 2), "decade": ("year", 10), "half_year": ("month", 6), "year_and_half": ("month", 18)}
CLOCK_UNITS = ("hour", "minute")


def ago(slots: Slots, clock: Clock) -> Period | None:
    """The day, night, week, month or year (for hours and minutes the hour) that lies so many units back or ahead."""
    sign = 1 if "from_now" in slots else -1
    unit, counts = _counted(slots)
    moments = [_shift(clock, unit, sign * count) for count in counts[::-sign]]
    if unit in CLOCK_UNITS:
        first, last = (moment.replace(minute=0, second=0, microsecond=0) for moment in (moments[0], moments[-1]))
        return Period(first, last + timedelta(hours=1), "moment")
    if "exact" in slots:
        return days(moments[0])
    wholes = [_around(unit, moment) for moment in moments]
    return Period(wholes[0].start, wholes[-1].end, wholes[0].grain)


def rolling(slots: Slots, clock: Clock) -> Period | None:
    """So many units back from now, or ahead: whole days, the first and today among them; hours to the minute."""
    unit, counts = _counted(slots)
    ahead = "ahead" in slots
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
    return clock.now + timedelta(days=count * (7 if unit == "week" else 1))
