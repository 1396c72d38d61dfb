"""From the slots that a phrase filled to the period that it means."""

from collections.abc import Mapping
from datetime import timedelta

from commonplace.text.time_ranges import Period, periodic
from commonplace.text.time_ranges.period import Clock, calendar, days, monday, part_of_day
from commonplace.text.time_ranges.periodic import phased, turn_of

Slots = Mapping[str, str]
NOON = 12


def resolve(slots: Slots, clock: Clock) -> Period | None:
    """The period that filled slots mean on that clock; None when they name none (31 February, afternoon of a week)."""
    read = next((read for slot, read in READERS.items() if slot in slots), None)
    whole = read(slots, clock) if read else None
    if whole is None or not slots.keys() & {"part", "hour"}:
        return whole
    if whole.grain != "day" or whole.end - whole.start > timedelta(days=1):
        return None
    return _hour(whole, slots) if "hour" in slots else part_of_day(whole, slots["part"])


def _hour(day: Period, slots: Slots) -> Period | None:
    """The hour from a time of day; without am or pm the clock has 24 hours."""
    hour, minute = int(slots["hour"]), int(slots.get("minute") or "0")
    half = slots.get("meridiem") or ("am" if slots.get("part") == "morning" else "pm" if "part" in slots else None)
    if half == "pm" and hour < NOON:
        hour += NOON
    elif half == "am" and hour == NOON:
        hour = 0
    if hour > 24 or minute > 59:
        return None
    start = day.start + timedelta(hours=hour, minutes=minute)
    return Period(start, start + timedelta(hours=1), "moment")


def _day(slots: Slots, clock: Clock) -> Period:
    return days(clock.now + timedelta(days=int(slots["day"])))


def _moment(slots: Slots, clock: Clock) -> Period:
    """A part of a day that names its day too; "near night" is the one just past till noon, then the one to come."""
    day, part = slots["moment"].split()
    offset = (-1 if clock.now.hour < NOON else 0) if day == "near" else int(day)
    return part_of_day(days(clock.now + timedelta(days=offset)), part)


def _weekday(slots: Slots, clock: Clock) -> Period | None:
    first = monday(clock.now) + timedelta(days=int(slots["weekday"]))
    if "week_turn" in slots:
        return days(first + timedelta(weeks=int(slots["week_turn"])))
    turn = turn_of(slots)
    if turn == 0:
        return _this_week(days(first), clock)
    return clock.pick([days(first + timedelta(weeks=week)) for week in range(-3, 4)], turn, current=False)


def _this_week(period: Period, clock: Clock) -> Period:
    """On a Monday, "what did I do this weekend" asks for the one just past."""
    if clock.told and period.start > clock.now:
        return Period(period.start - timedelta(weeks=1), period.end - timedelta(weeks=1), period.grain)
    return period


def _whole(slots: Slots, clock: Clock) -> Period | None:
    """A turn and a unit in one word: "-1 week"."""
    turn, unit = (slots.get("whole") or slots["week_turn"] + " week").split()
    return phased(calendar(unit, clock.now, int(turn)), slots)


def _calendar(slots: Slots, clock: Clock) -> Period | None:
    unit, turn = slots["calendar"], turn_of(slots)
    if turn is not None:
        whole = calendar(unit, clock.now, turn)
        return phased(_this_week(whole, clock) if unit == "weekend" and turn == 0 else whole, slots)
    near = (phased(calendar(unit, clock.now, step), slots) for step in range(-2, 3))
    return clock.pick([period for period in near if period], None)


def _day_of_month(slots: Slots, clock: Clock) -> Period | None:
    number = int(slots["day_of_month"]) - 1
    near = [calendar("month", clock.now, step) for step in range(-3, 4)]
    nth = [days(month.start + timedelta(days=number)) for month in near]
    # A month without a 31st is skipped.
    return clock.pick([day for day, month in zip(nth, near, strict=True) if day.start < month.end], None)


# The first slot that a phrase has decides; "Friday last week" has a week too, "3 days ago" a unit.
READERS = {
    "ago": periodic.ago,
    "exact": periodic.ago,
    "from_now": periodic.ago,
    "rolling": periodic.rolling,
    "ahead": periodic.rolling,
    "date": periodic.written_date,
    "numeric": periodic.written_date,
    "month": periodic.month,
    "month_number": periodic.month,
    "season": periodic.season,
    "quarter": periodic.quarter,
    "day_of_month": _day_of_month,
    "weekday": _weekday,
    "moment": _moment,
    "day": _day,
    "calendar": _calendar,
    "whole": _whole,
    "week_turn": _whole,
    "decade": periodic.decade,
    "tens": periodic.decade,
    "year": periodic.year,
    "year_turn": periodic.year,
}
