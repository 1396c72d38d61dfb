"""The memories of several users, some of them open."""

import logging
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Lock
from typing import Any, Self

from commonplace.client.memory import Commonplace
from commonplace.interfaces.mcp.opened import Asked, OpenedLater

MOST_OPEN = 16
_LOG = logging.getLogger(__name__)


class Opened(OpenedLater):
    """One user's memory. `uses`: how many use it now."""

    uses = 0


class OpenMemories:
    """Each is opened when it is first asked for. Beyond `most` who was not there for longest is closed, if nobody uses it."""

    def __init__(self, make: Callable[[str], Commonplace], most: int = MOST_OPEN) -> None:
        self._make, self._most, self._lock = make, most, Lock()
        self._opened: OrderedDict[str, Opened] = OrderedDict()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextmanager
    def taken(self, user: str) -> Iterator[Opened]:
        """A user's memory, which stays open for as long as this takes."""
        with self._lock:
            found = self._opened.pop(user, None) or Opened(lambda: self._make(user))
            self._opened[user] = found
            found.uses += 1
        try:
            yield found
        finally:
            with self._lock:
                found.uses -= 1
            self._close_beyond(self._most)

    def of(self, user: str) -> Asked:
        """The same for a model, whose calls may go on when the request that they came with is over."""
        return _Of(self, user)

    def close(self) -> None:
        """Closes all, the longest unused first; raises, when that is done, why one can't be closed."""
        failed = self._close_beyond(0)
        if failed:
            raise failed[0]

    def _close_beyond(self, most: int) -> list[Exception]:
        """Closes who was not there for longest, and gives what went wrong, which is no matter of whose request this is."""
        with self._lock:
            unused = [user for user, one in self._opened.items() if not one.uses]
            gone = [self._opened.pop(user) for user in unused[: max(0, len(self._opened) - most)]]
        failed = []
        for one in gone:
            try:
                one.close()
            except Exception as error:  # noqa: BLE001 - whatever it is, the others are closed
                _LOG.error("the memory of a user can't be closed", exc_info=error)
                failed.append(error)
        return failed


@dataclass(frozen=True)
class _Of:
    """One user's memory, which stays open for as long as a call of it takes; equal to the same user's of another request."""

    _memories: OpenMemories
    _user: str

    def call(
        self, tool: str, arguments: Mapping[str, Any], progress: Callable[[int, int | None], None] | None = None
    ) -> dict[str, Any]:
        with self._memories.taken(self._user) as opened:
            return opened.call(tool, arguments, progress)

    def page(self, name: str) -> str | None:
        with self._memories.taken(self._user) as opened:
            return opened.page(name)
