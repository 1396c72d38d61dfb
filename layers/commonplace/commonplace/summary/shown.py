"""The memories that a model was shown, and whether they bear out what it says."""

from collections.abc import Iterable, Sequence
from datetime import date

from commonplace import analyzer
from commonplace.extraction.clauses import sentences
from commonplace.extraction.support import unsupported
from commonplace.models.memory import Memory

_NEAREST = 12  # sentences: what one sentence of a summary can rest on; a check of all would take as long as the model
_LONGEST = 500  # characters of a sentence


class Shown:
    """Memories by number, from 1, as the model sees them."""

    def __init__(self, memories: Sequence[Memory], today: date) -> None:
        self._ids = [memory.memory_id for memory in memories]
        self._days = [memory.happened_at.date().isoformat() for memory in memories]
        self._texts = [" ".join(memory.normalized_text.split()) for memory in memories]
        cut = [[sentence.text[:_LONGEST] for sentence in sentences(text)] for text in self._texts]
        self._sentences = [[(text, frozenset(analyzer.terms(text))) for text in each] for each in cut]
        self._today = today

    @property
    def listed(self) -> str:
        """A line for each."""
        lines = enumerate(zip(self._days, self._texts, strict=True), 1)
        return "\n".join(f"{number}. {day}: {text}" for number, (day, text) in lines)

    def ids_of(self, numbers: Iterable[int]) -> tuple[str, ...]:
        """The ids of those among the numbers that were shown, each once."""
        return tuple(self._ids[number - 1] for number in dict.fromkeys(self._known(numbers)))

    def bears_out(self, text: str, numbers: Iterable[int] | None = None) -> bool:
        """Whether names, numbers, dates and negations of a text stand in the memories of these numbers, or in any of all."""
        named = range(1, len(self._ids) + 1) if numbers is None else self._known(numbers)
        asked = frozenset(analyzer.terms(text))
        every = [sentence for number in named for sentence in self._sentences[number - 1]]
        near = sorted(every, key=lambda sentence: -len(asked & sentence[1]))[:_NEAREST]
        return bool(near) and unsupported(text, "\n".join(said for said, _ in near), (), self._today) is None

    def _known(self, numbers: Iterable[int]) -> list[int]:
        return [number for number in numbers if 1 <= number <= len(self._ids)]
