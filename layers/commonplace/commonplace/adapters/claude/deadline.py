"""A span of time that several steps share."""

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import TypeVar

Outcome = TypeVar("Outcome")


class Deadline:
    """Begins when it is made."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds

    def left(self) -> float:
        """Seconds to go, never negative."""
        return max(0.0, self._end - time.monotonic())

    def run(self, call: Callable[[], Outcome]) -> Outcome:
        """What the call gives; raises `TimeoutError` when the span is over first.

        The timeouts of a socket hold for each step of it: finding the address, several addresses, an answer that comes
        byte by byte can together take many times as long. So the call runs in a thread of its own, and one that is late
        goes on unheard until its own timeouts end it.
        """
        thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="commonplace-claude")
        try:
            return thread.submit(copy_context().run, call).result(timeout=self.left())
        finally:
            thread.shutdown(wait=False)
