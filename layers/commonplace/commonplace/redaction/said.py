"""Codes in words beside what they open: "l'alarme c'est quatre neuf zéro trois", "punch in seven two oh five"."""

import re
from collections.abc import Iterator
from functools import cache
from itertools import pairwise

from commonplace.redaction.tokens import tokens
from commonplace.redaction.view import Span, View
from commonplace.redaction.vocabulary import either, words

_WORD = re.compile(r"[a-zß]+")
_BETWEEN = re.compile(r",?[\s-]{1,2}")
_BEHIND = re.compile(r"([a-z']+)[\s,\"]{1,3}$|[:=]\s?$")
_ONES = (
    "zero oh o null cero", "one uno una eins ein un une", "two dos zwei zwo deux", "three tres drei trois", "four cuatro vier quatre",
    "five cinco funf cinq", "six seis sechs", "seven siete sieben sept", "eight ocho acht huit", "nine nueve neun neuf",
)  # fmt: skip
_ONE = {word: value for value, names in enumerate(_ONES) for word in names.split()}
_FEWEST, _BEFORE, _AFTER = 4, 60, 60


def find_said(view: View) -> Iterator[Span]:
    """Spans of four or more figures in words, where a lock is near and something leads to them."""
    run: list[re.Match[str]] = []
    for word in _WORD.finditer(view.folded):
        if run and not (word[0] in _ONE and _BETWEEN.fullmatch(view.folded, run[-1].end(), word.start())):
            yield from _code(view, run)
            run = []
        if word[0] in _ONE:
            run.append(word)
    yield from _code(view, run)


def _code(view: View, run: list[re.Match[str]]) -> Iterator[Span]:
    if len(run) < _FEWEST:
        return
    start, end = run[0].start(), run[-1].end()
    values = [_ONE[word[0]] for word in run]
    steps = {after - before for before, after in pairwise(values)}
    # "eins zwei drei vier": somebody counts.
    if steps in ({1}, {-1}):
        return
    near = view.folded[max(0, start - _BEFORE) : end + _AFTER]
    behind = _BEHIND.search(view.folded, max(0, start - 20), start)
    leads = behind and (
        behind[1] is None or behind[1] in words("link", "with_it", "enter", "typing", "lock_links", "in_again", "at")
    )
    following = tokens(view, end, 1)
    counted = following and following[0].word in words("unit")
    if leads and not counted and _lock().search(near):
        yield Span(start, end, "code")


@cache
def _lock() -> re.Pattern[str]:
    return re.compile(
        rf"(?<![a-z])(?:[a-z]{{0,12}}?(?:{either(sorted(words('locks')))})|parking|handy|movil|telephone|phone)(?![a-z])"
    )
