"""Uses Claude to read statements, to read days in nightly runs, and to write summaries.

Each field of an answer is checked separately, so a bad field does not affect the others.
"""

import logging
import math
import random
import re
import time
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar, cast

from pydantic import BaseModel, Field, ValidationError, ValidatorFunctionWrapHandler, WrapValidator
from pydantic_core import from_json

from commonplace.adapters.claude.clients import Clients, Failure, failure_of
from commonplace.domain.fields import MAX_TEXT
from commonplace.domain.taxonomy import StatementType
from commonplace.llm.prompts import delimited_data, instructions, unused_mark
from commonplace.ports.values import ModelUnavailable, Normalized, Reply
from commonplace.text.foundation.characters import has_kana_or_han

_MOST_TAGS = 8
_MOST_WORDS = 3
_LONGEST = 40
_LONGEST_UNSPACED = 14
_OPENING = " \t\n\"'`“”‘’«»()[]{}<>#¡¿「『・"
_CLOSING = " \t\n\"'`“”‘’«»()[]{}<>.,;:!?。、，；：！？」』・"
_NO_TAGS = frozenset({"misc", "other", "user", "the-user", "usuario", "ユーザー"})
# A dot within a word, as in node.js or 3.5, does not end a sentence.
_STOP = re.compile(r"[.!?,;:]\s|[。！？，；：]|\[redacted:")
_SUBJECT = re.compile(r"(?:the user(?:'s)?|i|i'm|he|she|they|we)\s|the-user")
# Japanese and Chinese sentences have no spaces. Their particles and verb endings show that a tag is a sentence.
_PARTICLE = re.compile(r"[\u30a0-\u30ff\u3400-\u9fff][はがを]|(?:です|ます|ました|ません)$")


def clean_tags(raw_tags: Iterable[str]) -> tuple[str, ...]:
    """Return up to 8 distinct lower-case tags without spaces, in order. Drop tags that are sentences or only punctuation."""
    tags = dict.fromkeys(tag for tag in map(_clean_tag, raw_tags) if tag and tag not in _NO_TAGS)
    return tuple(tags)[:_MOST_TAGS]


def _clean_tag(raw: str) -> str:
    """Return a tag in lower case with hyphens, or "" if the tag is a sentence or only punctuation."""
    tag = unicodedata.normalize("NFKC", raw).casefold()
    if _STOP.search(raw.rstrip(_CLOSING)) or _SUBJECT.match(tag):
        return ""
    tag = "-".join(tag.lstrip(_OPENING).rstrip(_CLOSING).split())
    written = any(char.isalnum() for char in tag) and all(unicodedata.category(char) != "Cc" for char in tag)
    return tag if written and not _is_sentence(tag) else ""


def _is_sentence(tag: str) -> bool:
    if has_kana_or_han(tag):
        return len(tag) > _LONGEST_UNSPACED or _PARTICLE.search(tag) is not None
    return len(tag) > _LONGEST or len(re.split(r"[-_]+", tag)) > _MOST_WORDS


class _Block(BaseModel):
    type: str
    text: object = None


class _Message(BaseModel):
    content: list[_Block]
    stop_reason: str | None = None


def _map_unknown_to_other(value: object, known: ValidatorFunctionWrapHandler) -> object:
    try:
        return known(value.strip().lower() if isinstance(value, str) else value)
    except ValidationError:
        return "other"


def _strip_control_chars(value: object, _: ValidatorFunctionWrapHandler) -> str:
    text = value if isinstance(value, str) else ""
    return "".join(char for char in text if unicodedata.category(char) != "Cc" or char in "\n\t").strip()


def _select_strings(value: object, _: ValidatorFunctionWrapHandler) -> list[str]:
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


class Answer(BaseModel):
    """A statement made clean."""

    # The schema of these fields is sent to the API. Parsing a value never fails. An unknown type becomes `other`, and a value
    # that is not text is dropped, so a bad value affects only its own field.

    normalized: Annotated[str, WrapValidator(_strip_control_chars)] = Field(
        description="The statement in the third person, self-contained, in the language of the text, without secrets."
    )
    type: Annotated[StatementType, WrapValidator(_map_unknown_to_other)] = Field(description="The kind of statement.")
    tags: Annotated[list[str], WrapValidator(_select_strings)] = Field(description="3-8 lower-case tokens without spaces.")


def read_answer(body: bytes, raw: str) -> Normalized:
    """Parse the API's answer. A statement without letters or digits is replaced by `raw`. Raises `ModelUnavailable`."""
    from commonplace.text.redaction import redact

    answer = Answer.model_validate(_answer_fields(_parse_answer_text(body)))
    text = redact(answer.normalized).text
    if len(text) > MAX_TEXT:
        raise ModelUnavailable(f"Claude answered with more than {MAX_TEXT} characters")
    before, after = answer.normalized.casefold(), text.casefold()
    # A password on its own looks like an ordinary word, so a word that was redacted from the text is not used as a tag.
    shown = (tag for tag in answer.tags if tag.casefold() in after or tag.casefold() not in before)
    tags = clean_tags(tag for tag in shown if not redact(tag).kinds)
    return Normalized(text if any(char.isalnum() for char in text) else raw, answer.type, tags or ("misc",))


def _parse_answer_text(body: bytes) -> str:
    try:
        message = _Message.model_validate_json(body)
    except ValidationError:
        raise ModelUnavailable("Claude's answer was not a message") from None
    if message.stop_reason == "refusal":
        raise ModelUnavailable("Claude declined to answer")
    return "".join(block.text for block in message.content if block.type == "text" and isinstance(block.text, str))


def _answer_fields(reply: str) -> dict[str, object]:
    """Return the last JSON object with a complete `normalized` field. Ignore code fences, remarks and a truncated end."""
    start = len(reply)
    while (start := reply.rfind("{", 0, start)) >= 0:
        try:
            value = from_json(reply[start:], allow_partial=True)
        except ValueError:
            continue
        if isinstance(value, dict) and "normalized" in value:
            return {"type": None, "tags": None, **value}
    raise ModelUnavailable("Claude's answer contained no complete statement")


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
_TO_ANSWER = 2.0  # seconds reserved for the caller's own answer
_NAMES: tuple[tuple[Option, re.Pattern[str]], ...] = (
    ("temperature", re.compile("temperature", re.IGNORECASE)),
    ("effort", re.compile("effort", re.IGNORECASE)),
    ("schema", re.compile("output_config|output.format|structured.output|schema", re.IGNORECASE)),
    ("effort", re.compile("output_config", re.IGNORECASE)),
)


class Deadline:
    """A time limit that starts when the object is created."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds

    def left(self) -> float:
        """Return the number of seconds left, or 0 after the deadline."""
        return max(0.0, self._end - time.monotonic())

    def run(self, call: Callable[[], CallOutcome]) -> CallOutcome:
        """Run `call` and return its result. Raises `TimeoutError` after the deadline.

        A socket timeout limits only one step. Address lookups, several addresses and slow answers can take many times as
        long. Therefore the call runs in its own thread. A late call runs until its own timeouts, and its result is ignored.
        """
        thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="commonplace-claude")
        try:
            return thread.submit(copy_context().run, call).result(timeout=self.left())
        finally:
            thread.shutdown(wait=False)


@dataclass(frozen=True)
class ModelQuestion:
    """A prompt and the schema of its answer. `max_tokens` includes the thinking tokens of reasoning models."""

    instructions: str
    messages: Sequence[Mapping[str, Any]]
    answer: type[BaseModel] | dict[str, Any] | None
    tools: Sequence[Mapping[str, Any]] = ()
    max_tokens: int = 4_096
    effort: Literal["low", "medium"] = "low"


class MessagesApi:
    """Sends prompts to one model. A rejected option is not sent again. `left` returns the number of seconds remaining."""

    def __init__(
        self, clients: Clients, model: str, temperature: float | None, left: Callable[[], float] = lambda: math.inf
    ) -> None:
        self._clients, self._model, self._temperature, self._left = clients, model, temperature, left
        self._options: set[Option] = {"effort", "schema"}
        if temperature is not None:
            self._options.add("temperature")

    def ask(self, question: ModelQuestion, seconds: float) -> bytes:
        """Return the API's raw answer. Raises `ModelUnavailable`, and logs an error if the cause is a misconfiguration.

        Raises `INVALID_ARGUMENT` if the SDK is missing, because falling back to rules would hide that the key has no effect.
        """
        self.require()
        import anthropic

        # The deadline starts after the import, which happens once per process and would use up a short deadline. With the
        # default of 20 s, the import still fits into the 30 s that an HTTP API allows.
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
        """Raise `INVALID_ARGUMENT` if a required library is missing."""
        self._clients.require()

    def close(self) -> None:
        """Close the connections. The next call opens new connections."""
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
            messages=cast("list[MessageParam]", question.messages),
            tools=cast("list[ToolParam]", question.tools) or anthropic.omit,
            output_config=output or anthropic.omit,
            extra_body={"temperature": self._temperature} if "temperature" in options else None,
            timeout=anthropic.Timeout(seconds, connect=min(seconds, _CONNECT_SECONDS)),
        )
        return response.read()

    def _drop_refused_option(self, failure: Failure, sent: set[Option]) -> bool:
        """Stop sending the option to which the API objects. Return False if the API objects to none of the options sent."""
        for option, name in _NAMES:
            if option in sent and name.search(failure.objection):
                _log.warning("the model %s does not take %s: not sent any more", self._model, option)
                self._options.discard(option)
                return True
        return False

    def _pause_or_give_up(self, failure: Failure, attempt: int, deadline: Deadline) -> None:
        """Wait before the next attempt. Raise `ModelUnavailable` if a retry can't help or would come too late."""
        pause = pause_before(attempt) if failure.pause is None else failure.pause
        if failure.transient and attempt < _ATTEMPTS and pause < deadline.left():
            time.sleep(pause)
            return
        if failure.misconfigured:
            _log.error("%s: model %s, request %s", failure.why, self._model, failure.request)
        raise ModelUnavailable(failure.why, failure.misconfigured)


class ClaudeReader:
    """Normalizes statements with one model. Each statement takes one call. This class stores nothing."""

    def __init__(
        self, clients: Clients, model: str, temperature: float | None = None, deadline_seconds: float = 20.0,
        left: Callable[[], float] = lambda: math.inf,
    ) -> None:  # fmt: skip
        """`temperature`, from 0 to 1, is sent only if given. `deadline_seconds` includes all retries."""
        self._api = MessagesApi(clients, model, temperature, left)
        self._deadline_seconds = deadline_seconds

    def read(self, text: str, source: str, context: str | None) -> Normalized:
        """Return the normalized statement. Raises `ModelUnavailable` if the model returns no usable answer in time."""
        body = self._api.ask(normalization_question(text, source, context), self._deadline_seconds)
        return read_answer(body, text)

    def close(self) -> None:
        """Close the connections. The next call opens new connections."""
        self._api.close()


class ClaudeLanguage:
    """The language model for nightly runs and summaries. `left` returns how many seconds the caller has left."""

    def __init__(
        self, clients: Clients, model: str, temperature: float | None = None, left: Callable[[], float] = lambda: math.inf
    ) -> None:
        self._api, self._model = MessagesApi(clients, model, temperature, left), model

    @property
    def name(self) -> str:
        """The name of the model. Raises `INVALID_ARGUMENT` if the SDK is missing, so that a run fails before it starts."""
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
        marked = _add_cache_marks(messages) if tools else messages
        answer = None if schema is None else dict(schema)
        question = ModelQuestion(instructions, marked, answer, tools, max_tokens, effort="medium")
        return _parse_reply(self._api.ask(question, seconds))

    def close(self) -> None:
        """Close the connections. The next call opens new connections."""
        self._api.close()


def _add_cache_marks(messages: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Mark the end of the conversation for the API's cache, so that the next turn costs the full price only for new text."""
    *earlier, last = messages
    content = [{"type": "text", "text": last["content"]}] if isinstance(last["content"], str) else list(last["content"])
    content[-1] = {**content[-1], "cache_control": {"type": "ephemeral"}}
    return [*earlier, {**last, "content": content}]


class _Usage(BaseModel):
    input_tokens: int = 0
    output_tokens: int = 0
    cache_creation_input_tokens: int | None = None
    cache_read_input_tokens: int | None = None


class _CountedMessage(BaseModel):
    content: tuple[dict[str, Any], ...]
    stop_reason: str | None = None
    usage: _Usage = _Usage()


def _parse_reply(body: bytes) -> Reply:
    try:
        message = _CountedMessage.model_validate_json(body)
    except ValidationError:
        raise ModelUnavailable("Claude's answer was not a message") from None
    used = message.usage
    cached = (used.cache_creation_input_tokens or 0) + (used.cache_read_input_tokens or 0)
    return Reply(message.content, message.stop_reason, used.input_tokens + cached, used.output_tokens)


def normalization_question(text: str, source: str, context: str | None) -> ModelQuestion:
    """Build the prompt for a statement. Source, context and text are wrapped in tags that their own content can't close."""
    parts = {"source": source, "context": context, "text": text}
    filled = {name: part for name, part in parts.items() if part}
    mark = unused_mark(filled.values())
    content = f"{delimited_data(filled, mark)}\n\nWrite down what <text-{mark}> says, as the JSON object."
    return ModelQuestion(instructions("normalize"), [{"role": "user", "content": content}], Answer)


def pause_before(attempt: int) -> float:
    """Return a random pause in seconds, so that clients that failed together don't retry together."""
    return random.uniform(0.0, min(_LONGEST_PAUSE, _FIRST_PAUSE * 2 ** (attempt - 1)))
