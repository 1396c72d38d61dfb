"""Claude behind two ports: the statement reader, and the language model of nights and summaries."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pydantic import BaseModel, ValidationError

from commonplace.adapters.claude.answer import read_answer
from commonplace.adapters.claude.api import MessagesApi, ModelQuestion, normalization_question
from commonplace.adapters.claude.clients import Clients
from commonplace.ports.values import ModelUnavailable, Normalized, Reply


class ClaudeReader:
    """Normalizes statements with one model, one call each; it keeps nothing of what was said."""

    def __init__(
        self, clients: Clients, model: str, temperature: float | None = None, deadline_seconds: float = 20.0,
        left: Callable[[], float] = lambda: math.inf,
    ) -> None:  # fmt: skip
        """`temperature` 0-1 is sent only if given; `deadline_seconds` is for one answer, with all its retries.

        `left`: seconds that whoever asks now has left.
        """
        self._api = MessagesApi(clients, model, temperature, left)
        self._deadline_seconds = deadline_seconds

    def read(self, text: str, source: str, context: str | None) -> Normalized:
        """The clean statement; raises `ModelUnavailable` when there is none to be had in time."""
        body = self._api.ask(normalization_question(text, source, context), self._deadline_seconds)
        return read_answer(body, text)

    def close(self) -> None:
        """Lets go of the connections; the next `read` makes new ones."""
        self._api.close()


class ClaudeLanguage:
    """One model. It keeps nothing of what is said. `left`: seconds that whoever asks now has left."""

    def __init__(
        self, clients: Clients, model: str, temperature: float | None = None, left: Callable[[], float] = lambda: math.inf
    ) -> None:
        self._api, self._model = MessagesApi(clients, model, temperature, left), model

    @property
    def name(self) -> str:
        """The model's. Raises `INVALID_ARGUMENT` without the SDK: a run asks for it before it begins, and so begins none."""
        self._api.require()
        return self._model

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
        talk = _with_cache_marks(messages) if tools else messages
        answer = None if schema is None else dict(schema)
        question = ModelQuestion(instructions, talk, answer, tools, max_tokens, effort="medium")
        return _reply(self._api.ask(question, seconds))

    def close(self) -> None:
        """Lets go of the connections; the next question makes new ones."""
        self._api.close()


def _with_cache_marks(messages: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """A talk with tools goes on from here: the API keeps it, and the next turn pays for what is new."""
    *earlier, last = messages
    content = [{"type": "text", "text": last["content"]}] if isinstance(last["content"], str) else list(last["content"])
    content[-1] = {**content[-1], "cache_control": {"type": "ephemeral"}}
    return [*earlier, {**last, "content": content}]


class _Usage(BaseModel):
    input_tokens: int = 0
    output_tokens: int = 0
    cache_creation_input_tokens: int | None = None
    cache_read_input_tokens: int | None = None


class _Message(BaseModel):
    content: tuple[dict[str, Any], ...]
    stop_reason: str | None = None
    usage: _Usage = _Usage()


def _reply(body: bytes) -> Reply:
    try:
        message = _Message.model_validate_json(body)
    except ValidationError:
        raise ModelUnavailable("Claude's answer was not a message") from None
    used = message.usage
    kept = (used.cache_creation_input_tokens or 0) + (used.cache_read_input_tokens or 0)
    return Reply(message.content, message.stop_reason, used.input_tokens + kept, used.output_tokens)
