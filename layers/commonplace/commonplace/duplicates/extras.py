"""Words that only one of two statements has, and whether leaving them out changes what is told."""

from collections.abc import Sequence

from commonplace.duplicates.inflection import BASE, S, lemmas, readings
from commonplace.duplicates.order import Tokens
from commonplace.duplicates.statement import STOP, Token
from commonplace.duplicates.tables import Language

_TAIL_MARKERS = frozenset({"in", "on", "at", "of"})
_NEVER = ("restrictive", "personal", "times", "guards", "kin")


def is_light(token: Token, own: Language) -> bool:
    """Whether a word tells next to nothing by itself: "a slice of", "his", "is standing"."""
    return token.text in own.words["light"] or _is_posture(token, own)


def extra_allowed(tokens: Tokens, only: Sequence[int], at: int, own: Language, *, anywhere: bool) -> bool:
    """Whether a word that only one has is a description, a place at the end, or a posture where only the place counts.

    `only` are all the words that only this one has. `anywhere`: elsewhere too, as long as it is no verb and nothing that
    something is said to be.
    """
    token, words = tokens[at], own.words
    behind = tokens[at + 1] if at + 1 < len(tokens) else None
    if token.text[0].isdigit() or any(token.text in words[key] for key in _NEVER):
        return False
    if _is_posture(token, own):
        return behind is not None and bool(behind.marker)
    if token.text in words["light"]:
        return at > 0 or token.text not in words["light_inside"]
    if token.joined or at in _added_clause(tokens, only) or (behind is not None and _heads(tokens, only, at, behind)):
        return False
    if behind is not None and behind.marker == token.marker and not behind.joined and not token.predicate:
        return True
    if token.marker in _TAIL_MARKERS and behind is None and not token.joined:
        return True
    return anywhere and not token.predicate and all(form in (BASE, S) for _, form in readings(token.text))


def _heads(tokens: Tokens, only: Sequence[int], at: int, behind: Token) -> bool:
    """Whether a word makes another thing of its neighbors: "Kitchen: the walls", "the key of", "the engine *fuel*"."""
    token, before = tokens[at], tokens[at - 1]
    compound = token.small and before.phrase == token.phrase != behind.phrase
    renames = compound and at > 0 and at - 1 not in only and {form for _, form in readings(token.text)} == {BASE}
    return renames or (behind.marker == "of" and token.marker != "of") or (behind.link == STOP and at == 0)


def _is_posture(token: Token, own: Language) -> bool:
    return any(lemma in own.words["postures"] for lemma in lemmas(token.text))


def _added_clause(tokens: Tokens, only: Sequence[int]) -> range:
    """What is added at the end as more than a word or a place: ", and he appealed", "nuclear test *sparks worry*"."""
    start = len(tokens)
    while start - 1 in only:
        start -= 1
    added = tokens[start:]
    more = any(token.joined for token in added) or (len(added) > 1 and not added[0].marker)
    return range(start, len(tokens)) if more else range(0)
