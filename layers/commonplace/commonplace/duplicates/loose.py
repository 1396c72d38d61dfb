"""What may differ, besides, in a longer statement about third things: an event, a picture, how something works."""

from commonplace.duplicates import strict
from commonplace.duplicates.alignment import FORM, NEAR, SAME, Alignment, Match
from commonplace.duplicates.inflection import BASE, PAST, S, lemmas, readings
from commonplace.duplicates.moves import MOVED, with_moves
from commonplace.duplicates.order import Tokens
from commonplace.duplicates.statement import Token
from commonplace.duplicates.tables import Language

_FEWEST_SHARED, _FEWEST_SHARED_WITH_EXTRA = 3, 4
_DEAREST, _DEAREST_ALIKE = 0.5, 0.6
_LEAST_COSINE, _LEAST_COSINE_WHOLE = 0.75, 0.5
_ALIKE_COSINE, _ALIKE_SHARED = 0.8, 3
_COSTS = {FORM: 0.2, NEAR: 0.3, MOVED: 0.3}
_COST_OF_MARKER, _COST_OF_LIGHT, _COST_OF_EXTRA = 0.3, 0.4, 1.0
_CLAUSE = 3
_TAIL_MARKERS = frozenset({"in", "on", "at", "of"})
_NEVER = ("restrictive", "personal", "times", "guards")


def allows(found: Alignment, left: Tokens, right: Tokens, own: Language, cosine: float) -> bool:
    """Whether so little differs, and so harmlessly, that the two tell the same."""
    alignment = with_moves(found, left, right)
    shared = len(alignment.matches)
    extra = (*((left, at) for at in alignment.only_left), *((right, at) for at in alignment.only_right))
    if shared < _FEWEST_SHARED or cosine < (_LEAST_COSINE if extra else _LEAST_COSINE_WHOLE):
        return False
    alike = cosine >= _ALIKE_COSINE and shared >= _ALIKE_SHARED
    if shared < _FEWEST_SHARED_WITH_EXTRA and any(not _light(tokens[at], own) for tokens, at in extra):
        return False
    if _replaces(alignment, left, right, own, anywhere=not alike):
        return False
    if _tells_apart(alignment, left, right, own):
        return False
    cost = 0.0
    for tokens, at in extra:
        if not _extra_allowed(tokens, at, own, anywhere=alike):
            return False
        cost += _COST_OF_LIGHT if _light(tokens[at], own) else _COST_OF_EXTRA
    for match in alignment.matches:
        if not _match_allowed(match, left, right, own) or not _marker_allowed(match, left, right, own, any_=alike):
            return False
        cost += _COSTS.get(match.kind, 0.0)
        cost += _COST_OF_MARKER * (left[match.left].marker != right[match.right].marker)
    return cost <= (_DEAREST_ALIKE if alike else _DEAREST) * shared


def _replaces(alignment: Alignment, left: Tokens, right: Tokens, own: Language, *, anywhere: bool) -> bool:
    """Whether both tell something the other does not, which is one word replaced by another; light words aside.

    `anywhere`: in any two places; otherwise only between the same two words.
    """
    if anywhere:
        ours = any(not _light(left[at], own) for at in alignment.only_left)
        return ours and any(not _light(right[at], own) for at in alignment.only_right)
    edges = [(-1, -1), *((match.left, match.right) for match in alignment.matches), (len(left), len(right))]
    edges.sort()
    return any(
        any(not _light(left[at], own) for at in alignment.only_left if start < at < stop)
        and any(not _light(right[at], own) for at in alignment.only_right if low < at < high)
        for (start, low), (stop, high) in zip(edges, edges[1:], strict=False)
    )


def _begins_clause(tokens: Tokens, at: int) -> bool:
    """Whether something joined on ends the statement here: ", minister defects"."""
    last = max((place for place in range(at + 1) if tokens[place].link), default=0)
    return last > 0 and len(tokens) - last <= _CLAUSE and at >= last


def _tells_apart(alignment: Alignment, left: Tokens, right: Tokens, own: Language) -> bool:
    """Whether each has a word of the describing kind that the other has not: a red one, an orange one."""
    describing = own.words["describing"]
    ours = any(left[at].text in describing for at in alignment.only_left)
    return ours and any(right[at].text in describing for at in alignment.only_right)


def _match_allowed(match: Match, left: Tokens, right: Tokens, own: Language) -> bool:
    if left[match.left].participle != right[match.right].participle:
        return False
    if match.kind in (SAME, MOVED):
        return strict.same_name(match, left, right, own)
    told = any(lemma in own.words["telling"] for lemma in lemmas(left[match.left].text))
    return told or any((one == PAST) == (other == PAST) for one, other in match.forms)


def _marker_allowed(match: Match, left: Tokens, right: Tokens, own: Language, *, any_: bool) -> bool:
    one, other = left[match.left].marker, right[match.right].marker
    if strict.marker_allowed(match, left, right, own) or frozenset({one, other}) in own.loose_markers:
        return True
    if any_ and not own.words["decisive_markers"] & {*one.split(), *other.split()}:
        return True
    return not (one and other) and (one or other) in own.words["droppable_markers"]


def _light(token: Token, own: Language) -> bool:
    return token.text in own.words["light"] or _posture(token, own)


def _posture(token: Token, own: Language) -> bool:
    return any(lemma in own.words["postures"] for lemma in lemmas(token.text))


def _extra_allowed(tokens: Tokens, at: int, own: Language, *, anywhere: bool) -> bool:
    """A describing word before what it describes, a place at the end, or standing and lying where only the place counts.

    `anywhere`: elsewhere too, as long as it is no verb and nothing that something is said to be.
    """
    token, words = tokens[at], own.words
    behind = tokens[at + 1] if at + 1 < len(tokens) else None
    if token.text[0].isdigit() or any(token.text in words[key] for key in _NEVER):
        return False
    if _posture(token, own):
        return behind is not None and bool(behind.marker)
    if token.text in words["light"]:
        return at > 0 or token.text not in words["light_inside"]
    if behind is not None and behind.marker == token.marker and not behind.link and not token.predicate:
        return True
    if token.marker in _TAIL_MARKERS and behind is None and not token.link:
        return True
    return anywhere and not token.predicate and not _begins_clause(tokens, at) and all(form in (BASE, S) for _, form in readings(token.text))
