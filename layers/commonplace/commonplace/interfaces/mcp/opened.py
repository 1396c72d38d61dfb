"""Whom a server asks, and the memory of one that is started long before it is asked for anything."""

from collections.abc import Callable, Mapping
from threading import RLock
from typing import TYPE_CHECKING, Any, Protocol

from commonplace.domain.errors import CommonplaceError, ErrorCode

if TYPE_CHECKING:
    from commonplace.client.memory import Commonplace


class Asked(Protocol):
    """One user's memory, as a model asks it. Both methods raise `CommonplaceError`."""

    def call(
        self, tool: str, arguments: Mapping[str, Any], progress: Callable[[int, int | None], None] | None = None
    ) -> dict[str, Any]:
        """The answer of a tool, in plain JSON; `progress` is told how much is done, of how much."""

    def page(self, name: str) -> str | None:
        """The text of a page by its name, such as `MEMORY.md`; None where there is none."""


OPENED = "commonplace.opened"
"""Where the scope of a request over HTTP says whose memory it is about, if not the server's own."""


def of_request(memory: Asked, request: Any) -> Asked:
    """The memory that a request is about; `request`: of starlette, or None on stdio."""
    asked: Asked = memory if request is None else request.scope.get(OPENED, memory)
    return asked


class OpenedLater:
    """A memory that the first call opens and all share; what could not be opened is tried again by the next."""

    def __init__(self, make: "Callable[[], Commonplace]") -> None:
        self._make, self._lock = make, RLock()  # a signal may close it in the thread that closes it
        self._closed = False
        self._memory: Commonplace | None = None

    def open(self) -> "Commonplace":
        """The memory; raises what opening it raises, and `STORAGE_UNAVAILABLE` when it was closed."""
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
        """Lets go of the file, if it was ever opened, for good."""
        with self._lock:
            self._closed = True
            if self._memory is not None:
                self._memory.close()
