"""From the API's answer to a clean statement; each item is checked on its own, whatever the API promises of it."""

import unicodedata
from typing import Annotated

from pydantic import BaseModel, Field, ValidationError, ValidatorFunctionWrapHandler, WrapValidator
from pydantic_core import from_json

from commonplace.adapters.claude.tags import clean_tags
from commonplace.models.fields import MAX_TEXT
from commonplace.ports import ModelUnavailable, Normalized
from commonplace.taxonomy import StatementType


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
    from commonplace.redaction import redact

    answer = Answer.model_validate(_fields(_said(body)))
    text = redact(answer.normalized).text
    if len(text) > MAX_TEXT:
        raise ModelUnavailable(f"Claude answered with more than {MAX_TEXT} characters")
    before, after = answer.normalized.casefold(), text.casefold()
    # A password is a word like others once it stands alone: what was taken out of the text is no tag either.
    shown = (tag for tag in answer.tags if tag.casefold() in after or tag.casefold() not in before)
    tags = clean_tags(tag for tag in shown if not redact(tag).kinds)
    return Normalized(text if any(char.isalnum() for char in text) else raw, answer.type, tags or ("misc",))


def _said(body: bytes) -> str:
    try:
        message = _Message.model_validate_json(body)
    except ValidationError:
        raise ModelUnavailable("Claude's answer was not a message") from None
    if message.stop_reason == "refusal":
        raise ModelUnavailable("Claude declined to answer")
    return "".join(block.text for block in message.content if block.type == "text" and isinstance(block.text, str))


def _fields(said: str) -> dict[str, object]:
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
