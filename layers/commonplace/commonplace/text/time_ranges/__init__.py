"""Reading a time range from a search query: "last week", "before 2023", "gestern Abend"."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

Granularity = Literal["moment", "day", "week", "month", "year", "open"]
FINENESS: Sequence[Granularity] = ("moment", "day", "week", "month", "year")


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


@dataclass(frozen=True)
class Period:
    """From `start` (inclusive) to `end` (exclusive); naive: on the caller's wall clock, aware: instants."""

    start: datetime
    end: datetime
    grain: Granularity
