"""The port of a user's way from one embedding model to the next."""

from collections.abc import Sequence
from typing import Protocol

from commonplace.ports.record_values import Vector


class Reembedding(Protocol):
    """Vectors of the next model wait here until a user's memories all have one; then one switch gives them to searches."""

    def has_switched(self, user_id: str) -> bool:
        """Whether the user's searches compare vectors of the next model; also where no memory has one of another model."""

    def count_left(self, user_id: str) -> int:
        """How many active memories have no vector of the next model."""

    def left(self, user_id: str, limit: int) -> list[tuple[int, str]]:
        """Up to `limit` active memories without a vector of the next model: a number of the store, and the content."""

    def keep(self, user_id: str, vectors: Sequence[tuple[int, Vector | None]]) -> None:
        """Keeps vectors of the next model by those numbers; None for a text that it doesn't cover.

        Where the user has switched they count at once.
        """

    def switch(self, user_id: str) -> bool:
        """Gives the user the vectors of the next model, if none is left to make. Tells whether the user has switched."""
