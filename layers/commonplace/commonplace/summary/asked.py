"""A summary by a model. What it says is held against the memories that it was shown, sentence by sentence."""

from collections.abc import Sequence
from datetime import date
from typing import Annotated

from pydantic import AfterValidator, BaseModel, Field, TypeAdapter, ValidationError

from commonplace.answered_items import CUTS, items_of
from commonplace.instructions import instructions
from commonplace.manifest import schema
from commonplace.model_ports import LanguageModel, ModelUnavailable, Reply
from commonplace.models.fields import printable
from commonplace.models.memory import Memory
from commonplace.summary.said import FEWEST, MOST, KeyPoint, Summary
from commonplace.summary.shown import Shown
from commonplace.told_as_data import told_as_data, unheard_of

_MOST_TOKENS, _MOST_ITEMS = 2_000, 12
_Sentence = Annotated[str, Field(min_length=1, max_length=1_000), AfterValidator(printable)]
_SENTENCE: TypeAdapter[str] = TypeAdapter(_Sentence)


class _Point(BaseModel):
    """One thing that memories say."""

    text: _Sentence = Field(description="One short sentence.")
    memories: list[int] = Field(description="The numbers of the memories that say it.")


class _Answer(BaseModel):
    """What the memories say about the question."""

    summary: list[str] = Field(description="3 to 6 sentences, the most important first.")
    key_points: list[_Point] = Field(description="What is worth knowing, each with its memories.")


SHAPE = schema(_Answer, "validation")
"""Of the whole answer, for the API; it is read item by item."""


def asked(query: str, memories: Sequence[Memory], today: date, model: LanguageModel, seconds: float) -> Summary:
    """The sentences and points of its answer that the memories bear out. Raises `ModelUnavailable` if too few do."""
    shown = Shown(memories, today)
    reply = model.reply(
        instructions("summarize"), _messages(query, shown), schema=SHAPE, max_tokens=_MOST_TOKENS, seconds=seconds
    )
    if reply.stop_reason == "refusal":
        raise ModelUnavailable("the model declined to answer")
    said = (_sentence(item) for item in _items(reply, "summary"))
    sentences = [sentence for sentence in said if sentence and shown.bears_out(sentence)]
    if len(sentences) < min(FEWEST, len(memories)):
        raise ModelUnavailable("what the model answered does not stand in the memories")
    points = (_point(item, shown) for item in _items(reply, "key_points"))
    return Summary(tuple(sentences[:MOST]), tuple(point for point in points if point is not None))


def _messages(query: str, shown: Shown) -> list[dict[str, str]]:
    parts = {"question": query, "memories": shown.listed}
    mark = unheard_of(parts.values())
    task = f"Sum up what <memories-{mark}> say about <question-{mark}>, as the JSON object."
    return [{"role": "user", "content": f"{told_as_data(parts, mark)}\n\n{task}"}]


def _items(reply: Reply, name: str) -> list[object]:
    found = items_of(reply.text, name, cut=reply.stop_reason in CUTS)
    return found.complete[:_MOST_ITEMS] if found else []


def _sentence(item: object) -> str | None:
    try:
        return _SENTENCE.validate_python(item)
    except ValidationError:
        return None


def _point(item: object, shown: Shown) -> KeyPoint | None:
    """The point with the ids of its memories; None if they don't bear it out."""
    try:
        point = _Point.model_validate(item)
    except ValidationError:
        return None
    return KeyPoint(point.text, shown.ids_of(point.memories)) if shown.bears_out(point.text, point.memories) else None
