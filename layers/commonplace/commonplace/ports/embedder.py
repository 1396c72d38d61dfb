"""The port of embedding models."""

from collections.abc import Sequence
from typing import Protocol

from commonplace.ports.record_values import Vector


class Embedder(Protocol):
    """Turns a text into a unit vector."""

    def __hash__(self) -> int:
        """Each is itself, so that what was made by it may be kept at hand."""

    @property
    def name(self) -> str:
        """The name of the model; vectors of two names are never compared."""

    def embed(self, text: str) -> Vector | None:
        """The unit vector of a text, or None for one that this model does not cover."""

    def features(self, text: str) -> Vector | None:
        """What the model tells a classifier of a text beside the vector, at no cost where it has one; None if nothing."""

    def embed_question(self, text: str) -> Vector | None:
        """The unit vector of a question, to compare with vectors of texts that may answer it; None as for `embed`."""

    def embed_all(self, texts: Sequence[str]) -> list[Vector | None]:
        """The vectors of many texts, in their order, in as few calls as the model allows."""
