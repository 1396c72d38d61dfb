"""Times that come once a year (dates, months, seasons, quarters), years and decades."""

from collections.abc import Callable, Mapping
from datetime import date, datetime

from commonplace.timerange.clock import Clock
from commonplace.timerange.period import Period, days, months, phase_of, years
from commonplace.timerange.written import read_written

Slots = Mapping[str, str]
# Eight years each way hold a 29 February, also across 1900 and 2100.
REACH = 8


def phased(whole: Period | None, slots: Slots) -> Period | None:
    """The part of a period that an "early" or "end of" leaves of it."""
    phase = slots.get("phase") or slots.get("phase_of")
    return whole if whole is None or phase is None else phase_of(whole, phase)


def turn_of(slots: Slots) -> int | None:
    """-1 for last, 0 for this, 1 for next; None when the phrase has no such word."""
    turn = slots.get("turn") or slots.get("turned")
    return None if turn is None else int(turn)


def written_date(slots: Slots, clock: Clock) -> Period | None:
    found = read_written(slots.get("date") or slots["numeric"], slots["language"])
    if found is None:
        return None
    if "numeric" in slots:
        return days(datetime(found.year, found.month, found.day))
    return _of_year(lambda year: _day_of(year, found), slots, clock)


def month(slots: Slots, clock: Clock) -> Period | None:
    if "month_number" in slots:
        number = int(slots["month_number"])
    else:
        found = read_written(slots["month"], slots["language"])
        number = found.month if found else 0
    return _of_year(lambda year: months(year, number), slots, clock) if 1 <= number <= 12 else None


def season(slots: Slots, clock: Clock) -> Period | None:
    """Three whole months of the north; a winter bears the year in which its December lies."""
    return _of_year(lambda year: months(year, int(slots["season"]), 3), slots, clock)


def quarter(slots: Slots, clock: Clock) -> Period | None:
    return _of_year(lambda year: months(year, 3 * int(slots["quarter"]) - 2, 3), slots, clock)


def year(slots: Slots, clock: Clock) -> Period | None:
    return _of_year(years, slots, clock)


def decade(slots: Slots, clock: Clock) -> Period | None:
    """Ten years; of two digits the latest such decade that has begun."""
    first = int(slots.get("decade") or slots["tens"])
    if first < 100:
        first += 1900 if 1900 + first + 100 > clock.now.year else 2000
    return phased(years(first, 10), slots)


def _day_of(year: int, found: date) -> Period | None:
    try:
        return days(datetime(year, found.month, found.day))
    except ValueError:  # 29 February of a common year
        return None


def _of_year(make: Callable[[int], Period | None], slots: Slots, clock: Clock) -> Period | None:
    """The one of the year named, else the one that a last, this or next or the query's direction means."""
    if "year" in slots or "year_turn" in slots:
        named = int(slots["year"]) if "year" in slots else clock.now.year + int(slots["year_turn"])
        return phased(make(named), slots)
    made = (phased(make(near), slots) for near in range(clock.now.year - REACH, clock.now.year + REACH + 1))
    return clock.pick([period for period in made if period], turn_of(slots))
