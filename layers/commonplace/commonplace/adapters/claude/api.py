"""Calls the Messages API through the SDK, with retries within one deadline."""

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

from pydantic import BaseModel

from commonplace.adapters.claude.answer import Answer
from commonplace.adapters.claude.clients import Clients, Failure, failure_of
from commonplace.llm.prompts import delimited_data, instructions, unused_mark
from commonplace.ports.values import ModelUnavailable

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


def normalization_question(text: str, source: str, context: str | None) -> ModelQuestion:
    """The question for a clean statement; source, context and text stand between tags that they cannot close."""
    parts = {"source": source, "context": context, "text": text}
    given = {name: part for name, part in parts.items() if part}
    mark = unused_mark(given.values())
    data = delimited_data(given, mark)
    return ModelQuestion(
        instructions("normalize"), f"{data}\n\nWrite down what <text-{mark}> says, as the JSON object.", Answer
    )


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


def _messages_of(question: ModelQuestion) -> "list[MessageParam]":
    if isinstance(question.message, str):
        return [{"role": "user", "content": question.message}]
    return cast("list[MessageParam]", question.message)


def pause_before(attempt: int) -> float:
    """Seconds until the next attempt after so many: random, so that clients that failed together don't return so."""
    return random.uniform(0.0, min(_LONGEST_PAUSE, _FIRST_PAUSE * 2 ** (attempt - 1)))
