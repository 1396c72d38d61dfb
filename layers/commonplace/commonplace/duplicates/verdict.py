"""The one question: do two texts say the same, and in what do they differ if so?"""

from commonplace.duplicates import loose, strict
from commonplace.duplicates.alignment import SAME, Alignment, aligned
from commonplace.duplicates.compounds import fused
from commonplace.duplicates.order import Tokens, orders
from commonplace.duplicates.statement import Statement, Token, statement
from commonplace.duplicates.tongues import UNSPACED, language_of
from commonplace.duplicates.unspaced import core

_SAME_WORDS = "the same words"
_OTHER_ORDER = "the same words in another order"
_SMALL_WORDS = "the same but for small words"
_MOST_CHANGED = 4


def same_statement(first: str, second: str, cosine: float | None) -> str | None:
    """Why two memories of one user may be merged, in words; None where they may not.

    `cosine` is that of their static embeddings, or None where one has no vector: then only the words count.
    The answer is None or not whichever text comes first.
    """
    one, other = sorted((first, second))
    name = language_of(one, other)
    if name == UNSPACED:
        return _SAME_WORDS if core(one) == core(other) else None
    left, right = statement(one, name), statement(other, name)
    if left.question != right.question or not left.tokens or _far_apart(left, right):
        return None
    reason = _compared(left, right, cosine)
    if reason is not None:
        return reason
    phrased = statement(one, name, phrases=True), statement(other, name, phrases=True)
    return None if phrased == (left, right) else _compared(*phrased, cosine)


def _compared(left: Statement, right: Statement, cosine: float | None) -> str | None:
    for number, (ours, theirs) in enumerate(orders(left, right)):
        reason = _reason(ours, theirs, left, right, cosine)
        if reason is not None:
            return _OTHER_ORDER if number and reason in (_SAME_WORDS, _SMALL_WORDS) else reason
    return None


def _far_apart(left: Statement, right: Statement) -> bool:
    ours, theirs = set(left.texts), set(right.texts)
    shared = len(ours & theirs)
    return max(len(ours), len(theirs)) - shared > max(_MOST_CHANGED, shared)


def _reason(ours: Tokens, theirs: Tokens, left: Statement, right: Statement, cosine: float | None) -> str | None:
    own = left.language
    ours, theirs = fused(ours, theirs)
    found = aligned(ours, theirs, own.name, near=False)
    if found is not None and strict.allows(found, ours, theirs, own):
        return _told(found, ours, theirs, left.small == right.small)
    if cosine is None or left.personal or right.personal:
        return None
    found = aligned(ours, theirs, own.name, near=True)
    if found is not None and loose.allows(found, ours, theirs, own, cosine):
        return _told(found, ours, theirs, left.small == right.small)
    return None


def _told(found: Alignment, ours: Tokens, theirs: Tokens, small_alike: bool) -> str:
    changed = [_pair(ours[match.left], theirs[match.right]) for match in found.matches if match.kind != SAME]
    extra = [*(ours[at] for at in found.only_left), *(theirs[at] for at in found.only_right)]
    told = [*changed, *(_quoted(token) for token in extra)]
    if told:
        return "the same but for " + ", ".join(told)
    return _SAME_WORDS if small_alike else _SMALL_WORDS


def _pair(ours: Token, theirs: Token) -> str:
    return f"{_quoted(ours)} / {_quoted(theirs)}"


def _quoted(token: Token) -> str:
    return f"'{token.text.replace('_', ' ')}'"
