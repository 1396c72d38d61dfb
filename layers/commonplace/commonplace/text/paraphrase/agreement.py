"""What may differ between two statements of anybody: synonyms, the bare grammar of a verb, a place seen two ways."""

from commonplace.text.paraphrase.alignment import FORM, SAME, TYPO, Alignment, Forms, Match
from commonplace.text.paraphrase.language import Language
from commonplace.text.paraphrase.morphology import BASE, ING, PAST, S, lemmas, readings
from commonplace.text.paraphrase.parsing import AND, OR, Token, Tokens

_SPEAKER = "i"


def agrees(alignment: Alignment, left: Tokens, right: Tokens, own: Language) -> bool:
    """Whether the two say the same of anybody, word for word."""
    if alignment.only_left and alignment.only_right:
        return False
    extra = (*((left, at) for at in alignment.only_left), *((right, at) for at in alignment.only_right))
    return all(_is_name_of_kin(tokens, at, own) for tokens, at in extra) and all(
        _match_allowed(match, left, right, own) and _marker_allowed(match, left, right, own) for match in alignment.matches
    )


def _match_allowed(match: Match, left: Tokens, right: Tokens, own: Language) -> bool:
    """Whether two words that answer to each other say the same, time and number included."""
    ours, theirs = left[match.left], right[match.right]
    if not _same_role(ours, theirs, own) or not _same_voice(match, ours, theirs):
        return False
    if match.kind == SAME or any(one == other for one, other in match.forms):
        return True
    if match.kind == FORM:
        return (
            _liked(match, left, own)
            or _lasting(match.forms, ours, theirs, own)
            or _agrees(match, left, right)
            or _ongoing(match, left, right, own)
        )
    return False


def _same_role(ours: Token, theirs: Token, own: Language) -> bool:
    """False for "meat and pizza" and "meat or pizza" or "meat pizza", for Turkey and turkey."""
    differ = (ours.capital and theirs.small) or (ours.small and theirs.capital)
    if differ and ours.text == theirs.text and ours.text in own.words["case_matters"]:
        return False
    return ours.link == theirs.link or (OR not in (ours.link, theirs.link) and {ours.link, theirs.link} != {AND, ""})


def _same_voice(match: Match, ours: Token, theirs: Token) -> bool:
    """False for "is fired" and "fired", for Danielle and Daniele."""
    if match.kind == TYPO and not (ours.small and theirs.small):
        return False
    return match.kind not in (SAME, FORM) or ours.participle == theirs.participle


def _marker_allowed(match: Match, left: Tokens, right: Tokens, own: Language) -> bool:
    """Whether both words stand behind the same preposition, or two that say the same there."""
    ours, theirs = left[match.left], right[match.right]
    one, other = ours.marker, theirs.marker
    if one == other or frozenset({one, other}) in own.same_markers:
        return True
    if {one, other} <= own.words["place_markers"]:
        return _in_place(match.left, left, own) and _in_place(match.right, right, own)
    if {one, other} == {"over", "to"}:
        return any(lemma in own.words["preferring"] for token in left[: match.left] for lemma in lemmas(token.text))
    if {one, other} in ({"", "while"}, {"", "when"}):
        return {form for _, form in readings(ours.text)[1:]} == {ING} and ours.text == theirs.text
    return "to" in (one, other) and match.kind == FORM and _liked(match, left, own)


def _in_place(at: int, tokens: Tokens, own: Language) -> bool:
    """Whether the phrase around a word ends in a place one is in, on or at alike."""
    end = at
    while end + 1 < len(tokens) and tokens[end + 1].marker == tokens[at].marker and not tokens[end + 1].joined:
        end += 1
    return any(lemma in own.words["places"] for lemma in lemmas(tokens[end].text))


def _liked(match: Match, left: Tokens, own: Language) -> bool:
    """Whether it is "like to swim" and "like swimming"."""
    before = left[match.left - 1].text if match.left else ""
    return any(lemma in own.words["likes_to"] for lemma in lemmas(before)) and bool(match.forms & {(BASE, ING), (ING, BASE)})


def _agrees(match: Match, left: Tokens, right: Tokens) -> bool:
    """Whether it is "I live" and "the user lives"."""
    subjects = {tokens[at - 1].text for tokens, at in ((left, match.left), (right, match.right)) if at}
    return subjects == {_SPEAKER} and bool(match.forms & {(BASE, S), (S, BASE)})


def _lasting(forms: Forms, ours: Token, theirs: Token, own: Language) -> bool:
    """Whether it is "work" and "is working": a state that lasts, told in either form of the present."""
    progressive = theirs if forms & {(BASE, ING), (S, ING)} else ours if forms & {(ING, BASE), (ING, S)} else None
    return (
        progressive is not None
        and progressive.predicate
        and any(lemma in own.words["lasting"] for lemma in lemmas(progressive.text))
        and not any(PAST in pair and BASE not in pair for pair in forms)
    )


def _ongoing(match: Match, left: Tokens, right: Tokens, own: Language) -> bool:
    """Whether it is "have lived" and "have been living", which is read without its `been`."""
    before = {tokens[at - 1].text for tokens, at in ((left, match.left), (right, match.right)) if at}
    lasts = any(lemma in own.words["lasting"] for lemma in lemmas(left[match.left].text))
    return lasts and bool(before) and before <= own.words["having"] and bool(match.forms & {(ING, PAST), (PAST, ING)})


def _is_name_of_kin(tokens: Tokens, at: int, own: Language) -> bool:
    """The name in "my sister Anna": said or left out, she is the same."""
    token, before = tokens[at], tokens[at - 1]
    named = at > 0 and token.capital and token.marker == before.marker and not token.joined
    return named and before.text in own.words["kin"] | own.words["pets"] and token.text not in own.words["times"]
