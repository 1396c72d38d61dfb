"""Times of day: "3 pm", "15:00", "15 Uhr", "15h30"."""

import re
from collections.abc import Collection
from fractions import Fraction

_CLOCK = re.compile(
    r"\b(\d{1,2})(?:[:.h](\d\d))?\s?(a\.?m\b\.?|p\.?m\b\.?|uhr\b|o'clock\b|h\b|時)|\b(\d{1,2})[:h](\d\d)\b", re.IGNORECASE
)
_HALF_DAY = 12
_ROUND = frozenset((0, 15, 30, 45))


def without_clock(content: str, pool: str, known: Collection[Fraction]) -> str:
    """The content without the times of day that the pool tells too, by a clock of 12 hours or of 24."""
    told = {time for match in _CLOCK.finditer(pool) for time in [_time(match)]}

    def said(match: re.Match[str]) -> str:
        hour, minute = _time(match)
        named = Fraction(hour) in known and (minute == 0 or Fraction(minute) in known or minute in _ROUND)
        return " " if (hour, minute) in told or named else match[0]

    return _CLOCK.sub(said, content)


def _time(match: re.Match[str]) -> tuple[int, int]:
    """On a clock of 12 hours: whether "at 3" meant the afternoon is seldom said."""
    return int(match[1] or match[4]) % _HALF_DAY, int(match[2] or match[5] or 0)
