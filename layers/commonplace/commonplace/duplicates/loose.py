"""What may differ, besides, in a longer statement about third things: an event, a picture, how something works.

One of the two may tell a little more, never something else: where each has words of content that the other has not, they
are two. How much may differ depends on how much is shared and on the cosine.
"""

from itertools import pairwise

from commonplace.duplicates import strict
from commonplace.duplicates.alignment import Alignment, Match
from commonplace.duplicates.extras import extra_allowed, is_light
from commonplace.duplicates.inflection import BASE, PAST, S, lemmas
from commonplace.duplicates.meaning import FORM, NEAR, SAME
from commonplace.duplicates.moves import MOVED, compounded
from commonplace.duplicates.order import Tokens
from commonplace.duplicates.statement import OR
from commonplace.duplicates.tables import Language

_FEWEST_SHARED, _FEWEST_SHARED_WITH_EXTRA = 3, 4
_LEAST_COSINE, _LEAST_COSINE_WHOLE, _ALIKE_COSINE = 0.65, 0.5, 0.7
_DEAREST, _DEAREST_ALIKE = 0.5, 0.6
"""How much the differences may cost for each word that is shared."""
_CLOSE_COSINE, _CLOSE_SHARED = 0.8, 5
_COSTS = {FORM: 0.2, NEAR: 0.3, MOVED: 0.3}
_COST_OF_MARKER, _COST_OF_LIGHT, _COST_OF_EXTRA = 0.3, 0.4, 1.0
_OWNERS = frozenset({"his", "her", "their"})


def allows(alignment: Alignment, left: Tokens, right: Tokens, own: Language, cosine: float) -> bool:
    """Whether so little differs, and so harmlessly, that the two tell the same."""
    shared = len(alignment.matches)
    light = [is_light(left[at], own) for at in alignment.only_left]
    light += [is_light(right[at], own) for at in alignment.only_right]
    fewest = _FEWEST_SHARED if all(light) else _FEWEST_SHARED_WITH_EXTRA
    if shared < fewest or cosine < (_LEAST_COSINE if light else _LEAST_COSINE_WHOLE):
        return False
    if _counts_differ(alignment) or _swaps(alignment, left, right) or _tells_apart(alignment, left, right, own):
        return False
    long_and_close = cosine >= _CLOSE_COSINE and shared >= _CLOSE_SHARED
    if _replaces(alignment, left, right, own, apart=long_and_close):
        return False
    alike = cosine >= _ALIKE_COSINE
    if not all(extra_allowed(left, alignment.only_left, at, own, anywhere=alike) for at in alignment.only_left):
        return False
    if not all(extra_allowed(right, alignment.only_right, at, own, anywhere=alike) for at in alignment.only_right):
        return False
    turned = compounded(alignment, left, right)
    if not all(
        _match_allowed(match, left, right, own, any_marker=alike, free=match in turned) for match in alignment.matches
    ):
        return False
    cost = sum(_COST_OF_LIGHT if is_small else _COST_OF_EXTRA for is_small in light)
    cost += sum(_cost(match, left, right) for match in alignment.matches)
    return cost <= (_DEAREST_ALIKE if alike else _DEAREST) * shared


def _cost(match: Match, left: Tokens, right: Tokens) -> float:
    marker = _COST_OF_MARKER * (left[match.left].marker != right[match.right].marker)
    return _COSTS.get(match.kind, 0.0) + marker


def _counts_differ(alignment: Alignment) -> bool:
    """Whether one tells of one and the other of many who do it: "a child plays", "children play"."""
    changed = [match for match in alignment.matches if match.kind != SAME and (BASE, BASE) not in match.forms]
    rising = [match for match in changed if (BASE, S) in match.forms]
    falling = [match for match in changed if (S, BASE) in match.forms]
    return bool(rising and falling) or any(0 in (match.left, match.right) for match in rising + falling)


def _swaps(alignment: Alignment, left: Tokens, right: Tokens) -> bool:
    """Whether a word left over on both sides could not be moved without changing who did what, or is another's."""
    ours = {left[at].text for at in alignment.only_left}
    theirs = {right[at].text for at in alignment.only_right}
    return bool(ours & theirs) or bool(ours & _OWNERS and theirs & _OWNERS)


def _tells_apart(alignment: Alignment, left: Tokens, right: Tokens, own: Language) -> bool:
    """Whether each has a word for a kind that the other has not: a red one, an orange one."""
    describing = own.words["describing"]
    ours = any(left[at].text in describing for at in alignment.only_left)
    return ours and any(right[at].text in describing for at in alignment.only_right)


def _replaces(alignment: Alignment, left: Tokens, right: Tokens, own: Language, *, apart: bool) -> bool:
    """Whether each tells something that the other does not.

    `apart`: no matter, when it is told in different places of the two and not of a place or time in both.
    """
    ours = [at for at in alignment.only_left if not is_light(left[at], own)]
    theirs = [at for at in alignment.only_right if not is_light(right[at], own)]
    if not (ours and theirs):
        return False
    if not apart or (any(left[at].marker for at in ours) and any(right[at].marker for at in theirs)):
        return True
    edges = sorted([(-1, -1), *((match.left, match.right) for match in alignment.matches), (len(left), len(right))])
    return any(
        any(start < at < stop for at in ours) and any(low < at < high for at in theirs)
        for (start, low), (stop, high) in pairwise(edges)
    )


def _match_allowed(match: Match, left: Tokens, right: Tokens, own: Language, *, any_marker: bool, free: bool) -> bool:
    """`free`: it stands behind the same marker, or behind none in one of a compound and its opposite."""
    ours, theirs = left[match.left], right[match.right]
    moved_phrase = match.kind == MOVED and ours.marker == theirs.marker != "" and OR not in (ours.link, theirs.link)
    if not (moved_phrase or strict.same_role(ours, theirs, own)) or not strict.same_voice(match, ours, theirs):
        return False
    told = any(lemma in own.words["telling"] for lemma in lemmas(ours.text))
    in_time = match.kind in (SAME, MOVED) or told or any((one == PAST) == (other == PAST) for one, other in match.forms)
    return in_time and (free or _marker_allowed(match, left, right, own, any_marker=any_marker))


def _marker_allowed(match: Match, left: Tokens, right: Tokens, own: Language, *, any_marker: bool) -> bool:
    one, other = left[match.left].marker, right[match.right].marker
    if strict.marker_allowed(match, left, right, own) or frozenset({one, other}) in own.loose_markers:
        return True
    if any_marker and own.words["decisive_markers"].isdisjoint({*one.split(), *other.split()}):
        return True
    return not (one and other) and (one or other) in own.words["droppable_markers"]
