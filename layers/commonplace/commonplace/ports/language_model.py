"""The port of a language model."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from commonplace.ports.values import Reply


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
