"""Claude behind two ports: the statement reader, and the language model of nights and summaries."""

import logging
import math
import random
import re
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, TypeVar, cast

from pydantic import BaseModel, ValidationError

from commonplace.adapters.claude.answer import Answer, read_answer
from commonplace.adapters.claude.clients import Clients, Failure, failure_of
from commonplace.llm.prompts import delimited_data, instructions, unused_mark
from commonplace.ports.values import ModelUnavailable, Normalized, Reply

if TYPE_CHECKING:
    import anthropic
    from anthropic.types import MessageParam, OutputConfigParam, ToolParam

    Client = anthropic.Anthropic | anthropic.AnthropicBedrock

CallOutcome = TypeVar("CallOutcome")
_log = logging.getLogger("commonplace")
Option = Literal["temperature", "effort", "schema"]
_ATTEMPTS = 5
_FIRST_PAUSE, _LONGEST_PAUSE = 0.5, 8.0
_CONNECT_SECONDS = 5.0
_TO_ANSWER = 2.0  # seconds, for whoever asked
_NAMES: tuple[tuple[Option, re.Pattern[str]], ...] = (
    ("temperature", re.compile("temperature", re.IGNORECASE)),
    ("effort", re.compile("effort", re.IGNORECASE)),
    ("schema", re.compile("output_config|output.format|structured.output|schema", re.IGNORECASE)),
    ("effort", re.compile("output_config", re.IGNORECASE)),
)


class Deadline:
    """Begins when it is made."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds

    def left(self) -> float:
        """Seconds to go, never negative."""
        return max(0.0, self._end - time.monotonic())

    def run(self, call: Callable[[], CallOutcome]) -> CallOutcome:
        """Runs the call and returns its result; raises `TimeoutError` after the deadline.

        The timeouts of a socket hold for each step of it: finding the address, several addresses, an answer that comes
        byte by byte can together take many times as long. So the call runs in a thread of its own, and one that is late
        goes on unheard until its own timeouts end it.
        """
        thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="commonplace-claude")
        try:
            return thread.submit(copy_context().run, call).result(timeout=self.left())
        finally:
            thread.shutdown(wait=False)


@dataclass(frozen=True)
class ModelQuestion:
    """The system prompt, the one message or the talk so far, and the shape of the answer if it has one.

    `max_tokens` is a cap, not a wish; models that think first count their thoughts in it.
    """

    instructions: str
    message: str | Sequence[Mapping[str, Any]]
    answer: type[BaseModel] | dict[str, Any] | None
    tools: Sequence[Mapping[str, Any]] = ()
    max_tokens: int = 4_096
    effort: Literal["low", "medium"] = "low"


class MessagesApi:
    """One model. What it refuses to be told is left out of every later question; nothing else is kept.

    `left`: seconds that whoever asks now has left; an answer never takes longer.
    """

    def __init__(
        self, clients: Clients, model: str, temperature: float | None, left: Callable[[], float] = lambda: math.inf
    ) -> None:
        self._clients, self._model, self._temperature, self._left = clients, model, temperature, left
        self._options: set[Option] = {"effort", "schema"}
        if temperature is not None:
            self._options.add("temperature")

    def ask(self, question: ModelQuestion, seconds: float) -> bytes:
        """The API's answer as it came. Raises `ModelUnavailable`, and logs a misconfiguration as an error.

        Raises `INVALID_ARGUMENT` where the SDK is not installed: rules in its place would hide that a key does nothing.
        """
        self.require()
        import anthropic

        # The deadline begins after the import: that is paid once in a process, and a short deadline would lose every
        # first answer to it. The default of 20 s leaves room for it below the 30 s of an HTTP API.
        client = self._clients.client()
        deadline = Deadline(min(seconds, self._left() - _TO_ANSWER))
        attempt = 0
        while True:
            options = self._options - ({"schema"} if question.answer is None else set())
            try:
                return deadline.run(partial(self._send, client, question, options, deadline.left()))
            except (anthropic.APIError, TimeoutError) as error:
                failure = failure_of(error)
            if not self._drop_refused_option(failure, options):
                attempt += 1
                self._pause_or_give_up(failure, attempt, deadline)

    def require(self) -> None:
        """Raises `INVALID_ARGUMENT` where the libraries that ask Claude are not installed."""
        self._clients.require()

    def close(self) -> None:
        """Closes the connections; the next question opens new ones."""
        self._clients.close()

    def _send(self, client: "Client", question: ModelQuestion, options: set[Option], seconds: float) -> bytes:
        import anthropic

        output: OutputConfigParam = {}
        if "effort" in options:
            output["effort"] = question.effort
        if question.answer is not None and "schema" in options:
            output["format"] = {"type": "json_schema", "schema": anthropic.transform_schema(question.answer)}
        response = client.messages.with_raw_response.create(
            model=self._model,
            max_tokens=question.max_tokens,
            system=[{"type": "text", "text": question.instructions, "cache_control": {"type": "ephemeral"}}],
            messages=_messages_of(question),
            tools=cast("list[ToolParam]", question.tools) or anthropic.omit,
            output_config=output or anthropic.omit,
            extra_body={"temperature": self._temperature} if "temperature" in options else None,
            timeout=anthropic.Timeout(seconds, connect=min(seconds, _CONNECT_SECONDS)),
        )
        return response.read()

    def _drop_refused_option(self, failure: Failure, sent: set[Option]) -> bool:
        for option, name in _NAMES:
            if option in sent and name.search(failure.objection):
                _log.warning("the model %s does not take %s: not sent any more", self._model, option)
                self._options.discard(option)
                return True
        return False

    def _pause_or_give_up(self, failure: Failure, attempt: int, deadline: Deadline) -> None:
        pause = pause_before(attempt) if failure.pause is None else failure.pause
        if failure.transient and attempt < _ATTEMPTS and pause < deadline.left():
            time.sleep(pause)
            return
        if failure.misconfigured:
            _log.error("%s: model %s, request %s", failure.why, self._model, failure.request)
        raise ModelUnavailable(failure.why, failure.misconfigured)


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


def normalization_question(text: str, source: str, context: str | None) -> ModelQuestion:
    """The question for a clean statement; source, context and text stand between tags that they cannot close."""
    parts = {"source": source, "context": context, "text": text}
    given = {name: part for name, part in parts.items() if part}
    mark = unused_mark(given.values())
    data = delimited_data(given, mark)
    return ModelQuestion(
        instructions("normalize"), f"{data}\n\nWrite down what <text-{mark}> says, as the JSON object.", Answer
    )


def _messages_of(question: ModelQuestion) -> "list[MessageParam]":
    if isinstance(question.message, str):
        return [{"role": "user", "content": question.message}]
    return cast("list[MessageParam]", question.message)


def pause_before(attempt: int) -> float:
    """Seconds until the next attempt after so many: random, so that clients that failed together don't return so."""
    return random.uniform(0.0, min(_LONGEST_PAUSE, _FIRST_PAUSE * 2 ** (attempt - 1)))
