"""Ports for embedding models, language models and the token budget."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any, Protocol

from commonplace.ports.values import Normalized, Reply, Vector


class Embedder(Protocol):
    """Turns a text into a unit vector."""

    def __hash__(self) -> int:
        """Return a hash of the identity, so that results can be cached per embedder."""

    @property
    def name(self) -> str:
        """The name of the model. Vectors from different models are never compared."""

    def embed(self, text: str) -> Vector | None:
        """Return the unit vector of a text, or None if the model doesn't cover the text."""

    def features(self, text: str) -> Vector | None:
        """Return additional features for a classifier, or None if computing them would cost extra."""

    def embed_question(self, text: str) -> Vector | None:
        """Return a question's unit vector for comparison with possible answers. Returns None if the model can't embed it."""

    def embed_all(self, texts: Sequence[str]) -> list[Vector | None]:
        """Return the vectors of many texts, in the order of the texts. The model is called as few times as it allows."""


class WordModel(Embedder, Protocol):
    """Embeds a text as the average of the vectors of its pieces, and counts the pieces."""

    def pieces(self, text: str) -> int:
        """Return the number of pieces in a text. Consecutive characters outside the vocabulary count as one piece."""

    def has_word(self, word: str) -> bool:
        """Return whether the vocabulary has a lower-case word, or a name that it may stand for ("Walter" for "walters")."""


class StatementReader(Protocol):
    """A language model that normalizes statements."""

    def read(self, text: str, source: str, context: str | None) -> Normalized:
        """Return the normalized statement. Raises `ModelUnavailable` if the model doesn't answer in time."""


class LanguageModel(Protocol):
    """A language model with an interface like that of the Messages API."""

    @property
    def name(self) -> str:
        """The model's name, as stored in notes and runs."""

    def reply(
        self,
        instructions: str,
        messages: Sequence[Mapping[str, Any]],
        *,
        tools: Sequence[Mapping[str, Any]] = (),
        schema: Mapping[str, Any] | None = None,
        max_tokens: int = 8_000,
        seconds: float = 120.0,
    ) -> Reply:
        """Call the model, with retries. If `schema` is set, the reply is JSON that matches it. Raises `ModelUnavailable`."""


class TokenBudget(Protocol):
    """Counts tokens per calendar day (UTC), per user and in total. Reserve tokens before a call and settle them after it."""

    def reserve(self, user_id: str, day: date, tokens: int, user_limit: int, limit: int) -> bool:
        """Reserve tokens for a day. Returns False if the reservation would exceed a limit."""

    def settle(self, user_id: str, day: date, reserved: int, used: int) -> None:
        """Replace a reservation with the number of tokens that were actually used."""
