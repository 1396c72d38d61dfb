"""How often each of many may ask, and how much at once."""

import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock

_MOST = 4096  # callers that are remembered


class Rates:
    """A bucket for each caller that fills evenly, `per_minute` drops a minute, and holds a minute's drops."""

    def __init__(self, per_minute: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._most, self._each = float(per_minute), 60 / per_minute
        self._clock, self._lock = clock, Lock()
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()
        """The drops of a caller, and when they were counted; who was not seen for longest comes first."""

    def wait(self, who: str) -> float:
        """Takes a drop and gives 0, or gives the seconds until there is one."""
        with self._lock:
            now = self._clock()
            drops, at = self._buckets.pop(who, (self._most, now))
            drops = min(self._most, drops + (now - at) / self._each)
            taken = drops >= 1
            self._buckets[who] = (drops - 1 if taken else drops, now)
            if len(self._buckets) > _MOST:
                self._buckets.popitem(last=False)
            return 0.0 if taken else (1 - drops) * self._each


class Running:
    """What runs for each caller: `most` requests at once."""

    def __init__(self, most: int) -> None:
        self._most, self._lock = most, Lock()
        self._requests: Counter[str] = Counter()

    @contextmanager
    def one_more(self, who: str) -> Iterator[bool]:
        """Whether another may run, and counts it for as long as this takes."""
        with self._lock:
            runs = self._requests[who] < self._most
            self._requests[who] += runs
        try:
            yield runs
        finally:
            with self._lock:
                self._requests[who] -= runs
