"""Where one sentence ends and the next begins.

Some rooms cut differently on purpose, and say so: the third person gives every token back, redaction parts a text without
losing a blank, the classifier's features end a sentence at a mark of their own.
"""

import re
import tomllib
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import Any

from commonplace.text.foundation import tokenizer
from commonplace.text.foundation.calendar import is_calendar_word

STOPS = (".", "!", "?", "…", "。", "！", "？")
"""What ends a sentence."""
STRAIGHT_QUOTES, ANY_QUOTES = "\"')", "\"'”’»)"
"""What may close behind a stop, a square bracket apart."""
_LONGEST_ABBREVIATION = 16
_ORDINAL = re.compile(r"(?<!\d)\d{1,2}\.\s+(?:([^\W\d_]+))")


def sentence_spans(
    text: str, start: int = 0, end: int | None = None, *, closing: str = ANY_QUOTES, lists: bool = True, words: bool = True
) -> Iterator[tuple[int, int]]:
    """The places of the sentences between two places of a text, in order, without most of the blanks between them.

    A stop ends one, with what is `closing` behind it, before a blank; 。！？ and a line break always do. `lists`: so does
    a blank before "- ". `words`: not the stop of an abbreviation ("Dr.") or of a German ordinal ("am 3. März").
    """
    at, end = start, len(text) if end is None else end
    for stop in _ends(closing, lists).finditer(text, start, end):
        if stop.start() <= at or (words and "\n" not in stop[0] and _goes_on(text, at, stop.start())):
            continue
        yield at, stop.start()
        at = stop.end()
    if text[at:end].strip():
        yield at, end


@cache
def _ends(closing: str, lists: bool) -> re.Pattern[str]:
    # Each run of blanks is tried from its beginning alone: from each of its places, many blanks would cost their square.
    before_item = r"|(?<!\s)\s++(?=[-*•] )" if lists else ""
    return re.compile(rf"(?<=[.!?…])[{closing}\]]*+\s+|(?<=[。！？])\s*|(?<!\s)(?=\s*\n)\s+{before_item}")


def _goes_on(text: str, start: int, stop: int) -> bool:
    short = _abbreviated().search(text, max(start, stop - _LONGEST_ABBREVIATION), stop)
    if short:
        return short["number"] is None or text[stop:].lstrip()[:1].isdigit()
    ordinal = _ORDINAL.match(text, max(start, stop - 3)) or _ORDINAL.match(text, max(start, stop - 2))
    word = ordinal[1].casefold() if ordinal else ""
    return word in _table()["counted"].split() or any(map(is_calendar_word, tokenizer.words(word)))


@cache
def abbreviations(*kinds: str) -> frozenset[str]:
    """The abbreviations of some kinds, in lower case, without their full stops. KeyError for an unknown kind."""
    return frozenset(word for kind in kinds for word in _table()["abbreviations"][kind].split())


@cache
def _abbreviated() -> re.Pattern[str]:
    """An abbreviation or an initial at the end of a text, with its full stop."""
    words = [*abbreviations("titles", "titles_elsewhere", "beside_names", "in_texts"), *_table()["dotted"].split()]
    numbers = "|".join(abbreviations("numbers"))
    return re.compile(rf"(?:\b(?:{'|'.join(sorted(words))}|(?P<number>{numbers}))|\b[A-Z])\.$", re.IGNORECASE)


@cache
def _table() -> dict[str, Any]:
    return tomllib.loads(files(__package__).joinpath("sentences.toml").read_text(encoding="utf-8"))
