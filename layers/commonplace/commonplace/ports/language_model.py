"""The port of a language model."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from commonplace.ports.values import Reply


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
