"""The caller's clock: which of many like periods is meant, and what a wall-clock time is as an instant."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta, timezone

from commonplace.timerange.period import Period


@dataclass(frozen=True)
class Clock:
    """`instant` is the aware present; `now` the same on the wall clock, or the time that a bare "Monday" counts from.

    `forward`: the query asks for what is to come. `told`: it says that it asks for what has been.
    """

    instant: datetime
    now: datetime
    forward: bool = False
    told: bool = False

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
