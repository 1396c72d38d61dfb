"""The tags of the users who asked last, kept for some seconds: to count them is a reading of its own."""

import time
from collections.abc import Callable, Mapping

MOST_TAGS = 500
_USERS = 1_000


def most_used(counts: Mapping[str, int]) -> dict[str, int]:
    """The tags that most memories carry, the most used first."""
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:MOST_TAGS])


class KeptTags:
    """Tags by user. They only name a new memory's, where some that are a minute old do no harm."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._known: dict[str, tuple[float, dict[str, int]]] = {}

    def fresh(self, user_id: str) -> dict[str, int] | None:
        """The user's tags; None when it is time to count them."""
        until, tags = self._known.get(user_id, (0.0, {}))
        return tags if self._clock() < until else None

    def last(self, user_id: str) -> dict[str, int]:
        """The tags that were counted last, however long ago; none if they never were."""
        return self._known.get(user_id, (0.0, {}))[1]

    def keep(self, user_id: str, tags: dict[str, int], seconds: float) -> dict[str, int]:
        """Keeps these for so long, and gives them."""
        self._known.pop(user_id, None)
        self._known[user_id] = self._clock() + seconds, tags  # last in, last out
        if len(self._known) > _USERS:
            del self._known[next(iter(self._known))]
        return tags
