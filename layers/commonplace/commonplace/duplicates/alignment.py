"""Which word of one statement answers to which of the other, and what is left over."""

import functools
from collections.abc import Sequence
from dataclasses import dataclass

from commonplace.duplicates.spelling import same_spelling
from commonplace.duplicates.inflection import BASE, Reading, forms_between, readings
from commonplace.duplicates.statement import Token
from commonplace.duplicates.tables import Groups, language

Forms = frozenset[tuple[str, str]]
SAME, FORM, SYNONYM, NEAR = "same", "form", "synonym", "near"
_COSTS = {SAME: 0.0, FORM: 0.3, SYNONYM: 0.4, NEAR: 0.5}
_LEFT_OVER = 1.0
_WIDEST = 20


@dataclass(frozen=True, slots=True)
class Match:
    """Two words that answer to each other, how, and the pairs of forms they may stand in."""

    left: int
    right: int
    kind: str
    forms: Forms


@dataclass(frozen=True, slots=True)
class Alignment:
    """All of it, by index; `matches` rise on both sides."""

    matches: tuple[Match, ...]
    only_left: tuple[int, ...]
    only_right: tuple[int, ...]


def aligned(left: Sequence[Token], right: Sequence[Token], language_name: str, *, near: bool) -> Alignment | None:
    """The cheapest alignment in order, or None when more than a few words differ."""
    start, stop = 0, 0
    shortest = min(len(left), len(right))
    while start < shortest and left[start].text == right[start].text:
        start += 1
    while stop < shortest - start and left[-1 - stop].text == right[-1 - stop].text:
        stop += 1
    middle = _middle(left[start : len(left) - stop], right[start : len(right) - stop], language_name, near=near)
    if middle is None:
        return None
    before = [_same(at, at) for at in range(start)]
    after = [_same(len(left) - at, len(right) - at) for at in range(stop, 0, -1)]
    inner = [Match(start + match.left, start + match.right, match.kind, match.forms) for match in middle]
    matches = (*before, *inner, *after)
    taken_left, taken_right = {match.left for match in matches}, {match.right for match in matches}
    return Alignment(
        matches,
        tuple(at for at in range(len(left)) if at not in taken_left),
        tuple(at for at in range(len(right)) if at not in taken_right),
    )


def _same(left: int, right: int) -> Match:
    return Match(left, right, SAME, _UNCHANGED)


_UNCHANGED: Forms = frozenset({(BASE, BASE)})


def _middle(left: Sequence[Token], right: Sequence[Token], language_name: str, *, near: bool) -> list[Match] | None:
    if max(len(left), len(right)) > _WIDEST:
        return None
    best: list[list[tuple[float, Match | None]]] = [
        [(float(column), None) for column in range(len(right) + 1)] for _ in range(len(left) + 1)
    ]
    for row in range(1, len(left) + 1):
        best[row][0] = (row * _LEFT_OVER, None)
        for column in range(1, len(right) + 1):
            skip = min(best[row - 1][column][0], best[row][column - 1][0]) + _LEFT_OVER
            best[row][column] = (skip, None)
            found = related(left[row - 1].text, right[column - 1].text, language_name, near=near)
            if found is not None:
                cost = best[row - 1][column - 1][0] + _COSTS[found[0]]
                if cost <= skip:
                    best[row][column] = (cost, Match(row - 1, column - 1, *found))
    return _traced(best)


def _traced(best: list[list[tuple[float, Match | None]]]) -> list[Match]:
    row, column = len(best) - 1, len(best[0]) - 1
    found: list[Match] = []
    while row and column:
        match = best[row][column][1]
        if match is not None:
            found.append(match)
            row, column = row - 1, column - 1
        elif best[row - 1][column][0] <= best[row][column - 1][0]:
            row -= 1
        else:
            column -= 1
    return found[::-1]


@functools.lru_cache(maxsize=65536)
def related(left: str, right: str, language_name: str, *, near: bool) -> tuple[str, Forms] | None:
    """How two words answer to each other: the same, forms of one, synonyms, near synonyms; None when they do not."""
    if left == right:
        return SAME, _UNCHANGED
    own, english = language(language_name), language_name == "english"
    forms = forms_between(left, right) if english else frozenset()
    if forms:
        return FORM, forms
    if english and same_spelling(left, right):
        return SYNONYM, _UNCHANGED
    forms = _shared(left, right, own.synonyms, english)
    if forms:
        return SYNONYM, forms
    forms = _shared(left, right, own.near_synonyms, english) if near else frozenset()
    return (NEAR, forms) if forms else None


def _shared(left: str, right: str, groups: Groups, english: bool) -> Forms:
    ours = _grouped(left, groups, english)
    theirs = _grouped(right, groups, english) if ours else []
    return frozenset((form, its) for form, numbers in ours for its, others in theirs if numbers & others)


def _grouped(word: str, groups: Groups, english: bool) -> list[tuple[str, frozenset[int]]]:
    known: tuple[Reading, ...] = readings(word) if english else ((word, BASE),)
    return [(form, groups[lemma]) for lemma, form in known if lemma in groups]
