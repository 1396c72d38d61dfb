"""A text as a statement: its words of content in order, each with what governs it; the small words are taken out."""

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from commonplace.text.paraphrase.language import Language, language
from commonplace.text.paraphrase.morphology import PAST, readings
from commonplace.text.paraphrase.tokenization import Word

OR, AND, COMMA, STOP = "or", "and", ",", "."
_NUMBERS = frozenset({"is", "are"})


@dataclass(frozen=True, slots=True)
class Token:
    """One word that counts."""

    text: str
    marker: str = ""
    """The preposition or subordinator it stands behind."""
    phrase: int = 0
    """Words with one number stand behind one marker, or none, in a row."""
    link: str = ""
    """What joins it to the word before: `and`, `or`, a comma, a stop, or nothing."""
    capital: bool = False
    small: bool = False
    """Written with a small letter; neither, where a sentence or a headline asked for a capital."""
    definite: bool = False
    """Behind `the`, `my` and the like."""
    predicate: bool = False
    """Behind a form of `be`."""
    participle: bool = False
    """A past form that `be` makes a passive: `is fired`, not `fired`."""

    @property
    def joined(self) -> bool:
        """Whether it goes on from the word before in one sentence."""
        return self.link in (AND, OR, COMMA)


Tokens = tuple[Token, ...]


@dataclass(frozen=True, slots=True)
class Statement:
    """What a text says."""

    language: Language
    tokens: Tokens
    small: tuple[str, ...]
    """The small words taken out, in order."""
    question: bool
    copula: int
    """How many tokens stand before its only copula; -1 without one, or with several."""

    @property
    def texts(self) -> tuple[str, ...]:
        """The words alone."""
        return tuple(token.text for token in self.tokens)

    @property
    def number(self) -> frozenset[str]:
        """Whether one or many are something in it: "my sheep is ill", "my sheep are ill"; nothing where neither is said."""
        return _NUMBERS.intersection(self.small)


def read(words: Sequence[Word], own: Language, *, question: bool) -> Statement:
    """What some words say; a language without tables keeps every one of them."""
    return _Reader(own).read(words, question=question)


@functools.cache
def _kinds(language_name: str) -> Mapping[str, str]:
    """Which list a small word is in; the first of these that has it."""
    words = language(language_name).words
    lists = ("pairing", "contrasting", "choosing", "articles", "copulas", "harmless", "markers")
    return {word: name for name in reversed(lists) for word in words[name]}


class _Reader:
    """Walks over the words once, keeping what governs the next one."""

    def __init__(self, own: Language) -> None:
        self._language, self._words, self._kinds = own, own.words, _kinds(own.name)
        self._tokens: list[Token] = []
        self._small: list[str] = []
        self._copulas: list[int] = []
        self._marker = self._link = ""
        self._phrase = 0
        self._filled = self._definite = self._be = self._guarded = False

    def read(self, words: Sequence[Word], *, question: bool) -> Statement:
        for word in words:
            self._pause(word.pause)
            self._word(word)
        self._end_phrase()
        copula = self._copulas[0] if len(self._copulas) == 1 else -1
        return Statement(self._language, tuple(self._tokens), tuple(self._small), question, copula)

    def _pause(self, pause: str) -> None:
        if not pause:
            return
        only_comma = pause == COMMA
        self._link = self._link or (COMMA if only_comma else STOP)
        if not only_comma or self._leading() or not self._filled:
            self._end_phrase()

    def _leading(self) -> bool:
        """Still in the phrase the text began with: "In Berlin, my brother"."""
        return bool(self._tokens) and all(token.marker == self._tokens[0].marker for token in self._tokens)

    def _end_phrase(self) -> None:
        if self._marker and not self._filled:
            # "turn it off": it governs nothing, so it is a word of its own.
            self._tokens.append(Token(self._marker, phrase=self._phrase))
        self._marker, self._filled, self._definite = "", False, False
        self._phrase += 1

    def _word(self, word: Word) -> None:
        kind = self._kinds.get(word.text)
        if kind is None or (kind == "harmless" and self._guarded):
            self._content(word)
            return
        self._small.append(word.text)
        if kind in ("pairing", "contrasting", "choosing"):
            self._link = OR if kind == "choosing" else AND
        elif kind == "markers":
            self._govern(word.text)
        elif kind != "harmless":
            if self._filled:
                self._end_phrase()
            self._definite = word.text == "the"
            if kind == "copulas":
                self._be = True
                self._copulas.append(len(self._tokens))

    def _govern(self, marker: str) -> None:
        self._marker = marker if self._filled or not self._marker else f"{self._marker} {marker}"
        self._filled, self._definite, self._be = False, False, False
        self._phrase += 1
        self._guarded = self._guarded or marker in self._words["guards"]

    def _content(self, word: Word) -> None:
        text, words = word.text, self._words
        if self._filled and text in words["phrase_starts"]:
            self._end_phrase()
        past = self._be and {form for _, form in readings(text)[1:]} == {PAST}
        self._tokens.append(
            Token(
                text,
                self._marker,
                self._phrase,
                self._link,
                word.capital,
                word.small,
                self._definite or text in words["definite"],
                self._be,
                past,
            )
        )
        self._guarded = self._guarded or text in words["guards"]
        self._filled = True
        self._link = ""
        self._definite = text in words["definite"]
        self._be = text in {"was", "were", "be", "been", "being"} or (self._be and text in {"not", "never"})
