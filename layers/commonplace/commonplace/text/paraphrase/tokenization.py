"""Text to words, numbers and signs as they stand, each with the pause before it; numbers and dates in one spelling."""

import functools
import re
import unicodedata
from collections.abc import Iterator, Mapping
from itertools import zip_longest
from typing import NamedTuple

from commonplace.text.foundation.sentences import abbreviations
from commonplace.text.paraphrase.language import Language

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
