"""Ports of embedding models and language models, and the token budget."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any, Protocol

from commonplace.ports.values import Normalized, Reply, Vector


class Embedder(Protocol):
    """Turns a text into a unit vector."""

    def __hash__(self) -> int:
        """Hash by identity, so that results can be cached per embedder."""

    @property
    def name(self) -> str:
        """The name of the model. Vectors of different names are never compared."""

    def embed(self, text: str) -> Vector | None:
        """Return the unit vector of a text, or None if the model doesn't cover the text."""

    def features(self, text: str) -> Vector | None:
        """Return further features for a classifier if the model has them at no extra cost, else None."""

    def embed_question(self, text: str) -> Vector | None:
        """Return the unit vector of a question, to compare with vectors of possible answers; None as for `embed`."""

    def embed_all(self, texts: Sequence[str]) -> list[Vector | None]:
        """Return the vectors of many texts, in their order, in as few calls as the model allows."""


class WordModel(Embedder, Protocol):
    """The static model, which also exposes its tokenizer."""

    def pieces(self, text: str) -> int:
        """Return the number of word pieces. A word outside the vocabulary counts as one."""


class StatementReader(Protocol):
    """A language model that normalizes statements."""

    def read(self, text: str, source: str, context: str | None) -> Normalized:
        """Return the normalized statement. Raises `ModelUnavailable` if there is none in time."""


class LanguageModel(Protocol):
    """A language model, in the terms of the Messages API."""

    @property
    def name(self) -> str:
        """The model's name, for notes and runs."""

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
        """Call the model, with retries. `schema`: of the JSON that it must answer. Raises `ModelUnavailable`."""


class TokenBudget(Protocol):
    """Tokens reserved before a call and settled after it, per user and in total, by calendar day (UTC)."""

    def reserve(self, user_id: str, day: date, tokens: int, user_limit: int, limit: int) -> bool:
        """Reserve tokens of the day. Returns False if a limit forbids it."""

    def settle(self, user_id: str, day: date, reserved: int, used: int) -> None:
        """Correct a reservation to the tokens used."""
