"""Calendar periods on the wall clock, and the caller's clock that tells which of many like ones is meant."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta, timezone

from dateutil.relativedelta import relativedelta

from commonplace.text.time_ranges import Period

# Hours from midnight. Night covers the evening it follows: "last night" is as often said of the dinner as of the dream.
HOURS = {
    "morning": (5, 12),
    "noon": (11, 14),
    "afternoon": (12, 18),
    "dusk": (16, 19),
    "evening": (18, 24),
    "night": (18, 30),
}


def midnight(moment: datetime) -> datetime:
    return moment.replace(hour=0, minute=0, second=0, microsecond=0)


def monday(moment: datetime) -> datetime:
    return midnight(moment) - timedelta(days=moment.weekday())


def weekday_from(moment: datetime, weekday: int) -> datetime:
    """The midnight of the first such weekday (Monday is 0) from the day of `moment` on, which must be a midnight."""
    found = monday(moment) + timedelta(days=weekday)
    return found if found >= moment else found + timedelta(weeks=1)


def days(first: datetime, count: int = 1) -> Period:
    start = midnight(first)
    return Period(start, start + timedelta(days=count), "day")


def week(moment: datetime) -> Period:
    return Period(monday(moment), monday(moment) + timedelta(days=7), "week")


def months(year: int, first: int, count: int = 1) -> Period:
    """`count` months from month `first` (1 to 12) of `year`."""
    start = datetime(year, first, 1)
    return Period(start, start + relativedelta(months=count), "month")


def years(first: int, count: int = 1) -> Period:
    start = datetime(first, 1, 1)
    return Period(start, start + relativedelta(years=count), "year")


def calendar(unit: str, moment: datetime, turn: int = 0) -> Period:
    """The week, weekend, month, quarter or year of `moment`, or the one `turn` units later."""
    if unit in ("week", "weekend"):
        whole = week(moment + timedelta(weeks=turn))
        return whole if unit == "week" else days(whole.start + timedelta(days=5), 2)
    if unit == "year":
        return years(moment.year + turn)
    size = 3 if unit == "quarter" else 1
    first = moment.replace(day=1) + relativedelta(months=size * turn)
    return months(first.year, first.month - (first.month - 1) % size, size)


def part_of_day(day: Period, part: str) -> Period:
    first, last = HOURS[part]
    return Period(day.start + timedelta(hours=first), day.start + timedelta(hours=last), "moment")


@dataclass(frozen=True)
class Clock:
    """`instant` is the aware present; `now` the same on the wall clock, or the time that a bare "Monday" counts from.

    `forward`: the query asks for what is to come. `told`: it says that it asks for what has been.
    """

    instant: datetime
    now: datetime
    forward: bool = False
    told: bool = False

    @property
    def zone(self) -> str:
        """The IANA name of the caller's zone; "" if their clock tells only its offset."""
        return str(getattr(self.instant.tzinfo, "key", ""))

    def seen_from(self, now: datetime, *, forward: bool) -> "Clock":
        return replace(self, now=now, forward=forward)

    def pick(self, periods: Sequence[Period], turn: int | None, *, current: bool = True) -> Period | None:
        """One of like periods, given in order: the last (-1), this (0) or the next (1), without a turn the one meant.

        Meant is the latest that has begun, or looking forward the earliest not over; `current` tells whether one under
        way counts. None when no period fits.
        """
        if turn is None and not current:
            turn = 1 if self.forward else -1
        if turn is None:
            fits = [p for p in periods if (p.end > self.now if self.forward else p.start <= self.now)]
            return fits[0 if self.forward else -1] if fits else None
        if turn == 0:
            return self._this(periods)
        fits = [p for p in periods if (p.start > self.now if turn > 0 else p.end <= self.now)]
        place = turn - 1 if turn > 0 else turn
        return fits[place] if -len(fits) <= place < len(fits) else None

    def _this(self, periods: Sequence[Period]) -> Period | None:
        """The one under way, else this year's; in April "what did I do this winter" asks for the one just past."""
        begun = [p for p in periods if p.start <= self.now]
        if begun and (begun[-1].end > self.now or self.told):
            return begun[-1]
        return next((p for p in periods if p.start.year == self.now.year), None)

    def aware(self, moment: datetime) -> datetime:
        """A wall-clock time as an instant with the offset of that day; a time that a DST gap skips moves past it.

        The offset is fixed: two times of one zone are compared by the wall clock, wrong in the hour that comes twice.
        """
        zone = self.instant.tzinfo
        there = moment.replace(tzinfo=zone) if moment.tzinfo is None else moment
        there = there.astimezone(UTC).astimezone(zone)
        return there.replace(tzinfo=timezone(there.utcoffset() or timedelta()), fold=0)
