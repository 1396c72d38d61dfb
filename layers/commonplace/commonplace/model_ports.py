"""The ports of the models: what embeds, what makes a statement clean, what reads and writes. Import them from `ports`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from commonplace.keeping import Vector
from commonplace.taxonomy import StatementType


class Embedder(Protocol):
    """Turns a text into a unit vector."""

    @property
    def name(self) -> str:
        """What made the vector; vectors of two names are never compared."""

    def embed(self, text: str) -> Vector | None:
        """A unit vector, or None for a text that this embedder can say nothing about."""

    def embed_all(self, texts: Sequence[str]) -> list[Vector | None]:
        """The same of many texts, in their order, as many at a time as the model takes."""


class WordModel(Embedder, Protocol):
    """The static model, which also tells how its tokenizer splits a text."""

    def pieces(self, text: str) -> int:
        """How many word pieces the text has; a word that the vocabulary doesn't know is one."""


@dataclass(frozen=True)
class Normalized:
    """A statement made clean."""

    text: str
    type: StatementType
    tags: tuple[str, ...]


class StatementReader(Protocol):
    """A language model that makes a statement clean."""

    def read(self, text: str, source: str, context: str | None) -> Normalized:
        """The clean statement; raises `ModelUnavailable` when there is none to be had in time."""


@dataclass(frozen=True)
class Reply:
    """A model's answer. `blocks`: its content as the Messages API has it, plain JSON values; `stop_reason` as there."""

    blocks: tuple[Mapping[str, Any], ...]
    stop_reason: str | None
    input_tokens: int
    output_tokens: int

    @property
    def text(self) -> str:
        """What was said in words."""
        texts = (block.get("text") for block in self.blocks if block.get("type") == "text")
        return "".join(text for text in texts if isinstance(text, str))


class LanguageModel(Protocol):
    """A model that is told what to do and answers, in the terms of the Messages API."""

    @property
    def name(self) -> str:
        """Which model it is, for the notes and the run."""

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
        """Its answer in time, retries included; raises `ModelUnavailable`. `schema`: of the JSON that it must be."""


class ModelUnavailable(Exception):  # noqa: N818 - a state, told in the notes
    """The model gave no usable answer; the message says why, for the notes. `misconfigured`: a 4xx other than 429."""

    def __init__(self, why: str, misconfigured: bool = False) -> None:
        super().__init__(why)
        self.misconfigured = misconfigured
