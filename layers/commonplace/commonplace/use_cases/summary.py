"""Implement `summarize_memory`, which summarizes search results with a model, or extracts the best sentences."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import accumulate
from typing import Annotated

from pydantic import AfterValidator, BaseModel, Field, TypeAdapter, ValidationError

from commonplace.contract.manifest import schema
from commonplace.domain.fields import Notes, printable
from commonplace.domain.memory import Memory
from commonplace.domain.storage import Point, SummarizeRequest, SummarizeResult
from commonplace.extraction.clauses import sentences
from commonplace.extraction.grounding.evidence import unsupported
from commonplace.llm.partial_json import CUTS, items_of
from commonplace.llm.prompts import delimited_data, instructions, unused_mark
from commonplace.ports.bundle import Ports
from commonplace.ports.models import LanguageModel
from commonplace.ports.values import Caller, Filter, ModelUnavailable, Reply
from commonplace.retrieval.documents import folded
from commonplace.retrieval.engine import find
from commonplace.text.foundation import tokenizer
from commonplace.text.foundation.characters import undisguised
from commonplace.text.foundation.sentences import STOPS

_RELEVANCE = 0.5  # high, because a prompt has no room for loosely related memories
_MOST_CHARACTERS = 60_000  # in all memories of a summary together, about 15,000 tokens
_NOTHING = "Nothing is remembered about this."
FEWEST, MOST = 3, 6
"""The minimum and maximum number of sentences in a summary. If the memories have fewer, the minimum doesn't apply."""
_NEAREST = 12  # how many sentences each summary sentence is checked against; checking all would take as long as the model
_LONGEST = 500  # the maximum length of a sentence, in characters
_MOST_TOKENS, _MOST_ITEMS = 2_000, 12
_Sentence = Annotated[str, Field(min_length=1, max_length=1_000), AfterValidator(printable)]
_SENTENCE: TypeAdapter[str] = TypeAdapter(_Sentence)


@dataclass(frozen=True)
class Summary:
    """The sentences and key points of a summary. The most relevant sentences come first."""

    sentences: tuple[str, ...]
    points: tuple[Point, ...]


class NumberedMemories:
    """The memories under the numbers that the model sees. Numbers start at 1."""

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

    def ids_of(self, numbers: Iterable[int]) -> list[str]:
        """Return the distinct ids of the memories with the given numbers. Unknown numbers are skipped."""
        return [self._ids[number - 1] for number in dict.fromkeys(self._select_known_numbers(numbers))]

    def supports(self, text: str, numbers: Iterable[int] | None = None) -> bool:
        """Return whether the names, numbers, dates and negations in a text occur in the memories `numbers` (default: all)."""
        named = range(1, len(self._ids) + 1) if numbers is None else self._select_known_numbers(numbers)
        terms = frozenset(tokenizer.terms(text))
        every = [sentence for number in named for sentence in self._sentences[number - 1]]
        near = sorted(every, key=lambda sentence: -len(terms & sentence[1]))[:_NEAREST]
        return bool(near) and unsupported(text, "\n".join(sentence for sentence, _ in near), (), self._today) is None

    def _select_known_numbers(self, numbers: Iterable[int]) -> list[int]:
        return [number for number in numbers if 1 <= number <= len(self._ids)]


class _Point(BaseModel):
    """One thing that memories say."""

    text: _Sentence = Field(description="One short sentence.")
    memories: list[int] = Field(description="The numbers of the memories that say it.")


class _Answer(BaseModel):
    """What the memories say about the question."""

    summary: list[str] = Field(description="3 to 6 sentences, the most important first.")
    key_points: list[_Point] = Field(description="What is worth knowing, each with its memories.")


def extract_sentences(query: str, memories: Sequence[Memory]) -> Summary:
    """Summarize memories without a model. Each memory's best sentence becomes a key point. Equal sentences form one point.

    The summary consists of the sentences of the first six points. If there are fewer than three, more sentences from the
    memories are added, up to three in all. These are not points.
    """
    terms = set(tokenizer.terms(query))
    by_memory = [(memory, _sort_sentences(memory, terms)) for memory in memories]
    points: dict[str, Point] = {}
    for memory, ranked in by_memory:
        for sentence in ranked[:1]:
            points.setdefault(folded(sentence), Point(text=sentence, ids=[])).ids.append(memory.memory_id)
    chosen = {name: point.text for name, point in list(points.items())[:MOST]}
    for sentence in (sentence for _, ranked in by_memory for sentence in ranked[1:]):
        if len(chosen) < FEWEST:
            chosen.setdefault(folded(sentence), sentence)
    return Summary(tuple(chosen.values()), tuple(points.values()))


def _sort_sentences(memory: Memory, terms: set[str]) -> list[str]:
    """Return a memory's sentences, each with a final stop. Those with the most query terms come first."""
    texts = [" ".join(sentence.text.split()) for sentence in sentences(undisguised(memory.normalized_text))]
    texts.sort(key=lambda sentence: -len(terms.intersection(tokenizer.terms(sentence))))
    return [sentence if sentence.endswith(STOPS) else f"{sentence}." for sentence in texts if sentence]


def summarize_memory(request: SummarizeRequest, caller: Caller, ports: Ports) -> SummarizeResult:
    """Return a few sentences and key points. If the model fails, sentences are extracted, and a note gives the reason."""
    result = find(request.query, caller, ports, Filter(), request.limit, _RELEVANCE)
    lengths = accumulate(len(memory.normalized_text) for memory in result.memories)
    memories = [memory for memory, length in zip(result.memories, lengths, strict=True) if length <= _MOST_CHARACTERS]
    summary, method, why = _summarize(request.query, memories, caller, ports)
    notes = result.notes(caller.redacted) or Notes()
    count = len(memories)
    return SummarizeResult(
        message=f"✓ {count} {'memory' if count == 1 else 'memories'} summed up" if memories else "✓ Nothing was found",
        summary=" ".join(summary.sentences) or _NOTHING,
        key_points=list(summary.points),
        count=count,
        notes=notes.model_copy(update={"method": method, "degraded": "; ".join(filter(None, (notes.degraded, why))) or None}),
    )


def _summarize(query: str, memories: Sequence[Memory], caller: Caller, ports: Ports) -> tuple[Summary, str, str | None]:
    """Return the summary, the method, and the reason for extracting sentences if the model failed."""
    if ports.summarizer is None or not memories:
        return extract_sentences(query, memories), "extraction", None
    try:
        summary = ask_model(query, memories, caller.now.date(), ports.summarizer, ports.summary_seconds)
    except ModelUnavailable as error:
        return extract_sentences(query, memories), "extraction", str(error)
    return summary, "claude", None


SHAPE = schema(_Answer, "validation")
"""The schema of the whole reply, for the API. The reply itself is parsed item by item."""


def ask_model(query: str, memories: Sequence[Memory], today: date, model: LanguageModel, seconds: float) -> Summary:
    """Return the model's sentences and points that the memories support. Raises `ModelUnavailable` if there are too few."""
    shown = NumberedMemories(memories, today)
    parts = {"question": query, "memories": shown.listed}
    mark = unused_mark(parts.values())
    task = f"Sum up what <memories-{mark}> say about <question-{mark}>, as the JSON object."
    messages = [{"role": "user", "content": f"{delimited_data(parts, mark)}\n\n{task}"}]
    reply = model.reply(instructions("summarize"), messages, schema=SHAPE, max_tokens=_MOST_TOKENS, seconds=seconds)
    if reply.stop_reason == "refusal":
        raise ModelUnavailable("the model declined to answer")
    sentences_made = (_parse_sentence(item) for item in _parse_items(reply, "summary"))
    sentences = [sentence for sentence in sentences_made if sentence and shown.supports(sentence)]
    if len(sentences) < min(FEWEST, len(memories)):
        raise ModelUnavailable("the memories don't support the model's answer")
    points = (_parse_point(item, shown) for item in _parse_items(reply, "key_points"))
    return Summary(tuple(sentences[:MOST]), tuple(point for point in points if point is not None))


def _parse_items(reply: Reply, name: str) -> list[object]:
    """Return up to 12 complete items from the list `name` in the reply, or an empty list if that list is missing."""
    items = items_of(reply.text, name, cut=reply.stop_reason in CUTS)
    return items.complete[:_MOST_ITEMS] if items else []


def _parse_sentence(item: object) -> str | None:
    """Return a sentence of the reply, or None if it isn't a text of 1 to 1,000 printable characters."""
    try:
        return _SENTENCE.validate_python(item)
    except ValidationError:
        return None


def _parse_point(item: object, shown: NumberedMemories) -> Point | None:
    """Return a key point of the reply, or None if it is malformed or its memories don't support it."""
    try:
        point = _Point.model_validate(item)
    except ValidationError:
        return None
    supported = shown.supports(point.text, point.memories)
    return Point(text=point.text, ids=shown.ids_of(point.memories)) if supported else None
