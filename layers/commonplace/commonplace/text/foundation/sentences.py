"""Find sentence boundaries.

Redaction, rewriting to the third person, and the classifier's features deliberately split texts in other ways.
"""

import re
from collections.abc import Iterator
from functools import cache, partial

from commonplace.text.foundation import tokenizer
from commonplace.text.foundation.calendar import is_calendar_word
from commonplace.text.foundation.expressions import table_of

STOPS = (".", "!", "?", "…", "。", "！", "？")
"""The characters that end a sentence."""
STRAIGHT_QUOTES, ANY_QUOTES = "\"')", "\"'”’»)"
"""The characters that may follow the final stop of a sentence. Square brackets are handled separately."""
_load_table = partial(table_of, __package__, "sentences.toml")
_LONGEST_ABBREVIATION = 16
_ORDINAL = re.compile(r"(?<!\d)\d{1,2}\.\s+(?:([^\W\d_]+))")


def sentence_spans(
    text: str, start: int = 0, end: int | None = None, *, closing: str = ANY_QUOTES, lists: bool = True, words: bool = True
) -> Iterator[tuple[int, int]]:
    """Yield the start and end of each sentence in a range of a text. Sentences end at line breaks and after stops (". ").

    `closing` lists the characters that may follow a stop. If `lists` is true, a list item ("- ") begins a sentence. If
    `words` is true, abbreviations ("Dr.") and German ordinals ("am 3. März") don't end a sentence.
    """
    at, end = start, len(text) if end is None else end
    for stop in _compile_end_pattern(closing, lists).finditer(text, start, end):
        if stop.start() <= at or (words and "\n" not in stop[0] and _has_abbreviation_or_ordinal(text, at, stop.start())):
            continue
        yield at, stop.start()
        at = stop.end()
    if text[at:end].strip():
        yield at, end


@cache
def _compile_end_pattern(closing: str, lists: bool) -> re.Pattern[str]:
    # A run of blanks is tried only from its start, because trying every position would take quadratic time.
    before_item = r"|(?<!\s)\s++(?=[-*•] )" if lists else ""
    return re.compile(rf"(?<=[.!?…])[{closing}\]]*+\s+|(?<=[。！？])\s*|(?<!\s)(?=\s*\n)\s+{before_item}")


def _has_abbreviation_or_ordinal(text: str, start: int, stop: int) -> bool:
    short = _compile_abbreviations().search(text, max(start, stop - _LONGEST_ABBREVIATION), stop)
    if short:
        return short["number"] is None or text[stop:].lstrip()[:1].isdigit()
    ordinal = _ORDINAL.match(text, max(start, stop - 3)) or _ORDINAL.match(text, max(start, stop - 2))
    word = ordinal[1].casefold() if ordinal else ""
    return word in _load_table()["counted"].split() or any(map(is_calendar_word, tokenizer.words(word)))


@cache
def abbreviations(*kinds: str) -> frozenset[str]:
    """Return the abbreviations of the given kinds, without full stops. Raises KeyError for an unknown kind."""
    return frozenset(word for kind in kinds for word in _load_table()["abbreviations"][kind].split())


@cache
def _compile_abbreviations() -> re.Pattern[str]:
    """Compile the pattern of an abbreviation or initial at the end of a text. `number` counts only before a digit."""
    words = [*abbreviations("titles", "titles_elsewhere", "beside_names", "in_texts"), *_load_table()["dotted"].split()]
    numbers = "|".join(abbreviations("numbers"))
    return re.compile(rf"(?:\b(?:{'|'.join(sorted(words))}|(?P<number>{numbers}))|\b[A-Z])\.$", re.IGNORECASE)
