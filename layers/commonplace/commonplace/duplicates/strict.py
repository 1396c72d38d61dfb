"""What may differ between two statements of anybody: synonyms, the bare grammar of a verb, a place seen two ways."""

from commonplace.duplicates.alignment import FORM, NEAR, SAME, Alignment, Forms, Match
from commonplace.duplicates.inflection import BASE, ING, PAST, S, lemmas
from commonplace.duplicates.order import Tokens
from commonplace.duplicates.statement import Token
from commonplace.duplicates.tables import Language

_PLACE_MARKERS = frozenset({"in", "on", "at"})


def allows(alignment: Alignment, left: Tokens, right: Tokens, own: Language) -> bool:
    """Whether the two say the same of anybody, word for word."""
    extra = (*((left, at) for at in alignment.only_left), *((right, at) for at in alignment.only_right))
    return all(_is_name_of_kin(tokens, at, own) for tokens, at in extra) and all(
        match_allowed(match, left, right, own) and marker_allowed(match, left, right, own)
        for match in alignment.matches
    )


def match_allowed(match: Match, left: Tokens, right: Tokens, own: Language) -> bool:
    """Whether two words that answer to each other say the same, time and number included."""
    ours, theirs = left[match.left], right[match.right]
    if ours.participle != theirs.participle or not same_name(match, left, right, own):
        return False
    if match.kind == SAME or any(one == other for one, other in match.forms):
        return match.kind != NEAR
    if match.kind == FORM:
        return _liked(match, left, right, own) or _lasting(match.forms, ours, theirs, own)
    return False


def same_name(match: Match, left: Tokens, right: Tokens, own: Language) -> bool:
    """False for Turkey and turkey."""
    ours, theirs = left[match.left], right[match.right]
    differ = ours.capital and theirs.small or ours.small and theirs.capital
    return not differ or ours.text not in own.words["case_matters"]


def marker_allowed(match: Match, left: Tokens, right: Tokens, own: Language) -> bool:
    """Whether both words stand behind the same preposition, or two that say the same there."""
    ours, theirs = left[match.left], right[match.right]
    one, other = ours.marker, theirs.marker
    if one == other or frozenset({one, other}) in own.same_markers:
        return True
    if {one, other} <= _PLACE_MARKERS:
        return _in_place(match.left, left, own) and _in_place(match.right, right, own)
    return "to" in (one, other) and match.kind == FORM and _liked(match, left, right, own)


def _in_place(at: int, tokens: Tokens, own: Language) -> bool:
    """Whether the phrase around a word ends in a place one is in, on or at alike."""
    end = at
    while end + 1 < len(tokens) and tokens[end + 1].marker == tokens[at].marker and not tokens[end + 1].link:
        end += 1
    return any(lemma in own.words["places"] for lemma in lemmas(tokens[end].text))


def _liked(match: Match, left: Tokens, right: Tokens, own: Language) -> bool:
    """"like to swim", "like swimming"."""
    behind_like = match.left and match.right and any(
        lemma in own.words["likes_to"] for lemma in lemmas(left[match.left - 1].text)
    )
    return bool(behind_like) and bool(match.forms & {(BASE, ING), (ING, BASE)})


def _lasting(forms: Forms, ours: Token, theirs: Token, own: Language) -> bool:
    """"work", "is working": a state that lasts, told in either tense of the present."""
    progressive = theirs if forms & {(BASE, ING), (S, ING)} else ours if forms & {(ING, BASE), (ING, S)} else None
    return (
        progressive is not None
        and progressive.predicate
        and any(lemma in own.words["lasting"] for lemma in lemmas(progressive.text))
        and not any(PAST in pair and BASE not in pair for pair in forms)
    )


def _is_name_of_kin(tokens: Tokens, at: int, own: Language) -> bool:
    """The name in "my sister Anna": said or left out, she is the same."""
    return at > 0 and tokens[at].capital and tokens[at - 1].text in own.words["kin"] and not tokens[at].link
