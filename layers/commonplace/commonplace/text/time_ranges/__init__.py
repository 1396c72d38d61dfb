"""Reading a time range from a search query: "last week", "before 2023", "gestern Abend"."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

Granularity = Literal["moment", "day", "week", "month", "year", "open"]
FINENESS: Sequence[Granularity] = ("moment", "day", "week", "month", "year")


@dataclass(frozen=True)
class TimeRange:
    """From `after` (inclusive) to `before` (exclusive), at least one of them set and both with the caller's offset.

    `text` has the words of the query that name it. `granularity` is the calendar unit of its edges ("moment" within a day;
    "day" for a weekend or early May, "month" for a season or quarter), "open" if an end is missing. `any_year`: a date,
    month or season without a year; the range is in the likeliest year. `any_week`: weekdays without a week, with or without a
    time of day; the range is in the likeliest week.
    """

    after: datetime | None
    before: datetime | None
    text: str
    granularity: Granularity
    any_year: bool = False
    any_week: bool = False


@dataclass(frozen=True)
class Period:
    """From `start` (inclusive) to `end` (exclusive); naive: on the caller's wall clock, aware: instants."""

    start: datetime
    end: datetime
    grain: Granularity


# Slots that select one of similar periods; that recur; and that name a part or a neighbour of a period.
ANCHORS = {"turn", "turned", "year", "year_turn", "week_turn", "whole", "ago", "exact", "rolling", "ahead", "numeric"}
YEARLY = {"month", "month_number", "season", "quarter", "half", "date", "holiday", "week_number"}
CYCLES = YEARLY | {"weekday", "calendar", "day_of_month"}
PHASES = {"phase", "phase_of"}
RELATIONS = {"nth", "around", "side", "later"}


@dataclass(frozen=True)
class TimePhrase:
    """A phrase found in a query, with the meanings of its slots; `free` if it is a time by itself."""

    start: int
    end: int
    slots: Mapping[str, str]
    free: bool

    @property
    def bare(self) -> bool:
        """Whether the query leaves the year or week open ("March", "Friday")."""
        return not self.slots.keys() & ANCHORS and bool(self.slots.keys() & CYCLES)

    @property
    def general(self) -> bool:
        """Whether it may be any season, holiday or weekend: "what can I wear in the summer"."""
        slots = self.slots.keys()
        any_of = slots & {"season", "holiday"} or ("calendar" in slots and not slots & PHASES)
        return self.bare and bool(any_of) and not slots & RELATIONS


@dataclass(frozen=True)
class TimeSpan:
    """One or two phrases with the words that join them. `kind` is "during", "since", "between" and so on."""

    start: int
    end: int
    kind: str
    phrases: tuple[TimePhrase, ...]
