"""The ports of models: of embeddings and of language, and the budget of their tokens."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any, Protocol

from commonplace.ports.values import Normalized, Reply, Vector


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


class WordModel(Embedder, Protocol):
    """The static model, which also tells how its tokenizer splits a text."""

    def pieces(self, text: str) -> int:
        """How many word pieces the text has; a word that the vocabulary doesn't know is one."""


class StatementReader(Protocol):
    """A language model that normalizes statements."""

    def read(self, text: str, source: str, context: str | None) -> Normalized:
        """The normalized statement; raises `ModelUnavailable` when there is none in time."""


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
        """Calls the model, retries included; raises `ModelUnavailable`. `schema`: of the JSON that it must answer."""


class TokenBudget(Protocol):
    """Tokens reserved before a call and settled after, per user and in all, by calendar day (UTC)."""

    def reserve(self, user_id: str, day: date, tokens: int, user_limit: int, limit: int) -> bool:
        """Reserves tokens of the day; False if a limit does not allow it."""

    def settle(self, user_id: str, day: date, reserved: int, used: int) -> None:
        """Corrects a reservation to the tokens used."""
