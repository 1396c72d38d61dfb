"""A text as a statement: its words of content in order, each with what governs it; the small words are taken out.

It is cut into words, numbers and signs as they stand, each with the pause before it; numbers and dates in one spelling."""

import functools
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import NamedTuple

from commonplace.text.foundation.sentences import abbreviations
from commonplace.text.paraphrase.language import PAST, Language, language, readings

_PIECE = re.compile(
    r"""(?P<address>(?:https?://|www\.)[^\s,]*[^\s,.;:!?)]|(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+)
    |(?P<initials>(?<!\w)[^\W\d_](?:\.[^\W\d_])+(?:\.|\b))
    |(?P<number>(?:(?<![\w-])[-+])?\d+(?:[.,:/-]\d+)*(?:(?:st|nd|rd|th)\b)?)
    |(?P<graded>(?<!\w)[^\W\d_](?:\+\+|\#|[+-](?!\w)))
    |(?P<word>[^\W\d_]+(?:'[^\W\d_]+)*)
    |(?P<pause>[.,;:!?()\[\]\n\u2026\u2014\u2013])
    |(?P<symbol>[^\s\w'"\u201c\u201d\u201e\u00ab\u00bb`*~/-])""",
    re.VERBOSE,
)
CURRENCIES = {"$": "dollars", "€": "euros", "£": "pounds", "¥": "yen"}
_SYMBOLS = {"%": "percent", "&": "and", "°": "degrees"} | CURRENCIES
_INITIALS = {"us": "u.s.", "usa": "u.s.", "am": "a.m."}
_THOUSANDS = re.compile(r"[-+]?\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_HEADING_SHARE = 0.6
_LONG = 4

_EXCESSIVELY = "too-much"  # "too old"; "me too" adds nothing
_HALVES: Mapping[tuple[str, ...], str] = {
    ("in", "the", "morning"): "a.m.",
    ("in", "the", "afternoon"): "pm",
    ("in", "the", "evening"): "pm",
}
_MOST_DAYS = 31
_DIGITS_OF_A_DAY = 2
_CLOCK, _NOON = re.compile(r"(?:1[3-9]|2[0-3]):[0-5]\d"), 12


class Word(NamedTuple):
    """One word, number or sign of a text."""

    text: str
    """Lower case."""
    capital: bool = False
    """Written with a capital where its sentence did not ask for one."""
    small: bool = False
    """Written with a small letter."""
    pause: str = ""
    """The punctuation right before it."""


def plain(text: str) -> str:
    """NFKC, one kind of apostrophe and minus, single spaces (a line break stays one)."""
    composed = unicodedata.normalize("NFKC", text).replace("’", "'").replace("ʼ", "'").replace("−", "-")
    return "\n".join(" ".join(line.split()) for line in composed.split("\n")).strip()


def scanned(text: str) -> Iterator[Word]:
    """The words of a plain text; quotation marks, hyphens and slashes are left out."""
    heading, shouted = _is_heading(text), text.isupper()
    pause, begins, last = "", True, ""
    for match in _PIECE.finditer(text):
        piece, kind = match[0], match.lastgroup
        before, last = last, match[0].lower()
        if kind == "word" and not pause and piece.islower():
            yield Word(piece, False, True)
            begins = False
            continue
        if kind == "pause" and piece == "." and before in _abbreviations() and match.end() < len(text):
            continue
        if kind == "pause":
            pause, begins = pause + piece, begins or piece in ".!?\n:"
            continue
        if kind == "symbol" and piece not in _SYMBOLS and unicodedata.category(piece)[0] not in "SN":
            continue
        capital = piece[0].isupper() and not begins and not heading and piece != "I"
        spelled = _INITIALS["us"] if piece == "US" and not shouted else _spelling(piece, kind)
        yield Word(spelled, capital, piece[0].islower(), pause)
        pause, begins = "", False


def _spelling(piece: str, kind: str | None) -> str:
    if kind == "number":
        return _number(piece)
    if kind == "symbol":
        return _SYMBOLS.get(piece, piece)
    if kind == "initials":
        letters = piece.replace(".", "").lower()
        return _INITIALS.get(letters, letters)
    return piece.lower()


def _number(piece: str) -> str:
    if _THOUSANDS.fullmatch(piece):
        return piece.replace(",", "").lstrip("+")
    return re.sub(r"(?<=\d),(?=\d{1,2}$)", ".", piece).lstrip("+")


def _is_heading(text: str) -> bool:
    """A headline, or shouting, where capitals tell nothing."""
    initials = [word[0] for word in text.split() if len(word) >= _LONG and word[0].isalpha()]
    return len(initials) > 1 and sum(initial.isupper() for initial in initials) > _HEADING_SHARE * len(initials)


@functools.cache
def _abbreviations() -> frozenset[str]:
    return abbreviations("titles", "ranks", "beside_names", "companies", "corporations", "months")


def counted(words: list[Word], own: Language) -> Iterator[Word]:
    """Number words as digits, `fifty-seven` as 57, a currency sign behind its number, `6 am` apart from `I am`."""
    signs = frozenset(CURRENCIES.values())
    before = Word("")
    skip = False
    for word, following in zip_longest(words, words[1:], fillvalue=Word("")):
        if skip or not word.text:
            skip = False
            continue
        number = own.numbers.get(word.text, word.text)
        ones = own.numbers.get(following.text, "") if not following.pause else ""
        if word.text in signs and following.text[:1].isdigit():
            yield following._replace(pause=word.pause)
            yield word._replace(pause="")
            skip = True
        elif number != word.text and len(number) > 1 and number.endswith("0") and number != "10" and len(ones) == 1:
            yield word._replace(text=number[0] + ones)
            skip = True
        elif _is_late(number):
            hour, _, minute = number.partition(":")
            yield word._replace(text=f"{int(hour) - _NOON}:{minute}".removesuffix(":00"))
            if following.text != "pm":
                yield Word("pm")
        elif number == "am" and before.text[-1:].isdigit():
            yield word._replace(text="a.m.")
        elif number == "too" and following.text and not following.pause:
            yield word._replace(text=_EXCESSIVELY)
        else:
            yield word._replace(text=number) if number != word.text else word
        before = word


def _is_late(number: str) -> bool:
    """Whether it is a time after one in the afternoon, on a clock of 24 hours."""
    return bool(_CLOCK.fullmatch(number)) and int(number[:2]) > _NOON


def dated(words: list[Word], own: Language) -> list[Word]:
    """Dates as `may 12`, times as `10 a.m.`: "12 May", "the 12th of May", "ten in the morning"."""
    found: list[Word] = []
    for word in words:
        text = word.text
        day = found[-2] if len(found) > 1 and found[-1].text == "of" else found[-1] if found else Word("")
        if text in own.words["months"] and _is_day(day.text) and not word.pause:
            found[-1 if found[-1] is day else -2 :] = [word._replace(pause=day.pause), Word(_cardinal(day.text))]
        elif found and found[-1].text in own.words["months"] and _is_day(text) and not word.pause:
            found.append(word._replace(text=_cardinal(text)))
        else:
            found.append(word)
        half = _HALVES.get((*(part.text for part in found[-3:]),)) if len(found) > len("day") else None
        if half and found[-4].text.isdigit():
            found[-3:] = [Word(half)]
    return found


def _is_day(text: str) -> bool:
    number = _cardinal(text)
    return number.isdecimal() and len(number) <= _DIGITS_OF_A_DAY and 1 <= int(number) <= _MOST_DAYS


def _cardinal(text: str) -> str:
    return text[:-2] if text[:1].isdigit() and text[-2:] in ("st", "nd", "rd", "th") else text


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
        self._filled = self._definite = self._be = self._guarded = self._leading = False

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
        if not only_comma or self._leading or not self._filled:
            self._end_phrase()

    def _append(self, token: Token) -> None:
        """Add a token; `_leading` holds while the text is in its first phrase: "In Berlin, my brother"."""
        first = self._tokens[0] if self._tokens else token
        self._leading = token is first or (self._leading and token.marker == first.marker)
        self._tokens.append(token)

    def _end_phrase(self) -> None:
        if self._marker and not self._filled:
            # "turn it off": it governs nothing, so it is a word of its own.
            self._append(Token(self._marker, phrase=self._phrase))
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
        self._append(
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
