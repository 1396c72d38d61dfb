"""The dates in a text, written out or relative to the day it was said, as far as each is told."""

import re
from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from functools import cache
from typing import NamedTuple

from dateutil.relativedelta import relativedelta

from commonplace.extraction.grounding.numbers import numbers_in
from commonplace.extraction.grounding.polarity import tables
from commonplace.text.foundation.calendar import calendars
from commonplace.text.time_ranges.reader import read_time_range

_MOST_TIMES = 6
_LONGEST_COUNT = 40
_LONGEST_RANGE = timedelta(days=8)
_UNSPACED_MONTH = re.compile(r"(?:(\d{4})年)?\s?(\d{1,2})月(?:\s?(\d{1,2})日)?")
_UNSPACED_YEAR = re.compile(r"(\d{4})年")
_ISO = re.compile(r"(?<!\d)(\d{4})-(\d\d)(?:-(\d\d))?(?!\d)")
_NUMERIC = re.compile(
    r"(?<!\d)(\d{1,2})[./-](\d{1,2})[./-](\d{4}|\d\d)(?!\d)"
    r"|\b(?:am|vom|bis|zum|dem|den|ab|seit|der)\s(\d{1,2})\.(\d{1,2})\.(?!\d)"
)
_YEAR = re.compile(r"(?<![\d.,$€£])(?:19|20)\d\d(?![\d.,]?\d|\s?[$€£%])")
_SENTENCE = re.compile(r"(?<=[.!?…])\s+(?=[^\W\d])|(?<=[。！？])|\n+")


class PartialDate(NamedTuple):
    """A date of which only some parts may be told; the others are None. `weekday`: 0 is Monday."""

    year: int | None = None
    month: int | None = None
    day: int | None = None
    weekday: int | None = None

    def is_part_of(self, other: "PartialDate") -> bool:
        """Whether the other date has all parts of this one."""
        return all(mine is None or mine == theirs for mine, theirs in zip(self, other, strict=True))


def written_dates(text: str) -> Iterator[tuple[int, int, PartialDate]]:
    """The dates written in a text, with their places: "14 March 2027", "2026-11-20", "im Mai", "Friday", "3月5日"."""
    for match in _ISO.finditer(text):
        yield *match.span(), PartialDate(int(match[1]), int(match[2]), int(match[3]) if match[3] else None)
    for match in _NUMERIC.finditer(text):
        first, second, year = match[1] or match[4], match[2] or match[5], match[3]
        full = None if year is None else int(year) + (2000 if len(year) == 2 else 0)
        yield (
            *match.span(),
            PartialDate(full, int(second), int(first)) if int(second) <= 12 else PartialDate(full, int(first), int(second)),
        )
    for match in _UNSPACED_MONTH.finditer(text):
        yield (
            *match.span(),
            PartialDate(int(match[1]) if match[1] else None, int(match[2]), int(match[3]) if match[3] else None),
        )
    for match in _months_pattern().finditer(text):
        named = match["before"] or match["after"]
        year = match["year"]
        month = _months()[match["month"].casefold()]
        if named or year or match["month"].casefold() in _whole_names():
            yield *match.span(), PartialDate(int(year) if year else None, month, int(named) if named else None)
    for match in _weekdays_pattern().finditer(text):
        yield *match.span(), PartialDate(weekday=_weekdays()[match[1].casefold()])
    for match in (*_YEAR.finditer(text), *_UNSPACED_YEAR.finditer(text)):
        yield *match.span(), PartialDate(year=int(match[0][:4]))


def dates_meant(text: str, said_on: date) -> list[PartialDate]:
    """All dates that a text said on that day may mean: as written, with likely years, and relative ones."""
    written = [told for _, _, told in written_dates(text)]
    years = (said_on.year - 1, said_on.year, said_on.year + 1)
    found = [
        *written,
        *(_full(day) for told in written if told.month and told.day for day in _possible_dates(told, said_on)),
        *(PartialDate(year, told.month) for told in written if told.month and not told.day for year in years),
        *(day for told in written if told.weekday is not None for day in _weekdays_around(told.weekday, said_on)),
    ]
    words = re.findall(r"[\w'’-]+", text.casefold())
    for code, table in tables().items():
        found += [_full(said_on + timedelta(days=step)) for word, step in table["days"].items() if word in words]
        shortened = calendars()[code].short_weekdays
        found += [day for word in words if word in shortened for day in _weekdays_around(shortened[word], said_on)]
    ranges = (told for sentence in _SENTENCE.split(text) for told in _ranges(sentence, said_on))
    return list(dict.fromkeys([*found, *_counted(text.casefold(), said_on), *ranges]))


def _weekdays_around(weekday: int, said_on: date) -> Iterator[PartialDate]:
    """The dates of a weekday from a week before to two weeks after a day."""
    near = (said_on + timedelta(days=step) for step in range(-7, 15))
    yield from (_full(day) for day in near if day.weekday() == weekday)


def _possible_dates(partial: PartialDate, said_on: date) -> Iterator[date]:
    """The dates with this day and month, from last year to next year where the year is not told."""
    for year in range(said_on.year - 1, said_on.year + 2) if partial.year is None else (partial.year,):
        try:
            yield date(year, partial.month or 1, partial.day or 1)
        except ValueError:  # 31 February, or month and day the other way round
            continue


def _counted(lowered: str, said_on: date) -> Iterator[PartialDate]:
    """The dates of "3 years ago", "in two weeks", "for ten days", on either side of the day."""
    for table in tables().values():
        for unit, names in table["units"].items():
            for match in re.finditer(rf"\b(?:{names.replace(' ', '|')})\b", lowered):
                before = " ".join(lowered[max(0, match.start() - _LONGEST_COUNT) : match.start()].split()[-3:])
                for _, values in numbers_in(before):
                    yield from _steps(unit, min(map(int, values)), said_on)


def _steps(unit: str, count: int, said_on: date) -> Iterator[PartialDate]:
    if count > 120:
        return
    step = relativedelta(**{f"{unit}s": count})  # type: ignore[arg-type]
    for there in (said_on - step, said_on + step):
        yield (
            PartialDate(there.year)
            if unit == "year"
            else PartialDate(there.year, there.month)
            if unit == "month"
            else _full(there)
        )


def _ranges(text: str, said_on: date) -> Iterator[PartialDate]:
    """The time ranges that the time range reader finds, one after the other."""
    now = datetime.combine(said_on, time(12), UTC)
    for _ in range(_MOST_TIMES):
        found = read_time_range(text, now)
        if found is None:
            return
        text = text[text.find(found.text) + len(found.text) :]
        yield from _days_of(found.after, found.before, found.granularity)


def _days_of(after: datetime | None, before: datetime | None, granularity: str) -> Iterator[PartialDate]:
    edges = [edge.date() for edge in (after, before and before - timedelta(seconds=1)) if edge]
    for edge in edges:
        yield {"year": PartialDate(edge.year), "month": PartialDate(edge.year, edge.month)}.get(granularity, _full(edge))
    if len(edges) == 2 and edges[1] - edges[0] < _LONGEST_RANGE:
        yield from (_full(edges[0] + timedelta(days=step)) for step in range((edges[1] - edges[0]).days + 1))


def _full(day: date) -> PartialDate:
    return PartialDate(day.year, day.month, day.day, day.weekday())


@cache
def _months() -> dict[str, int]:
    return {name: number for one in calendars().values() for name, number in {**one.short_months, **one.months}.items()}


@cache
def _whole_names() -> frozenset[str]:
    return frozenset(name for one in calendars().values() for name in one.months)


@cache
def _weekdays() -> dict[str, int]:
    return {name: number for code in tables() for name, number in calendars()[code].weekdays.items()}


@cache
def _months_pattern() -> re.Pattern[str]:
    """A pattern for months: in small letters only beside a number, for "may" and "march" are words."""
    names = "|".join(sorted(map(re.escape, _months()), key=len, reverse=True))
    return re.compile(
        rf"(?:(?P<before>\b\d{{1,2}})(?:st|nd|rd|th|er|\.|º|ª)?\s(?:of\s|de\s|d['’])?)?"
        rf"\b(?P<month>(?!(?-i:may|march)\b(?!\s\d)){names})\b\.?"
        rf"(?:\s(?P<after>\d{{1,2}})(?:st|nd|rd|th)?\b(?!:))?(?:,?\s(?:of\s|de\s|del\s)?(?P<year>(?:19|20)\d\d)\b)?",
        re.IGNORECASE,
    )


@cache
def _weekdays_pattern() -> re.Pattern[str]:
    return re.compile(rf"\b({'|'.join(map(re.escape, _weekdays()))})s?\b", re.IGNORECASE)
