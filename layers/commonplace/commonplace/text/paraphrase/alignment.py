"""Which word of one statement answers to which of the other, and how; and what is left over.

Also the other orders in which the words of a statement say the same. Who did it to whom stays in its place in all of them."""

import functools
import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from commonplace.text.paraphrase.language import BASE, Language, Reading, Words, language, readings
from commonplace.text.paraphrase.parsing import AND, COMMA, OR, STOP, Statement, Token, Tokens

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
    text: str
    readings: tuple[Reading, ...]
    synonyms: _Grouped
    spelled: tuple[tuple[str, str], ...]
    """Each form with its lemma as far as spelling errors leave it alone; nothing for a short word."""
    keys: frozenset[str]
    """Two words without a common key have nothing to do with each other."""


@functools.lru_cache(maxsize=4096)
def _meaning(word: str, language_name: str) -> _Meaning:
    own, english = language(language_name), language_name == "english"
    known: tuple[Reading, ...] = readings(word) if english else ((word, BASE),)
    synonyms = tuple((form, own.synonyms[lemma]) for lemma, form in known if lemma in own.synonyms)
    spelled = tuple((form, _blurred(lemma)) for lemma, form in known) if english and len(word) >= _LONG else ()
    numbers = {f"={number}" for _, group in synonyms for number in group}
    keys = {lemma for lemma, _ in known} | numbers | {f"?{blurred}" for _, blurred in spelled}
    return _Meaning(word, known, synonyms, spelled, frozenset(keys))


def _related(left: _Meaning, right: _Meaning) -> tuple[str, Forms]:
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


_PAIRS = frozenset({AND, COMMA, OR})
_MOST_NUMBERS = 1
_TIMES, _AGO = "times-", "ago"


def orders(left: Statement, right: Statement) -> Iterator[tuple[Tokens, Tokens]]:
    """Both statements as they stand, then in each arrangement that may bring their words into one order."""
    yield left.tokens, right.tokens
    ours, theirs = _opening_last(left), _opening_last(right)
    if (ours, theirs) != (left.tokens, right.tokens):
        yield ours, theirs
    if Counter(left.texts) != Counter(right.texts):
        return
    yield _paired_alike(ours, theirs, left.language.words["describing"]), theirs
    if turned := _turned(right):
        yield left.tokens, turned
    elif turned := _turned(left):
        yield turned, right.tokens


def _opening_last(statement: Statement) -> Tokens:
    tokens = statement.tokens
    times = statement.language.words["time_words"]
    end = 0
    if tokens and tokens[0].text in times:
        end = 1
    elif opening := _opening_time(tokens, statement.language):
        end = opening
    elif tokens and tokens[0].marker:
        end = next((at for at, token in enumerate(tokens) if token.marker != tokens[0].marker), 0)
    if 0 < end < len(tokens):
        tokens = (*tokens[end:], *tokens[:end])
    return _tail_sorted(tokens, times)


def _opening_time(tokens: Tokens, own: Language) -> int:
    end, times = 0, own.words["times"]
    while (
        end < len(tokens)
        and not tokens[end].marker
        and (tokens[end].text in own.words["counting"] or tokens[end].text[0].isdigit())
    ):
        end += 1
    last = tokens[end] if end < len(tokens) else None
    if last is None or last.marker or not (last.text in times or last.text.startswith(_TIMES)):
        return 0
    end += 1
    return end + (end < len(tokens) and tokens[end].text == _AGO)


def _tail_sorted(tokens: Tokens, times: frozenset[str]) -> Tokens:
    start = len(tokens)
    while start and (tokens[start - 1].marker or tokens[start - 1].text in times):
        start -= 1
    phrases: list[list[Token]] = []
    for token in tokens[start:]:
        if phrases and phrases[-1][-1].marker == token.marker:
            phrases[-1].append(token)
        else:
            phrases.append([token])
    markers = [phrase[0].marker for phrase in phrases]
    if len(set(markers)) < len(markers) or any(token.joined for token in tokens[start:]):
        return tokens  # "at home on Mondays and in town on Fridays": each belongs to the one before
    phrases.sort(key=lambda phrase: (phrase[0].marker, phrase[0].text))
    return (*tokens[:start], *(token for phrase in phrases for token in phrase))


def _paired_alike(left: Tokens, right: Tokens, describing: Words) -> Tokens:
    if sum(token.text[0].isdigit() for token in left) > _MOST_NUMBERS:
        return left  # "Tom and Ana are 5 and 7"
    start, stop = 0, 0
    while start < len(left) and left[start].text == right[start].text:
        start += 1
    while stop < len(left) - start and left[-1 - stop].text == right[-1 - stop].text:
        stop += 1
    # One word further back too: in "le thé et le café" both parts begin alike.
    for first in (start, start - 1) if start else (start,):
        middle = slice(first, len(left) - stop)
        ours, theirs = left[middle], right[middle]
        if is_described(left, first, describing) or (first and not ends(left, len(left) - stop - 1)):
            continue
        if _swapped(ours, theirs) or (_listed(ours) and _listed(theirs)):
            return (*left[:first], *_like(ours, theirs), *left[len(left) - stop :])
    return left


def is_described(tokens: Tokens, first: int, describing: Words) -> bool:
    """Whether a list begins behind a word that may tell of its first member only: "black tea and coffee"."""
    if not 0 < first < len(tokens):
        return False
    before = tokens[first - 1]
    return before.text in describing or (before.capital and tokens[first].small)


def ends(tokens: Tokens, at: int) -> bool:
    """Whether nothing goes on behind a word: not so for "Ben" in "Tom saw Anna and Ben saw Eva"."""
    return at + 1 == len(tokens) or bool(tokens[at + 1].marker) or tokens[at + 1].link == STOP


def _like(ours: Sequence[Token], theirs: Sequence[Token]) -> list[Token]:
    free = list(ours)
    found = []
    for token in theirs:
        own = next(own for own in free if own.text == token.text)
        free.remove(own)
        found.append(replace(own, link=token.link, marker=ours[0].marker))
    return found


def _listed(tokens: Sequence[Token]) -> bool:
    return len(tokens) > 1 and all(token.link in _PAIRS for token in tokens[1:]) and _one_marker(tokens)


def _swapped(ours: Sequence[Token], theirs: Sequence[Token]) -> bool:
    half = len(ours) // 2
    return (
        len(ours) == 2 * half > 0
        and [token.text for token in ours[half:]] == [token.text for token in theirs[:half]]
        and [token.text for token in ours[:half]] == [token.text for token in theirs[half:]]
        and ours[half].link in _PAIRS
        and theirs[half].link in _PAIRS
        and _one_marker(ours)
        and _one_marker(theirs)
    )


def _one_marker(tokens: Sequence[Token]) -> bool:
    return len({token.marker for token in tokens}) == 1 or not any(token.marker for token in tokens[1:])


def _turned(statement: Statement) -> Tokens:
    at, tokens = statement.copula, statement.tokens
    head, tail = tokens[:at], tokens[at:]
    definite = any(side and side[0].definite for side in (head, tail))
    if at < 1 or not tail or not definite or any(token.marker or token.joined for token in tokens):
        return ()
    return (*(replace(token, predicate=False) for token in tail), *head)
