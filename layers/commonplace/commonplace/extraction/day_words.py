"""What a day has told so far, by its words: a sentence is compared with those near it alone."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from commonplace.extraction.changes.attributes import attribute_of
from commonplace.extraction.changes.figure_replacement import plain_figures
from commonplace.extraction.changes.statements import memory_sentences, statements
from commonplace.text.foundation import tokenizer

_BEGINNING, _ENDING = 4, 5  # letters by which words may be related: "weinen", "geweint"; "Kirche", "Lambertikirche"
_FEWEST = 8
_MOST = 40
_LISTED = 200


@dataclass
class DayWords:
    """Texts by number. What has no word, figure or attribute in common with a text neither repeats nor contradicts it."""

    _texts: list[str] = field(default_factory=list)
    _places: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))

    def add(self, text: str) -> None:
        """The next text; its number is how many there were."""
        for key in _keys(text):
            self._places[key].append(len(self._texts))
        self._texts.append(text)

    def near(self, text: str) -> list[int]:
        """The numbers of the texts that have most in common with this one, and of the newest, in order."""
        shared: Counter[int] = Counter()
        for key in _keys(text):
            places = self._places.get(key, ())
            # A word that many have tells little; of those the newest are looked at.
            shared.update(dict.fromkeys(places[-_LISTED:], 1 + _LISTED // len(places) if places else 0))
        best = sorted(shared, key=lambda number: (-shared[number], -number))[:_MOST]
        return sorted({*best, *range(max(0, len(self._texts) - _FEWEST), len(self._texts))})

    def sharing(self, text: str) -> list[int]:
        """The numbers of all texts that have a word in common with this one, in order."""
        return sorted({number for key in _keys(text) for number in self._places.get(key, ())})


def _keys(text: str) -> frozenset[str]:
    return frozenset((*_word_keys(text), *_attribute_keys(text)))


def _word_keys(text: str) -> Iterator[str]:
    for word in (*tokenizer.terms(text), *tokenizer.words(text), *plain_figures(text)):
        plain = word.casefold().removeprefix("ge")
        yield plain[:_BEGINNING]
        if len(plain) >= _ENDING:
            yield f"-{plain[-_ENDING:]}"


def _attribute_keys(text: str) -> Iterable[str]:
    told = map(attribute_of, dict.fromkeys((*memory_sentences(text), *statements(text))))
    return (f"={one.name}" for one in told if one)
