"""Open the memories of several users on demand, and close those that are not in use."""

import logging
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Lock
from typing import Any, Self

from commonplace.client.memory import Commonplace
from commonplace.interfaces.mcp.opened import OpenedLater, UserMemory

MOST_OPEN = 16
_LOG = logging.getLogger(__name__)


class Opened(OpenedLater):
    """The memories of one user. `uses` counts running calls, during which the memories must stay open."""

    uses = 0


class OpenMemories:
    """The memories of several users, opened on first use. Beyond `most`, the least recently used are closed."""

    def __init__(self, make: Callable[[str], Commonplace], most: int = MOST_OPEN) -> None:
        self._make, self._most, self._lock = make, most, Lock()
        self._opened: OrderedDict[str, Opened] = OrderedDict()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextmanager
    def taken(self, user: str) -> Iterator[Opened]:
        """Yield the memories of a user, which stay open at least until the block ends."""
        with self._lock:
            opened = self._opened.pop(user, None) or Opened(lambda: self._make(user))
            self._opened[user] = opened
            opened.uses += 1
        try:
            yield opened
        finally:
            with self._lock:
                opened.uses -= 1
            self._close_beyond(self._most)

    def of(self, user: str) -> UserMemory:
        """Return the memories of a user, for calls by a model. These calls may outlast the request."""
        return _MemoryOnDemand(self, user)

    def close(self) -> None:
        """Close all memories, least recently used first, and then raise the first error, if any."""
        failed = self._close_beyond(0)
        if failed:
            raise failed[0]

    def _close_beyond(self, most: int) -> list[Exception]:
        """Close the least recently used memories, and return any errors so that the current request does not fail."""
        with self._lock:
            unused = [user for user, opened in self._opened.items() if not opened.uses]
            gone = [self._opened.pop(user) for user in unused[: max(0, len(self._opened) - most)]]
        failed = []
        for opened in gone:
            try:
                opened.close()
            except Exception as error:  # noqa: BLE001 - after any failure, the others must still be closed
                _LOG.error("the memory of a user can't be closed", exc_info=error)
                failed.append(error)
        return failed


@dataclass(frozen=True)
class _MemoryOnDemand:
    """Gives access to the memories of one user. A call opens the file if necessary. Objects for one user are equal."""

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
