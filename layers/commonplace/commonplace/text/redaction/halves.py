"""A secret told in halves: "my password starts with wisteria and ends with 8812"."""

from collections.abc import Iterator, Sequence

from commonplace.text.redaction.values import is_remark, tokens
from commonplace.text.redaction.view import HIDDEN, Span, View
from commonplace.text.redaction.vocabulary import Noun, compiled, words

_REACH = 120
_LEAST = 2


def find_halves(view: View, named: Sequence[Noun]) -> Iterator[Span]:
    """Spans of what a secret is said to begin and to end with; "with a letter" tells none."""
    for noun in named if compiled("halves.any").search(view.folded) else ():
        stop = compiled("halves.stop").search(view.folded, noun.end, noun.end + _REACH)
        end = stop.start() if stop else min(len(view.text), noun.end + _REACH)
        if compiled("halves.asked_for").search(view.folded, noun.end, end):
            continue
        for match in compiled("halves.half").finditer(view.folded, noun.end, end):
            part = next(iter(tokens(view, match.end(), 1)), None)
            if part and _may_be_half(part.text, part.word):
                yield Span(part.start, part.end, noun.kind)
        for match in compiled("halves.half_ja").finditer(view.folded, noun.end, end):
            if HIDDEN not in match["value"]:
                yield Span(*match.span("value"), noun.kind)


def _may_be_half(text: str, word: str) -> bool:
    told = len(text) >= _LEAST and HIDDEN not in text
    return told and not is_remark(word) and word not in words("function", "article", "own", "evasive", "and")
