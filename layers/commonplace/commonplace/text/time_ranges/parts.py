"""Parts and neighbours of a period: early May, its second week or first Monday, the weekend after Easter."""

from collections.abc import Mapping
from datetime import timedelta

from dateutil.relativedelta import relativedelta

from commonplace.text.time_ranges import Period
from commonplace.text.time_ranges.period import calendar, days, weekday_from

Slots = Mapping[str, str]
DAY, WEEK = timedelta(days=1), timedelta(weeks=1)
SATURDAY = 5
LAST = "last"
FEW = 5
CALENDAR = ("week", "weekend", "month", "year")
# Early, mid and late as months of a period of so many months; a year's middle is narrower than what its ends leave.
MONTHS = {
    3: {"early": (0, 1), "mid": (1, 2), "late": (2, 3)},
    6: {"early": (0, 2), "mid": (2, 4), "late": (4, 6)},
    12: {"early": (0, 3), "mid": (4, 8), "late": (9, 12)},
    120: {"early": (0, 48), "mid": (48, 84), "late": (84, 120)},
}
DAYS_OF_MONTH = {
    "early": (0, 10),
    "mid": (10, 20),
    "late": (20, 31),
    "half_1": (0, 15),
    "half_2": (15, 31),
}  # 31: to its end
DAYS_OF_WEEK = {"early": (0, 2), "mid": (2, 4), "late": (4, 7)}


def narrowed(whole: Period | None, slots: Slots) -> Period | None:
    """What an "early", "the first Monday of", "the week of" or "the day after" makes of a period; None if nothing."""
    if whole is None:
        return None
    if phase := slots.get("phase") or slots.get("phase_of"):
        return phase_of(whole, phase)
    if "nth" in slots:
        return _nth(whole, slots)
    if "around" in slots:
        fits = slots["around"] in ("week", "weekend") and whole.end - whole.start < WEEK + DAY * (
            slots["around"] == "weekend"
        )
        first = whole.start - DAY * (whole.start.weekday() == 0 and slots["around"] == "weekend")  # "Labor Day weekend"
        return calendar(slots["around"], first) if fits else None
    if "later" in slots:
        return _later(whole, slots)
    return _beside(whole, slots) if "side" in slots else whole


def phase_of(whole: Period, phase: str) -> Period | None:
    """The named part of a period ("early", "half_1"); None when it has no such part."""
    length = relativedelta(whole.end, whole.start)
    size = 12 * length.years + length.months
    if size > 1:
        return _by_months(whole, phase, size)
    part = (DAYS_OF_MONTH if size == 1 else DAYS_OF_WEEK if whole.grain == "week" else {}).get(phase)
    if part is None:
        return None
    start, end = (min(whole.start + timedelta(days=count), whole.end) for count in part)
    return Period(start, end, "day")


def _by_months(whole: Period, phase: str, size: int) -> Period | None:
    halves = {"half_1": (0, size // 2), "half_2": (size // 2, size)}
    part = {**MONTHS.get(size, {}), **halves}.get(phase)
    if part is None:
        return None
    start, end = (whole.start + relativedelta(months=count) for count in part)
    return Period(start, end, "year" if size > 12 else "month")


def _nth(whole: Period, slots: Slots) -> Period | None:
    """The so-manieth day, week, weekday of a longer period, or several of them: "the first two weeks of May".

    Weeks are seven days counted from the first day, the last from the end: calendar weeks belong to two months.
    """
    number, count = slots["nth"], _count(slots.get("nth_count", "few" if "nth_several" in slots else "1"))
    if "nth_weekday" in slots or slots.get("nth_unit") == "weekend":
        first, length = _first_day(slots, "nth")
        begin = weekday_from(whole.start, first)
        begins = [begin + step * WEEK for step in range((whole.end - begin - DAY) // WEEK + 1)]
        place = -1 if number == LAST else int(number) - 1
        return days(begins[place], length) if place < len(begins) else None
    unit = slots.get("nth_unit") or slots.get("nth_several", "day")
    if unit not in ("day", "week", "month", "year"):
        return None
    steps = relativedelta(**{f"{unit}s": count})  # type: ignore[arg-type]
    skipped = relativedelta(**{f"{unit}s": 0 if number == LAST else int(number) - 1})  # type: ignore[arg-type]
    start = whole.end - steps if number == LAST else whole.start + skipped
    part = Period(start, start + steps, "month" if unit == "month" else "year" if unit == "year" else "day")
    inside = whole.start <= part.start and part.end <= whole.end and part.end - part.start < whole.end - whole.start
    return part if inside else None


def _beside(whole: Period, slots: Slots) -> Period | None:
    """The period next to another, or so many units before or after it."""
    sign, count = int(slots["side"]), _count(slots.get("side_count", "1"))
    edge = whole.end if sign > 0 else whole.start
    unit = slots.get("side_unit", "day")
    if unit == "weekend" or "side_weekday" in slots:
        first, length = _first_day(slots, "side")
        start = weekday_from(edge, first) if sign > 0 else weekday_from(edge - length * DAY, first)
        start -= WEEK if sign < 0 and start + length * DAY > edge else timedelta()
        return days(start + sign * (count - 1) * WEEK, length)
    if unit == "day":
        return days(edge + (count - 1) * DAY if sign > 0 else edge - count * DAY)
    if unit == "week" and "side_count" not in slots:
        return days(edge if sign > 0 else edge - WEEK, 7)
    return calendar(unit, whole.start, sign * count) if unit in CALENDAR else None


def _later(whole: Period, slots: Slots) -> Period | None:
    """The day so many days or weeks after another: "two weeks from Monday"."""
    unit = slots["side_unit"]
    if unit not in ("day", "week") or whole.end - whole.start > DAY:
        return None
    return days(whole.start + _count(slots["side_count"]) * (WEEK if unit == "week" else DAY))


def _count(count: str) -> int:
    return FEW if count == "few" else int(count)


def _first_day(slots: Slots, relation: str) -> tuple[int, int]:
    """The weekday on which a weekday or a weekend begins, and its length in days."""
    named = slots.get(f"{relation}_weekday")
    return (SATURDAY, 2) if named is None else (int(named), 1)
