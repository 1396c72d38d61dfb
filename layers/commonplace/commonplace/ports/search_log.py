"""The port that keeps what was searched for."""

from collections.abc import Callable
from typing import Protocol

from commonplace.ports.values import LoggedSearch


class SearchLog(Protocol):
    """Keeps each search for 90 days, by the clock of this machine, unless that is switched off."""

    def is_on(self) -> bool:
        """Whether searches are kept."""

    def searched(self, user_id: str, search: LoggedSearch) -> None:
        """Keeps a search, without making its answer wait. Never fails."""

    def searches(self, user_id: str) -> list[LoggedSearch]:
        """What is kept of a user, in the order in which it came."""

    def forget(self, user_id: str, is_meant: Callable[[str], bool]) -> int:
        """Removes the searches whose query is meant, for good; returns how many."""
