"""The memory of a server that is started long before it is asked for anything."""

from collections.abc import Callable
from threading import Lock
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from commonplace.client.memory import Commonplace


class OpenedLater:
    """A memory that the first call opens and all share; what could not be opened is tried again by the next."""

    def __init__(self, make: "Callable[[], Commonplace]") -> None:
        self._make, self._lock = make, Lock()
        self._memory: Commonplace | None = None

    def open(self) -> "Commonplace":
        """The memory; raises what opening it raises."""
        with self._lock:
            if self._memory is None:
                self._memory = self._make()
            return self._memory

    def close(self) -> None:
        """Lets go of the file, if it was ever opened."""
        if self._memory is not None:
            self._memory.close()
