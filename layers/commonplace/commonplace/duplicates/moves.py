"""Words that both statements have, in different places: "playing golf on a course", "on a course playing golf"."""

from dataclasses import replace

from commonplace.duplicates.alignment import Alignment, Match
from commonplace.duplicates.inflection import BASE
from commonplace.duplicates.order import Tokens
from commonplace.duplicates.statement import Token

MOVED = "moved"
_ADJUNCTS = frozenset("in on at during since after before until near because-of according-to if when while amid".split())
_COMPOUND = frozenset({"of", "in"})


def with_moves(found: Alignment, left: Tokens, right: Tokens) -> Alignment:
    """The alignment with words left over on both sides matched, where their new place does not change who did what."""
    free = list(found.only_right)
    moved: list[Match] = []
    for at in found.only_left:
        to = next((there for there in free if _same_word(left[at], right[there])), None)
        if to is not None:
            free.remove(to)
            moved.append(Match(at, to, MOVED, frozenset({(BASE, BASE)})))
    every = [*found.matches, *moved]
    if not moved or not all(_harmless(one, other, left, right) for one in moved for other in every):
        return found
    taken = {match.left for match in moved}
    return replace(
        found,
        matches=tuple(sorted(every, key=lambda match: match.left)),
        only_left=tuple(at for at in found.only_left if at not in taken),
        only_right=tuple(free),
    )


def _same_word(ours: Token, theirs: Token) -> bool:
    return ours.text == theirs.text


def _harmless(one: Match, other: Match, left: Tokens, right: Tokens) -> bool:
    """Whether two words may change places: one of them stands in a phrase of time or place in both, or is a compound."""
    if (one.left < other.left) == (one.right < other.right):
        return True
    return any(_in_adjunct(match, left, right) for match in (one, other)) or _compound(one, other, left, right)


def _in_adjunct(match: Match, left: Tokens, right: Tokens) -> bool:
    return left[match.left].marker == right[match.right].marker and left[match.left].marker in _ADJUNCTS


def _compound(one: Match, other: Match, left: Tokens, right: Tokens) -> bool:
    """"University of Bristol", "Bristol University"; but not "a school in a park", "a park in a school"."""
    changes = [{left[match.left].marker, right[match.right].marker} for match in (one, other)]
    return sorted(len(markers) for markers in changes) == [1, 2] and any(
        "" in markers and markers & _COMPOUND for markers in changes
    )
