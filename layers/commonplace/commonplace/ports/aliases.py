"""The port of aliases: ids that memories had elsewhere, each of which leads to one memory."""

from collections.abc import Iterator, Sequence
from typing import Protocol

from commonplace.ports.record_values import Alias


class Aliases(Protocol):
    """A user's aliases. They go with the memory that they lead to: when it is erased or purged, and when its user is."""

    def add(self, user_id: str, aliases: Sequence[Alias]) -> None:
        """Keeps each, in the place of one of the same name."""

    def get(self, user_id: str, names: Sequence[str]) -> dict[str, str]:
        """The ids of memories that these names lead to, by name; nothing of a name that is unknown or withdrawn."""

    def all(self, user_id: str) -> Iterator[Alias]:
        """Every alias of the user by name, the withdrawn ones too."""
