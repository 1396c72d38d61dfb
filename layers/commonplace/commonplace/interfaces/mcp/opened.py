"""Open a server's memory on first use, because servers start long before their first request."""

from collections.abc import Callable, Mapping
from threading import RLock
from typing import TYPE_CHECKING, Any, Protocol

from commonplace.domain.errors import CommonplaceError, ErrorCode

if TYPE_CHECKING:
    from commonplace.client.memory import Commonplace


class UserMemory(Protocol):
    """One user's memory, with the methods that a model may use. Both methods may raise `CommonplaceError`."""

    def call(
        self, tool: str, arguments: Mapping[str, Any], progress: Callable[[int, int | None], None] | None = None
    ) -> dict[str, Any]:
        """Call a tool and return JSON values. `progress` receives the number of items done, and the total if known."""

    def page(self, name: str) -> str | None:
        """Return the text of a page by name, such as `MEMORY.md`. Returns None if there is no such page."""


OPENED = "commonplace.opened"
"""The ASGI scope key for a request's memory, which is set only if the request does not use the server's memory."""


def of_request(memory: UserMemory, request: Any) -> UserMemory:
    """Return the memory for a request. `request` is a Starlette request, or None on stdio."""
    target: UserMemory = memory if request is None else request.scope.get(OPENED, memory)
    return target


class OpenedLater:
    """A memory that the first call opens and that all calls share. If opening fails, the next call tries again."""

    def __init__(self, make: "Callable[[], Commonplace]") -> None:
        self._make, self._lock = make, RLock()  # reentrant, because a signal may interrupt the thread that closes the memory
        self._closed = False
        self._memory: Commonplace | None = None

    def open(self) -> "Commonplace":
        """Return the memory, opening it if necessary. Raises `STORAGE_UNAVAILABLE` if the memory was closed."""
        with self._lock:
            if self._closed:
                raise CommonplaceError(ErrorCode.STORAGE_UNAVAILABLE, "this memory was closed; open it again")
            if self._memory is None:
                self._memory = self._make()
            return self._memory

    def call(
        self, tool: str, arguments: Mapping[str, Any], progress: Callable[[int, int | None], None] | None = None
    ) -> dict[str, Any]:
        return self.open().call(tool, arguments, progress, admin=False)

    def page(self, name: str) -> str | None:
        return self.open().visible_pages().get(name)

    def close(self) -> None:
        """Close the memory if it is open. The memory can't be opened again."""
        with self._lock:
            self._closed = True
            if self._memory is not None:
                self._memory.close()
