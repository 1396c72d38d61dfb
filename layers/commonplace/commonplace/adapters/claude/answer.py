"""Parses the API's answer into a clean statement and its tags; each item is checked on its own."""

import re
import unicodedata
from collections.abc import Iterable
from typing import Annotated

from pydantic import BaseModel, Field, ValidationError, ValidatorFunctionWrapHandler, WrapValidator
from pydantic_core import from_json

from commonplace.domain.fields import MAX_TEXT
from commonplace.domain.taxonomy import StatementType
from commonplace.ports.values import ModelUnavailable, Normalized
from commonplace.text.foundation.characters import has_kana_or_han

_MOST_TAGS = 8
_MOST_WORDS = 3
_LONGEST = 40
_LONGEST_UNSPACED = 14
_OPENING = " \t\n\"'`“”‘’«»()[]{}<>#¡¿「『・"
_CLOSING = " \t\n\"'`“”‘’«»()[]{}<>.,;:!?。、，；：！？」』・"
_NO_TAGS = frozenset({"misc", "other", "user", "the-user", "usuario", "ユーザー"})
# Full stops within words are no sentences: node.js, 3.5.
_STOP = re.compile(r"[.!?,;:]\s|[。！？，；：]|\[redacted:")
_SUBJECT = re.compile(r"(?:the user(?:'s)?|i|i'm|he|she|they|we)\s|the-user")
# Japanese and Chinese write sentences without spaces; a particle after a word or a verb's ending gives them away.
_PARTICLE = re.compile(r"[\u30a0-\u30ff\u3400-\u9fff][はがを]|(?:です|ます|ました|ません)$")


def clean_tags(given: Iterable[str]) -> tuple[str, ...]:
    """Up to 8 lower-case tokens without spaces, each once, in order; what is a sentence or no word is left out."""
    tags = dict.fromkeys(tag for tag in map(_token, given) if tag and tag not in _NO_TAGS)
    return tuple(tags)[:_MOST_TAGS]


def _token(given: str) -> str:
    tag = unicodedata.normalize("NFKC", given).casefold()
    if _STOP.search(given.rstrip(_CLOSING)) or _SUBJECT.match(tag):
        return ""
    tag = "-".join(tag.lstrip(_OPENING).rstrip(_CLOSING).split())
    written = any(char.isalnum() for char in tag) and all(unicodedata.category(char) != "Cc" for char in tag)
    return tag if written and not _sentence(tag) else ""


def _sentence(tag: str) -> bool:
    if has_kana_or_han(tag):
        return len(tag) > _LONGEST_UNSPACED or _PARTICLE.search(tag) is not None
    return len(tag) > _LONGEST or len(re.split(r"[-_]+", tag)) > _MOST_WORDS


class _Block(BaseModel):
    type: str
    text: object = None


class _Message(BaseModel):
    content: list[_Block]
    stop_reason: str | None = None


def _or_other(value: object, known: ValidatorFunctionWrapHandler) -> object:
    try:
        return known(value.strip().lower() if isinstance(value, str) else value)
    except ValidationError:
        return "other"


def _printable(value: object, _: ValidatorFunctionWrapHandler) -> str:
    text = value if isinstance(value, str) else ""
    return "".join(char for char in text if unicodedata.category(char) != "Cc" or char in "\n\t").strip()


def _words(value: object, _: ValidatorFunctionWrapHandler) -> list[str]:
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


class Answer(BaseModel):
    """A statement made clean."""

    # The schema of these fields goes to the API. Here no value is refused: an unknown type is `other`, what is no text
    # is left out, so that a bad item costs that item only.

    normalized: Annotated[str, WrapValidator(_printable)] = Field(
        description="The statement in the third person, self-contained, in the language of the text, without secrets."
    )
    type: Annotated[StatementType, WrapValidator(_or_other)] = Field(description="The kind of statement.")
    tags: Annotated[list[str], WrapValidator(_words)] = Field(description="3-8 lower-case tokens without spaces.")


def read_answer(body: bytes, raw: str) -> Normalized:
    """The statement in the API's answer to `raw`, which stands in for an empty one. Raises `ModelUnavailable`."""
    from commonplace.text.redaction import redact

    answer = Answer.model_validate(_answer_fields(_answer_text(body)))
    text = redact(answer.normalized).text
    if len(text) > MAX_TEXT:
        raise ModelUnavailable(f"Claude answered with more than {MAX_TEXT} characters")
    before, after = answer.normalized.casefold(), text.casefold()
    # A password is a word like others once it stands alone: what was taken out of the text is no tag either.
    shown = (tag for tag in answer.tags if tag.casefold() in after or tag.casefold() not in before)
    tags = clean_tags(tag for tag in shown if not redact(tag).kinds)
    return Normalized(text if any(char.isalnum() for char in text) else raw, answer.type, tags or ("misc",))


def _answer_text(body: bytes) -> str:
    try:
        message = _Message.model_validate_json(body)
    except ValidationError:
        raise ModelUnavailable("Claude's answer was not a message") from None
    if message.stop_reason == "refusal":
        raise ModelUnavailable("Claude declined to answer")
    return "".join(block.text for block in message.content if block.type == "text" and isinstance(block.text, str))


def _answer_fields(said: str) -> dict[str, object]:
    """The last object with a whole `normalized`, out of fences and remarks; of one that was cut, what is complete."""
    start = len(said)
    while (start := said.rfind("{", 0, start)) >= 0:
        try:
            found = from_json(said[start:], allow_partial=True)
        except ValueError:
            continue
        if isinstance(found, dict) and "normalized" in found:
            return {"type": None, "tags": None, **found}
    raise ModelUnavailable("Claude's answer held no complete statement")
