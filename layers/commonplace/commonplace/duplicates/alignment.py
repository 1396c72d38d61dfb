"""Which word of one statement answers to which of the other, and what is left over."""

from collections.abc import Sequence
from typing import NamedTuple

from commonplace.duplicates.meaning import SAME, UNCHANGED, Forms, Meaning, meaning, related
from commonplace.duplicates.statement import Token

_COSTS = {"form": 0.3, "typo": 0.3, "synonym": 0.4}
_LEFT_OVER = 1.0
_WIDEST = 20


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


def aligned(left: Sequence[Token], right: Sequence[Token], language_name: str) -> Alignment | None:
    """The cheapest alignment in order, or None when more than a few words differ."""
    start, stop = 0, 0
    shortest = min(len(left), len(right))
    while start < shortest and left[start].text == right[start].text:
        start += 1
    while stop < shortest - start and left[-1 - stop].text == right[-1 - stop].text:
        stop += 1
    if max(len(left), len(right)) - start - stop > _WIDEST:
        return None
    ours = [meaning(token.text, language_name) for token in left[start : len(left) - stop]]
    theirs = [meaning(token.text, language_name) for token in right[start : len(right) - stop]]
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


def _middle(left: Sequence[Meaning], right: Sequence[Meaning]) -> list[Match]:
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
                kind, forms = related(ours, theirs)
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
