"""Text to words, numbers and signs as they stand, each with the pause before it."""

import functools
import re
import unicodedata
from collections.abc import Iterator
from typing import NamedTuple

from commonplace.duplicates.language import lines

_PIECE = re.compile(
    r"""(?P<address>(?:https?://|www\.)[^\s,]*[^\s,.;:!?)]|[\w.+-]+@[\w-]+(?:\.[\w-]+)+)
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
    return frozenset(word for line in lines("abbreviations.txt") for word in line.split())
