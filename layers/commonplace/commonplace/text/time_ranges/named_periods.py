"""Holidays and seasons: the days of a year that they are, by the hemisphere or the custom of a time zone."""

import tomllib
from collections.abc import Mapping
from datetime import datetime, timedelta
from functools import cache
from importlib.resources import files
from typing import Any

from dateutil.easter import easter

from commonplace.text.time_ranges import Period
from commonplace.text.time_ranges.period import days, months, weekday_from

Rule = Mapping[str, Any]


def season(first_month: int, year: int, zone: str) -> Period:
    """The three whole months of a season that begins in `first_month` in the north; in the south it is half a year off.

    A season over the turn of the year bears the year of its December. `zone`: an IANA name, or "".
    """
    southern = _is_in(zone, _table()["seasons"]["south"])
    return months(year, (first_month + 5) % 12 + 1 if southern else first_month, 3)


def holiday(name: str, year: int, zone: str, *, whole: bool = True) -> Period:
    """The days that people mean by a holiday, or only its own day; KeyError for a name without a row in the table."""
    rule = _rule(name, zone)
    own = _own_day(rule, year)
    first, last = (rule.get("first", 0), rule.get("last", 0)) if whole else (0, 0)
    return days(own + timedelta(days=first), last - first + 1)


def is_movable(name: str, zone: str) -> bool:
    """Whether a holiday has another date each year."""
    return "day" not in _rule(name, zone)


def _own_day(rule: Rule, year: int) -> datetime:
    if "easter" in rule:
        sunday = easter(year)
        return datetime(sunday.year, sunday.month, sunday.day) + timedelta(days=rule["easter"])
    day = datetime.fromisoformat(f"{year:04}-{rule.get('day') or rule['from']}")
    return day if "day" in rule else weekday_from(day, rule["weekday"])


def _rule(name: str, zone: str) -> Rule:
    there = (row[name] for row in _table()["elsewhere"] if name in row and _is_in(zone, row["zones"]))
    rule: Rule = next(there, _table()["holiday"][name])
    return rule


def _is_in(zone: str, zones: str) -> bool:
    return any(zone == place or (place.endswith("/") and zone.startswith(place)) for place in zones.split())


@cache
def _table() -> dict[str, Any]:
    return tomllib.loads(files(__package__).joinpath("named_periods.toml").read_text("utf-8"))
