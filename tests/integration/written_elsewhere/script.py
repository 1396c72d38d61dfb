"""A clock and ids that follow a script, and where the files go."""

import hashlib
import random
import uuid
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, tzinfo
from itertools import count
from pathlib import Path

MADE = Path(__file__).parents[1] / "elsewhere" / "made"
_FIRST, _STEP = datetime(2025, 3, 1, 8, 30, 15, 250_000, tzinfo=UTC), timedelta(days=1, minutes=7)


class Clock(datetime):
    """A class `datetime` whose clock goes on by a day each time that it is looked at."""

    _ticks: Iterator[int] = count()

    @classmethod
    def now(cls, tz: tzinfo | None = None) -> "Clock":
        """The next moment."""
        moment = _FIRST + next(cls._ticks) * _STEP
        return cls.fromtimestamp(moment.timestamp(), tz)


def ids(seed: int) -> Iterator[uuid.UUID]:
    """Ids of the form of `uuid4`, the same each time."""
    drawn = random.Random(seed)
    while True:
        yield uuid.UUID(int=drawn.getrandbits(128), version=4)


def vector(text: str, size: int) -> list[float]:
    """A vector that only the text decides."""
    drawn = random.Random(hashlib.sha256(text.encode()).digest())
    return [drawn.uniform(-1, 1) for _ in range(size)]
