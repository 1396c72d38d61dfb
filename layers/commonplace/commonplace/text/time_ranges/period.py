"""Compute calendar periods in the caller's time zone, and choose between similar periods by the caller's clock.

This module also computes parts and neighbours of periods (early May, the weekend after Easter). The dates of holidays and
seasons depend on the time zone, because hemispheres and customs differ.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone
from functools import partial
from typing import Any

from dateutil.easter import easter
from dateutil.relativedelta import relativedelta

from commonplace.text.foundation.expressions import table_of
from commonplace.text.time_ranges import Period

_load_table = partial(table_of, __package__, "named_periods.toml")
# Hours from midnight. A night includes the evening before it, because "last night" may mean either of them.
HOURS = {
    "morning": (5, 12),
    "noon": (11, 14),
    "afternoon": (12, 18),
    "dusk": (16, 19),
    "evening": (18, 24),
    "night": (18, 30),
}


def midnight(moment: datetime) -> datetime:
    """Return the start of the day."""
    return moment.replace(hour=0, minute=0, second=0, microsecond=0)


def monday(moment: datetime) -> datetime:
    """Return the midnight at which the ISO week starts."""
    return midnight(moment) - timedelta(days=moment.weekday())


def weekday_from(moment: datetime, weekday: int) -> datetime:
    """Return the first midnight on or after `moment` that starts the weekday. Monday is 0. `moment` must be a midnight."""
    day = monday(moment) + timedelta(days=weekday)
    return day if day >= moment else day + timedelta(weeks=1)


def days(first: datetime, count: int = 1) -> Period:
    """Return the period of `count` whole days that begins on the day of `first`."""
    start = midnight(first)
    return Period(start, start + timedelta(days=count), "day")


def months(year: int, first: int, count: int = 1) -> Period:
    """Return the period of `count` months that begins with month `first` (1 to 12) of `year`."""
    start = datetime(year, first, 1)
    return Period(start, start + relativedelta(months=count), "month")


def years(first: int, count: int = 1) -> Period:
    """Return the period of `count` years that begins with the year `first`."""
    start = datetime(first, 1, 1)
    return Period(start, start + relativedelta(years=count), "year")


def calendar(unit: str, moment: datetime, turn: int = 0) -> Period:
    """Return the week, weekend, month, quarter or year of `moment`, shifted by `turn` units."""
    if unit in ("week", "weekend"):
        first = monday(moment + timedelta(weeks=turn))
        return Period(first, first + timedelta(days=7), "week") if unit == "week" else days(first + timedelta(days=5), 2)
    if unit == "year":
        return years(moment.year + turn)
    size = 3 if unit == "quarter" else 1
    first = moment.replace(day=1) + relativedelta(months=size * turn)
    return months(first.year, first.month - (first.month - 1) % size, size)


def part_of_day(day: Period, part: str) -> Period:
    """Return part of a day. `part` is a name in `HOURS`, like "morning"."""
    first, last = HOURS[part]
    return Period(day.start + timedelta(hours=first), day.start + timedelta(hours=last), "moment")


@dataclass(frozen=True)
class Clock:
    """The caller's clock. `instant` is the timezone-aware present, and `now` is the naive local time that "Monday" refers to.

    `forward` is True if the query asks about the future. `told` is True if the query explicitly asks about the past.
    """

    instant: datetime
    now: datetime
    forward: bool = False
    told: bool = False

    @property
    def zone(self) -> str:
        """The IANA name of the caller's time zone, or "" if the clock has only an offset."""
        return str(getattr(self.instant.tzinfo, "key", ""))

    def pick(self, periods: Sequence[Period], turn: int | None, *, current: bool = True) -> Period | None:
        """Choose one of several similar, sorted periods. `turn` is -1 for "last", 0 for "this" and 1 for "next".

        If `turn` is None, choose the latest period that has begun. If `forward` is True, choose the earliest that has not
        ended. If `current` is False, a period in progress doesn't count. Returns None if no period fits.
        """
        if turn is None and not current:
            turn = 1 if self.forward else -1
        if turn is None:
            fits = [p for p in periods if (p.end > self.now if self.forward else p.start <= self.now)]
            return fits[0 if self.forward else -1] if fits else None
        if turn == 0:
            return self._pick_current(periods)
        fits = [p for p in periods if (p.start > self.now if turn > 0 else p.end <= self.now)]
        place = turn - 1 if turn > 0 else turn
        return fits[place] if -len(fits) <= place < len(fits) else None

    def _pick_current(self, periods: Sequence[Period]) -> Period | None:
        """Return the current period, or else this year's. For a query about the past, return the latest that has begun."""
        begun = [p for p in periods if p.start <= self.now]
        if begun and (begun[-1].end > self.now or self.told):
            return begun[-1]
        return next((p for p in periods if p.start.year == self.now.year), None)

    def aware(self, moment: datetime) -> datetime:
        """Return a local time with that day's fixed offset. A time skipped by daylight saving moves past the gap.

        Without a fixed offset, Python would compare local times, which gives wrong results in the hour that occurs twice.
        """
        zone = self.instant.tzinfo
        local = moment.replace(tzinfo=zone) if moment.tzinfo is None else moment
        local = local.astimezone(UTC).astimezone(zone)
        return local.replace(tzinfo=timezone(local.utcoffset() or timedelta()), fold=0)


Slots = Mapping[str, str]
DAY, WEEK = timedelta(days=1), timedelta(weeks=1)
SATURDAY = 5
LAST = "last"
FEW = 5
CALENDAR = ("week", "weekend", "month", "year")
# The months of "early", "mid" and "late" in a period of several months. In a year, these parts don't cover all months.
MONTHS = {
    3: {"early": (0, 1), "mid": (1, 2), "late": (2, 3)},
    6: {"early": (0, 2), "mid": (2, 4), "late": (4, 6)},
    12: {"early": (0, 3), "mid": (4, 8), "late": (9, 12)},
    120: {"early": (0, 48), "mid": (48, 84), "late": (84, 120)},
}
DAYS_OF_MONTH = {"early": (0, 10), "mid": (10, 20), "late": (20, 31), "half_1": (0, 15), "half_2": (15, 31)}  # 31 is capped
DAYS_OF_WEEK = {"early": (0, 2), "mid": (2, 4), "late": (4, 7)}


def narrowed(whole: Period | None, slots: Slots) -> Period | None:
    """Apply "early", "the first Monday of", "the week of" or "the day after" to a period. Returns None if impossible."""
    if whole is None:
        return None
    if phase := slots.get("phase") or slots.get("phase_of"):
        return phase_of(whole, phase)
    if "nth" in slots:
        return _find_nth(whole, slots)
    if "around" in slots:
        fits = slots["around"] in ("week", "weekend") and whole.end - whole.start < WEEK + DAY * (
            slots["around"] == "weekend"
        )
        first = whole.start - DAY * (whole.start.weekday() == 0 and slots["around"] == "weekend")  # "Labor Day weekend"
        return calendar(slots["around"], first) if fits else None
    if "later" in slots:
        return _find_later_day(whole, slots)
    return _find_adjacent_period(whole, slots) if "side" in slots else whole


def phase_of(whole: Period, phase: str) -> Period | None:
    """Return the part of a period with this name ("early", "half_1"), or None if the period has no such part."""
    length = relativedelta(whole.end, whole.start)
    size = 12 * length.years + length.months
    if size > 1:
        return _split_by_months(whole, phase, size)
    part = (DAYS_OF_MONTH if size == 1 else DAYS_OF_WEEK if whole.grain == "week" else {}).get(phase)
    if part is None:
        return None
    start, end = (min(whole.start + timedelta(days=count), whole.end) for count in part)
    return Period(start, end, "day")


def _split_by_months(whole: Period, phase: str, size: int) -> Period | None:
    halves = {"half_1": (0, size // 2), "half_2": (size // 2, size)}
    part = {**MONTHS.get(size, {}), **halves}.get(phase)
    if part is None:
        return None
    start, end = (whole.start + relativedelta(months=count) for count in part)
    return Period(start, end, "year" if size > 12 else "month")


def _find_nth(whole: Period, slots: Slots) -> Period | None:
    """Return the nth day, week or weekday of a longer period, or several of them ("the first two weeks of May").

    A week is seven days, counted from the first day of the period. The last week is counted from the end.
    """
    number, count = slots["nth"], _parse_count(slots.get("nth_count", "few" if "nth_several" in slots else "1"))
    if "nth_weekday" in slots or slots.get("nth_unit") == "weekend":
        first, length = _get_first_day(slots, "nth")
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


def _find_adjacent_period(whole: Period, slots: Slots) -> Period | None:
    sign, count = int(slots["side"]), _parse_count(slots.get("side_count", "1"))
    edge = whole.end if sign > 0 else whole.start
    unit = slots.get("side_unit", "day")
    if unit == "weekend" or "side_weekday" in slots:
        first, length = _get_first_day(slots, "side")
        start = weekday_from(edge, first) if sign > 0 else weekday_from(edge - length * DAY, first)
        start -= WEEK if sign < 0 and start + length * DAY > edge else timedelta()
        return days(start + sign * (count - 1) * WEEK, length)
    if unit == "day":
        return days(edge + (count - 1) * DAY if sign > 0 else edge - count * DAY)
    if unit == "week" and "side_count" not in slots:
        return days(edge if sign > 0 else edge - WEEK, 7)
    return calendar(unit, whole.start, sign * count) if unit in CALENDAR else None


def _find_later_day(whole: Period, slots: Slots) -> Period | None:
    """Return the day that lies a number of days or weeks after another day ("two weeks from Monday")."""
    unit = slots["side_unit"]
    if unit not in ("day", "week") or whole.end - whole.start > DAY:
        return None
    return days(whole.start + _parse_count(slots["side_count"]) * (WEEK if unit == "week" else DAY))


def _parse_count(count: str) -> int:
    return FEW if count == "few" else int(count)


def _get_first_day(slots: Slots, relation: str) -> tuple[int, int]:
    """Return the first weekday and the number of days for a weekday or a weekend."""
    named = slots.get(f"{relation}_weekday")
    return (SATURDAY, 2) if named is None else (int(named), 1)


Rule = Mapping[str, Any]


def season(first_month: int, year: int, zone: str) -> Period:
    """Return a season's three months. `first_month` applies in the north. In the south, the season is half a year later.

    A season that spans two years belongs to the year of its December. `zone` is an IANA name, or "" if unknown.
    """
    southern = _is_in(zone, _load_table()["seasons"]["south"])
    return months(year, (first_month + 5) % 12 + 1 if southern else first_month, 3)


def holiday(name: str, year: int, zone: str, *, whole: bool = True) -> Period:
    """Return a holiday's usual days, or only the day itself if `whole` is False. Raises KeyError for an unknown name."""
    rule = _get_rule(name, zone)
    own = _compute_own_day(rule, year)
    first, last = (rule.get("first", 0), rule.get("last", 0)) if whole else (0, 0)
    return days(own + timedelta(days=first), last - first + 1)


def is_movable(name: str, zone: str) -> bool:
    """Return whether a holiday's date differs from year to year."""
    return "day" not in _get_rule(name, zone)


def _compute_own_day(rule: Rule, year: int) -> datetime:
    if "easter" in rule:
        sunday = easter(year)
        return datetime(sunday.year, sunday.month, sunday.day) + timedelta(days=rule["easter"])
    day = datetime.fromisoformat(f"{year:04}-{rule.get('day') or rule['from']}")
    return day if "day" in rule else weekday_from(day, rule["weekday"])


def _get_rule(name: str, zone: str) -> Rule:
    rules = (row[name] for row in _load_table()["elsewhere"] if name in row and _is_in(zone, row["zones"]))
    rule: Rule = next(rules, _load_table()["holiday"][name])
    return rule


def _is_in(zone: str, zones: str) -> bool:
    return any(zone == place or (place.endswith("/") and zone.startswith(place)) for place in zones.split())
