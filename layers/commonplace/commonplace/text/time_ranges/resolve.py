"""From the slots that a phrase filled to the period that it means."""

from collections.abc import Mapping
from datetime import timedelta

from commonplace.text.time_ranges import Period, periodic
from commonplace.text.time_ranges.parts import narrowed
from commonplace.text.time_ranges.period import Clock, calendar, days, midnight, monday, part_of_day
from commonplace.text.time_ranges.periodic import turn_of

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
    return _hours(whole, slots) if "hour" in slots else part_of_day(whole, slots["part"])


def point(slots: Slots, clock: Clock) -> Period | None:
    """The same as where a time begins or ends: "since noon" and "until 3 pm" mean the minute, not the hour from it."""
    found = resolve(slots, clock)
    if found is None or "to_hour" in slots or not ("hour" in slots or slots.get("part") == "noon"):
        return found
    moment = found.start if "hour" in slots else midnight(found.start) + timedelta(hours=NOON)
    return Period(moment, moment, "moment")


def _hours(day: Period, slots: Slots) -> Period | None:
    """The hour from a time of day, or from one to another; without am or pm the clock has 24 hours."""
    part = slots.get("part") or slots.get("moment", " ").split(" ")[1]
    half = slots.get("meridiem") or slots.get("to_meridiem") or ("am" if part == "morning" else "pm" if part else None)
    first = _time_of_day(slots["hour"], slots.get("minute"), half)
    if "to_hour" not in slots:
        last = first and first + timedelta(hours=1)
    else:
        last = _time_of_day(slots["to_hour"], slots.get("to_minute"), slots.get("to_meridiem") or half)
    if first is None or last is None:
        return None
    if first >= last:  # "between 11 and 1 pm"
        first -= timedelta(hours=NOON)
    return Period(day.start + first, day.start + last, "moment") if timedelta() <= first < last else None


def _time_of_day(hours: str, minutes: str | None, half: str | None) -> timedelta | None:
    hour, minute = int(hours), int(minutes or "0")
    if half == "pm" and hour < NOON:
        hour += NOON
    elif half == "am" and hour == NOON:
        hour = 0
    return timedelta(hours=hour, minutes=minute) if hour <= 24 and minute <= 59 else None


def _day(slots: Slots, clock: Clock) -> Period | None:
    return narrowed(days(clock.now + timedelta(days=int(slots["day"]))), slots)


def _clock_time(slots: Slots, clock: Clock) -> Period | None:
    """The day on which a time of day was last, where the query tells of the past: "what have I said since 8 am"."""
    today = days(clock.now)
    time = _hours(today, slots) if "hour" in slots else part_of_day(today, slots["part"])
    if time is None or not clock.told:
        return None
    return today if time.start <= clock.now else days(clock.now - timedelta(days=1))


def _moment(slots: Slots, clock: Clock) -> Period:
    """A part of a day that names its day too; "near night" is the one just past till noon, then the one to come."""
    day, part = slots["moment"].split()
    offset = (-1 if clock.now.hour < NOON else 0) if day == "near" else int(day)
    whole = days(clock.now + timedelta(days=offset))
    return whole if "hour" in slots else part_of_day(whole, part)


def _weekday(slots: Slots, clock: Clock) -> Period | None:
    first = monday(clock.now) + timedelta(days=int(slots["weekday"]))
    if "week_turn" in slots:
        return narrowed(days(first + timedelta(weeks=int(slots["week_turn"]))), slots)
    turn = turn_of(slots)
    if turn == 0:
        return narrowed(_this_week(days(first), clock), slots)
    near = [days(first + timedelta(weeks=week)) for week in range(-3, 4)]
    return narrowed(clock.pick(near, turn, current=False), slots)


def _this_week(period: Period, clock: Clock) -> Period:
    """On a Monday, "what did I do this weekend" asks for the one just past."""
    if clock.told and period.start > clock.now:
        return Period(period.start - timedelta(weeks=1), period.end - timedelta(weeks=1), period.grain)
    return period


def _whole(slots: Slots, clock: Clock) -> Period | None:
    """A turn and a unit in one word: "-1 week"."""
    turn, unit = (slots.get("whole") or slots["week_turn"] + " week").split()
    return narrowed(calendar(unit, clock.now, int(turn)), slots)


def _calendar(slots: Slots, clock: Clock) -> Period | None:
    unit, turn = slots["calendar"], turn_of(slots)
    if slots.get("turn") == "coming" and unit == "weekend":
        return narrowed(
            clock.seen_from(clock.now, forward=True).pick([calendar(unit, clock.now, n) for n in (0, 1)], turn), slots
        )
    if turn is not None:
        whole = calendar(unit, clock.now, turn)
        return narrowed(_this_week(whole, clock) if unit == "weekend" and turn == 0 else whole, slots)
    near = (narrowed(calendar(unit, clock.now, step), slots) for step in range(-2, 3))
    return clock.pick([period for period in near if period], None)


def _day_of_month(slots: Slots, clock: Clock) -> Period | None:
    number = int(slots["day_of_month"]) - 1
    near = [calendar("month", clock.now, step) for step in range(-3, 4)]
    nth = [days(month.start + timedelta(days=number)) for month in near]
    # A month without a 31st is skipped.
    return narrowed(clock.pick([day for day, month in zip(nth, near, strict=True) if day.start < month.end], None), slots)


# The first slot that a phrase has decides; "Friday last week" has a week too, "3 days ago" a unit.
READERS = {
    "week_number": periodic.numbered_week,
    "ago": periodic.ago,
    "exact": periodic.ago,
    "from_now": periodic.ago,
    "rolling": periodic.rolling,
    "ahead": periodic.rolling,
    "date": periodic.written_date,
    "numeric": periodic.written_date,
    "month": periodic.month,
    "month_number": periodic.month,
    "holiday": periodic.holiday,
    "season": periodic.season,
    "quarter": periodic.quarter,
    "half": periodic.half,
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
    "hour": _clock_time,
    "part": _clock_time,
}
