"""Combinations that are turned: "34 left, 12 right, 27 left", "R14 L32 R7", "right to 34, left to 12, right to 27"."""

import re
from collections.abc import Iterator

from commonplace.redaction.view import Span, View
from commonplace.redaction.vocabulary import either, words

_SIDE = r"(?:left|right|(?:nach\s)?(?:links|rechts)|(?:a la\s)?(?:izquierda|derecha)|(?:a\s)?(?:gauche|droite)|izq|der|l|r)"
_HOW = r"(?:\s(?:once|twice|again|to|past|until|auf|bis|zur|hasta|al|sur|jusqu'a|le|la|el|a|zweimal|dreimal|dos veces|deux fois)){0,4}"
_THEN = r"(?:\s?[,;/-]\s?|\s)(?:(?:then|and|dann|und|luego|y|puis|et)\s){0,2}(?:back\s)?"
_TURNS = re.compile(
    rf"(?<![a-z0-9])(?:(?P<named>{_SIDE}{_HOW}[\s-]?\d{{1,2}}(?:{_THEN}{_SIDE}{_HOW}[\s-]?\d{{1,2}}){{2,4}}(?!\d))"
    rf"|(?P<counted>\d{{1,2}}[\s-]?{_SIDE}(?:{_THEN}\d{{1,2}}[\s-]?{_SIDE}){{2,4}}(?![a-z])))"
)
_FIGURE = re.compile(r"(?<!\d)\d{1,2}(?!\d)")
_REACH, _FEWEST = 70, 3


def find_turns(view: View) -> Iterator[Span]:
    """Spans of what a dial is turned to, where a lock is named before it."""
    if len(_FIGURE.findall(view.text)) < _FEWEST:
        return
    for match in _TURNS.finditer(view.folded):
        before = view.folded[max(0, match.start() - _REACH) : match.start()]
        if re.search(rf"(?<![a-z])[a-zß]{{0,12}}?(?:{either(sorted(words('locks')))}|combo)(?![a-z])", before):
            yield Span(*match.span(), "code")
