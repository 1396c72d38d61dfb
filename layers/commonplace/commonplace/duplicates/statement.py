"""A text as a statement: its words of content in order, each with what governs it; the small words are taken out."""

import functools
from dataclasses import dataclass

from commonplace.duplicates.inflection import PAST, readings
from commonplace.duplicates.scanner import Word, plain
from commonplace.duplicates.tables import Language, language
from commonplace.duplicates.words import words_of

OR, AND, COMMA = "or", "and", ","


@dataclass(frozen=True, slots=True)
class Token:
    """One word that counts."""

    text: str
    marker: str = ""
    """The preposition or subordinator it stands behind."""
    link: str = ""
    """What joins it to the word before: `and`, `or`, a comma, or nothing."""
    capital: bool = False
    small: bool = False
    definite: bool = False
    """Behind `the`, `my` and the like."""
    predicate: bool = False
    """Behind a form of `be`."""
    participle: bool = False
    """A past form that `be` makes a passive: `is fired`, not `fired`."""


@dataclass(frozen=True, slots=True)
class Statement:
    """What a text says."""

    language: Language
    tokens: tuple[Token, ...]
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
    def personal(self) -> bool:
        """Whether it is about the speaker or his own people, where a detail is the point."""
        return any(token.text in self.language.words["personal"] for token in self.tokens)


@functools.lru_cache(maxsize=512)
def statement(text: str, language_name: str, *, phrases: bool = False) -> Statement:
    """Reads a text in a language; one without tables keeps every word.

    `phrases`: those that have synonyms count as one word.
    """
    spelled, own = plain(text), language(language_name)
    words = words_of(spelled, own, phrases=phrases)
    return _Reader(own).read(words, question="?" in spelled or "¿" in spelled)


class _Reader:
    """Walks over the words once, keeping what governs the next one."""

    def __init__(self, own: Language) -> None:
        self._language, self._words = own, own.words
        self._tokens: list[Token] = []
        self._small: list[str] = []
        self._copulas: list[int] = []
        self._marker = self._link = ""
        self._filled = self._definite = self._be = self._guarded = False

    def read(self, words: list[Word], *, question: bool) -> Statement:
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
        self._link = self._link or (COMMA if only_comma else "")
        if not only_comma or self._leading() or not self._filled:
            self._end_phrase()

    def _leading(self) -> bool:
        """Still in the phrase the text began with: "In Berlin, my brother"."""
        return bool(self._tokens) and all(token.marker == self._tokens[0].marker for token in self._tokens)

    def _end_phrase(self) -> None:
        if self._marker and not self._filled:
            self._tokens.append(Token(self._marker))  # "turn it off": it governs nothing, so it is a word of its own
        self._marker, self._filled, self._definite = "", False, False

    def _word(self, word: Word) -> None:
        text, words = word.text, self._words
        if text in words["pairing"] or text in words["contrasting"] or text in words["choosing"]:
            self._link = OR if text in words["choosing"] else AND
            self._small.append(text)
        elif text in words["articles"] or text in words["copulas"]:
            if self._filled:
                self._end_phrase()
            self._definite = text == "the"
            if text in words["copulas"]:
                self._be = True
                self._copulas.append(len(self._tokens))
            self._small.append(text)
        elif text in words["harmless"] and not self._guarded:
            self._small.append(text)
        elif text in words["markers"]:
            self._marker = text if self._filled or not self._marker else f"{self._marker} {text}"
            self._filled, self._definite, self._be = False, False, False
            self._guarded = self._guarded or text in words["guards"]
            self._small.append(text)
        else:
            self._content(word)

    def _content(self, word: Word) -> None:
        text, words = word.text, self._words
        if self._filled and text in words["phrase_starts"]:
            self._end_phrase()
        past = self._be and not any(form != PAST for _, form in readings(text)[1:])
        self._tokens.append(
            Token(
                text,
                self._marker,
                self._link,
                word.capital,
                word.small,
                self._definite or text in words["definite"],
                self._be,
                past and len(readings(text)) > 1,
            )
        )
        self._guarded = self._guarded or text in words["guards"]
        self._filled = True
        self._link = ""
        self._definite = text in words["definite"]
        self._be = text in {"was", "were", "be", "been", "being"} or (self._be and text in {"not", "never"})
