"""Checks a model's summary sentence by sentence against the memories in its prompt."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Annotated

from pydantic import AfterValidator, BaseModel, Field, TypeAdapter, ValidationError

from commonplace.contract.manifest import schema
from commonplace.domain.fields import printable
from commonplace.domain.memory import Memory
from commonplace.extraction.clauses import sentences
from commonplace.extraction.grounding.evidence import unsupported
from commonplace.llm.partial_json import CUTS, items_of
from commonplace.llm.prompts import delimited_data, instructions, unused_mark
from commonplace.ports.language_model import LanguageModel
from commonplace.ports.values import ModelUnavailable, Reply
from commonplace.text.foundation import tokenizer
from commonplace.text.foundation.characters import undisguised

FEWEST, MOST = 3, 6
"""Sentences of a summary; fewer where the memories hold no more."""

_NEAREST = 12  # sentences: what one sentence of a summary can rest on; a check of all would take as long as the model
_LONGEST = 500  # characters of a sentence
_MOST_TOKENS, _MOST_ITEMS = 2_000, 12
_Sentence = Annotated[str, Field(min_length=1, max_length=1_000), AfterValidator(printable)]
_SENTENCE: TypeAdapter[str] = TypeAdapter(_Sentence)


@dataclass(frozen=True)
class KeyPoint:
    """One thing that memories say, and the ids of those."""

    text: str
    ids: tuple[str, ...]


@dataclass(frozen=True)
class Summary:
    """The sentences, the most relevant first, and the points."""

    sentences: tuple[str, ...]
    points: tuple[KeyPoint, ...]


class NumberedMemories:
    """Memories by number, from 1, as the model sees them."""

    def __init__(self, memories: Sequence[Memory], today: date) -> None:
        self._ids = [memory.memory_id for memory in memories]
        self._days = [memory.happened_at.date().isoformat() for memory in memories]
        self._texts = [" ".join(undisguised(memory.normalized_text).split()) for memory in memories]
        cut = [[sentence.text[:_LONGEST] for sentence in sentences(text)] for text in self._texts]
        self._sentences = [[(text, frozenset(tokenizer.terms(text))) for text in each] for each in cut]
        self._today = today

    @property
    def listed(self) -> str:
        """The prompt lines, one per memory."""
        lines = enumerate(zip(self._days, self._texts, strict=True), 1)
        return "\n".join(f"{number}. {day}: {text}" for number, (day, text) in lines)

    def ids_of(self, numbers: Iterable[int]) -> tuple[str, ...]:
        """The ids of the memories of these numbers, each once; unknown numbers are left out."""
        return tuple(self._ids[number - 1] for number in dict.fromkeys(self._known(numbers)))

    def supports(self, text: str, numbers: Iterable[int] | None = None) -> bool:
        """Whether names, numbers, dates and negations of a text stand in the memories of these numbers, or in any."""
        named = range(1, len(self._ids) + 1) if numbers is None else self._known(numbers)
        asked = frozenset(tokenizer.terms(text))
        every = [sentence for number in named for sentence in self._sentences[number - 1]]
        near = sorted(every, key=lambda sentence: -len(asked & sentence[1]))[:_NEAREST]
        return bool(near) and unsupported(text, "\n".join(said for said, _ in near), (), self._today) is None

    def _known(self, numbers: Iterable[int]) -> list[int]:
        return [number for number in numbers if 1 <= number <= len(self._ids)]


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


def ask_model(query: str, memories: Sequence[Memory], today: date, model: LanguageModel, seconds: float) -> Summary:
    """The sentences and points of its answer that the memories bear out. Raises `ModelUnavailable` if too few do."""
    shown = NumberedMemories(memories, today)
    reply = model.reply(
        instructions("summarize"), _messages(query, shown), schema=SHAPE, max_tokens=_MOST_TOKENS, seconds=seconds
    )
    if reply.stop_reason == "refusal":
        raise ModelUnavailable("the model declined to answer")
    said = (_sentence(item) for item in _items(reply, "summary"))
    sentences = [sentence for sentence in said if sentence and shown.supports(sentence)]
    if len(sentences) < min(FEWEST, len(memories)):
        raise ModelUnavailable("what the model answered does not stand in the memories")
    points = (_point(item, shown) for item in _items(reply, "key_points"))
    return Summary(tuple(sentences[:MOST]), tuple(point for point in points if point is not None))


def _messages(query: str, shown: NumberedMemories) -> list[dict[str, str]]:
    parts = {"question": query, "memories": shown.listed}
    mark = unused_mark(parts.values())
    task = f"Sum up what <memories-{mark}> say about <question-{mark}>, as the JSON object."
    return [{"role": "user", "content": f"{delimited_data(parts, mark)}\n\n{task}"}]


def _items(reply: Reply, name: str) -> list[object]:
    found = items_of(reply.text, name, cut=reply.stop_reason in CUTS)
    return found.complete[:_MOST_ITEMS] if found else []


def _sentence(item: object) -> str | None:
    try:
        return _SENTENCE.validate_python(item)
    except ValidationError:
        return None


def _point(item: object, shown: NumberedMemories) -> KeyPoint | None:
    """The point with the ids of its memories; None if they don't bear it out."""
    try:
        point = _Point.model_validate(item)
    except ValidationError:
        return None
    return KeyPoint(point.text, shown.ids_of(point.memories)) if shown.supports(point.text, point.memories) else None
