"""Read a time range from a search query, like "last week", "before 2023" or "gestern Abend"."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

Granularity = Literal["moment", "day", "week", "month", "year", "open"]
FINENESS: Sequence[Granularity] = ("moment", "day", "week", "month", "year")


@dataclass(frozen=True)
class TimeRange:
    """A time range from `after` (inclusive) to `before` (exclusive). Both are timezone-aware, and at least one is set.

    `text` is the part of the query that expresses the range. `granularity` is the unit of the edges ("moment" for part of a
    day, "day" for a weekend, "month" for a season), or "open" if an edge is missing. `any_year` is True if, say, a month has
    no year, and `any_week` if a weekday has no week. Then the likeliest year or week is used.
    """

    after: datetime | None
    before: datetime | None
    text: str
    granularity: Granularity
    any_year: bool = False
    any_week: bool = False


@dataclass(frozen=True)
class Period:
    """A period from `start` (inclusive) to `end` (exclusive), as naive times in the caller's time zone."""

    start: datetime
    end: datetime
    grain: Granularity


# ANCHORS select one of several similar periods, CYCLES recur, and PHASES and RELATIONS give a part or neighbour of a period.
ANCHORS = {"turn", "turned", "year", "year_turn", "week_turn", "whole", "ago", "exact", "rolling", "ahead", "numeric"}
YEARLY = {"month", "month_number", "season", "quarter", "half", "date", "holiday", "week_number"}
CYCLES = YEARLY | {"weekday", "calendar", "day_of_month"}
PHASES = {"phase", "phase_of"}
RELATIONS = {"nth", "around", "side", "later"}


@dataclass(frozen=True)
class TimePhrase:
    """A time phrase in a query. `slots` maps slots to their words' meanings. A `free` phrase needs no word like "since"."""

    start: int
    end: int
    slots: Mapping[str, str]
    free: bool

    @property
    def bare(self) -> bool:
        """Whether the phrase doesn't specify the year or week ("March", "Friday")."""
        return not self.slots.keys() & ANCHORS and bool(self.slots.keys() & CYCLES)

    @property
    def general(self) -> bool:
        """Whether the phrase may mean seasons, holidays or weekends in general, as in "what can I wear in the summer"."""
        slots = self.slots.keys()
        any_of = slots & {"season", "holiday"} or ("calendar" in slots and not slots & PHASES)
        return self.bare and bool(any_of) and not slots & RELATIONS


@dataclass(frozen=True)
class TimeSpan:
    """One or two time phrases, with the words that join them. `kind` is the relation, such as "during" or "since"."""

    start: int
    end: int
    kind: str
    phrases: tuple[TimePhrase, ...]
