"""The time range that a search query names, if it names one."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal
from unicodedata import normalize

from commonplace.timerange.gate import languages_of

Granularity = Literal["moment", "day", "week", "month", "year", "open"]
FINENESS: Sequence[Granularity] = ("moment", "day", "week", "month", "year")


# What lies beyond is not read: a query is a line or two, and the time to read one must stay bounded.
LONGEST = 1000


@dataclass(frozen=True)
class TimeRange:
    """From `after` (inclusive) to `before` (exclusive), at least one of them set and both with the caller's offset.

    `text` is what of the query names it. `granularity` is the calendar unit on whose edges the range lies ("moment"
    within a day; "day" for a weekend or early May, "month" for a season or quarter), "open" when an end is missing.
    `any_year`: a date, month or season without a year; the range is then that of the likeliest year.
    """

    after: datetime | None
    before: datetime | None
    text: str
    granularity: Granularity
    any_year: bool = False


def read_time_range(query: str, now: datetime) -> TimeRange | None:
    """Read the range that an English, German, French, Spanish or Japanese query names; None when it names none.

    `now` is the caller's aware clock in the caller's zone; a naive one raises ValueError. Of several times the leftmost
    is read. README.md beside this file tells what each phrase means.
    """
    if now.utcoffset() is None:
        raise ValueError("now must be aware")
    query = normalize("NFC", query[:LONGEST])
    languages = languages_of(query)
    if not languages:
        return None
    # Loads the patterns and, for written dates, dateparser: only for queries that may need them.
    from commonplace.timerange.reading import read

    return read(query, now, languages)
