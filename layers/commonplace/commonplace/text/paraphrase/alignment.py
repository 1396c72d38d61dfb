"""Which word of one statement answers to which of the other, and how; and what is left over."""

import functools
import re
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import NamedTuple

from commonplace.text.paraphrase.language import language
from commonplace.text.paraphrase.morphology import BASE, Reading, readings
from commonplace.text.paraphrase.parsing import Tokens

Forms = frozenset[tuple[str, str]]
"""The pairs of forms two words may stand in."""
SAME, FORM, SYNONYM, TYPO = "same", "form", "synonym", "typo"
UNCHANGED: Forms = frozenset({(BASE, BASE)})
_Grouped = tuple[tuple[str, frozenset[int]], ...]
_DOUBLED = re.compile(r"(.)\1")
_LONG = 8
"""A shorter word is too often another one: "desert", "dessert"."""
_COSTS = {FORM: 0.3, TYPO: 0.3, SYNONYM: 0.4}
_LEFT_OVER = 1.0
_WIDEST = 20


class _Meaning(NamedTuple):
    """A word's lemmas and synonym groups, each with the form it stands in."""

    text: str
    readings: tuple[Reading, ...]
    synonyms: _Grouped
    spelled: tuple[tuple[str, str], ...]
    """Each form with its lemma as far as spelling errors leave it alone; nothing for a short word."""
    keys: frozenset[str]
    """Two words without a common key have nothing to do with each other."""


@functools.lru_cache(maxsize=4096)
def _meaning(word: str, language_name: str) -> _Meaning:
    """Looks a word up in the tables of its language."""
    own, english = language(language_name), language_name == "english"
    known: tuple[Reading, ...] = readings(word) if english else ((word, BASE),)
    synonyms = tuple((form, own.synonyms[lemma]) for lemma, form in known if lemma in own.synonyms)
    spelled = tuple((form, _blurred(lemma)) for lemma, form in known) if english and len(word) >= _LONG else ()
    numbers = {f"={number}" for _, group in synonyms for number in group}
    keys = {lemma for lemma, _ in known} | numbers | {f"?{blurred}" for _, blurred in spelled}
    return _Meaning(word, known, synonyms, spelled, frozenset(keys))


def _related(left: _Meaning, right: _Meaning) -> tuple[str, Forms]:
    """How two words that share a key answer to each other: the same, forms of one, synonyms, or one misspelled."""
    if left.text == right.text:
        return SAME, UNCHANGED
    forms = frozenset((form, its) for lemma, form in left.readings for same, its in right.readings if same == lemma)
    if forms:
        return FORM, forms
    forms = _shared(left.synonyms, right.synonyms)
    if forms:
        return SYNONYM, forms
    forms = frozenset((form, its) for form, blurred in left.spelled for its, same in right.spelled if blurred == same)
    return TYPO, forms


def _blurred(word: str) -> str:
    """What is left of a word when nobody knows where it has two letters for one, or `ie` for `ei`."""
    return _DOUBLED.sub(r"\1", word).replace("ie", "ei")


def _shared(left: _Grouped, right: _Grouped) -> Forms:
    return frozenset((form, its) for form, numbers in left for its, others in right if numbers & others)


class Match(NamedTuple):
    """Two words that answer to each other, by index; how, and the pairs of forms they may stand in."""

    left: int
    right: int
    kind: str
    forms: Forms


class Alignment(NamedTuple):
    """All of it, by index; `matches` rise on the left."""

    matches: tuple[Match, ...]
    only_left: tuple[int, ...]
    only_right: tuple[int, ...]


def aligned(left: Tokens, right: Tokens, language_name: str) -> Alignment | None:
    """The cheapest alignment in order, or None when more than a few words differ."""
    start, stop = 0, 0
    shortest = min(len(left), len(right))
    while start < shortest and left[start].text == right[start].text:
        start += 1
    while stop < shortest - start and left[-1 - stop].text == right[-1 - stop].text:
        stop += 1
    if max(len(left), len(right)) - start - stop > _WIDEST:
        return None
    ours = [_meaning(token.text, language_name) for token in left[start : len(left) - stop]]
    theirs = [_meaning(token.text, language_name) for token in right[start : len(right) - stop]]
    before = [Match(at, at, SAME, UNCHANGED) for at in range(start)]
    after = [Match(len(left) - at, len(right) - at, SAME, UNCHANGED) for at in range(stop, 0, -1)]
    inner = [match._replace(left=start + match.left, right=start + match.right) for match in _middle(ours, theirs)]
    matches = (*before, *inner, *after)
    taken_left, taken_right = {match.left for match in matches}, {match.right for match in matches}
    return Alignment(
        matches,
        tuple(at for at in range(len(left)) if at not in taken_left),
        tuple(at for at in range(len(right)) if at not in taken_right),
    )


def _middle(left: Sequence[_Meaning], right: Sequence[_Meaning]) -> list[Match]:
    """Least cost by the usual table: row by row, what the words so far cost at least."""
    width = len(right) + 1
    costs = [[column * _LEFT_OVER for column in range(width)]]
    found: dict[tuple[int, int], Match] = {}
    for row, ours in enumerate(left):
        above = costs[-1]
        line = [above[0] + _LEFT_OVER]
        for column, theirs in enumerate(right):
            cost = min(above[column + 1], line[column]) + _LEFT_OVER
            if not ours.keys.isdisjoint(theirs.keys):
                kind, forms = _related(ours, theirs)
                matched = above[column] + _COSTS.get(kind, 0.0)
                if matched <= cost:
                    cost = matched
                    found[row, column] = Match(row, column, kind, forms)
            line.append(cost)
        costs.append(line)
    return _traced(costs, found)


def _traced(costs: Sequence[Sequence[float]], found: dict[tuple[int, int], Match]) -> list[Match]:
    row, column = len(costs) - 1, len(costs[0]) - 1
    path: list[Match] = []
    while row and column:
        match = found.get((row - 1, column - 1))
        if match is not None:
            path.append(match)
            row, column = row - 1, column - 1
        elif costs[row - 1][column] <= costs[row][column - 1]:
            row -= 1
        else:
            column -= 1
    return path[::-1]


def fused(left: Tokens, right: Tokens) -> tuple[Tokens, Tokens]:
    """Both statements with every two words in a row as one where the other statement has them as one."""
    return _fused(left, {token.text for token in right}), _fused(right, {token.text for token in left})


def _fused(tokens: Tokens, whole: Collection[str]) -> Tokens:
    joints = [
        at for at in range(len(tokens) - 1) if tokens[at].text + tokens[at + 1].text in whole and not tokens[at + 1].joined
    ]
    if not joints:
        return tokens
    found = list(tokens)
    for at in reversed(joints):
        found[at : at + 2] = [replace(found[at], text=found[at].text + found[at + 1].text)]
    return tuple(found)
