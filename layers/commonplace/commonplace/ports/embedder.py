"""The port of what embeds texts."""

from collections.abc import Sequence
from typing import Protocol

from commonplace.ports.record_values import Vector


class Embedder(Protocol):
    """Turns a text into a unit vector."""

    @property
    def name(self) -> str:
        """What made the vector; vectors of two names are never compared."""

    def embed(self, text: str) -> Vector | None:
        """A unit vector, or None for a text that this embedder can say nothing about."""

    def embed_all(self, texts: Sequence[str]) -> list[Vector | None]:
        """The same of many texts, in their order, as many at a time as the model takes."""
