"""The one question: do two texts say the same, and in what do they differ if so?"""

import functools
import re

from commonplace.duplicates import loose, strict
from commonplace.duplicates.alignment import Alignment, aligned
from commonplace.duplicates.compounds import fused
from commonplace.duplicates.meaning import SAME
from commonplace.duplicates.moves import MOVED, with_moves
from commonplace.duplicates.order import Tokens, orders
from commonplace.duplicates.scanner import plain
from commonplace.duplicates.statement import Statement, Token
from commonplace.duplicates.tongues import UNSPACED, language_of
from commonplace.duplicates.unspaced import alike
from commonplace.duplicates.versions import report, statements, turned

_SAME_WORDS = "the same words"
_OTHER_WORDS = "the same in other words"
_OTHER_ORDER = "the same words in another order"
_SMALL_WORDS = "the same but for small words"
_WHO_TELLS = "the same but for who tells it"
_ALIKE = (SAME, MOVED)
_MOST_CHANGED = 4
_LONG, _LEAST_SHARED = 12, 0.4
_NO_COSINE_OF_ONE = 0.55  # of 629 pairs that were found to say the same, one was below, and most cost no reading then
_LEAST_COSINE = 0.7
"""Below it, who tells something may be what it is about."""


def same_statement(first: str, second: str, cosine: float | None) -> str | None:
    """Why two memories of one user may be merged, in words; None where they may not.

    `cosine` is that of their static embeddings, or None where one has no vector: then only the words count.
    The answer is None or not whichever text comes first.
    """
    one, other = sorted((plain(first), plain(second)))
    if one == other:
        return _SAME_WORDS
    name = language_of(one, other)
    if name == UNSPACED:
        return _SAME_WORDS if alike(one, other) else None
    if _strangers(one, other) or (cosine is not None and cosine < _NO_COSINE_OF_ONE):
        return None
    reason = (
        _judged(statements(one, name), statements(other, name), cosine)
        or _reported(one, other, name, cosine)
        or _acted(one, other, name, cosine)
    )
    return _OTHER_WORDS if reason == _SAME_WORDS and _bare_words(one) != _bare_words(other) else reason


def _judged(lefts: tuple[Statement, ...], rights: tuple[Statement, ...], cosine: float | None) -> str | None:
    """Compares them word by word, then phrase by phrase."""
    left, right = lefts[0], rights[0]
    one_and_many = left.number and right.number and left.number.isdisjoint(right.number)
    if left.question != right.question or one_and_many or not left.tokens or _far_apart(left, right):
        return None
    reason = _compared(left, right, cosine)
    if reason is None and len(lefts) + len(rights) > len((left, right)):
        reason = _compared(lefts[-1], rights[-1], cosine)
    return reason


def _reported(one: str, other: str, name: str, cosine: float | None) -> str | None:
    """The same of texts about third things that name a source of what they tell, in another place, or not both."""
    ours, theirs = report(one, name), report(other, name)
    if not (ours or theirs) or cosine is None or cosine < _LEAST_COSINE:
        return None
    lefts, rights = ours.whole if ours else statements(one, name), theirs.whole if theirs else statements(other, name)
    if lefts[0].personal or rights[0].personal:
        return None
    if ours and theirs:
        return _judged(lefts, rights, cosine)
    heading = ours.heading if ours else theirs.heading if theirs else frozenset()
    lefts, rights = ours.told if ours else lefts, theirs.told if theirs else rights
    if not heading <= {*lefts[0].texts, *rights[0].texts}:
        return None
    return _WHO_TELLS if _judged(lefts, rights, cosine) and not (lefts[0].personal or rights[0].personal) else None


def _acted(one: str, other: str, name: str, cosine: float | None) -> str | None:
    """The same of a text in the passive and one in the active."""
    ours, theirs = turned(one, name), turned(other, name)
    if bool(ours) == bool(theirs):
        return None
    reason = _judged(ours or statements(one, name), theirs or statements(other, name), cosine)
    return _OTHER_WORDS if reason == _SAME_WORDS else reason


def _strangers(one: str, other: str) -> bool:
    """Whether two longer texts share so few words that reading them is not worth the time."""
    ours, theirs = _bare_words(one), _bare_words(other)
    longer = max(len(ours), len(theirs))
    return longer >= _LONG and len(ours & theirs) < _LEAST_SHARED * longer


@functools.lru_cache(maxsize=512)
def _bare_words(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"\w+", text.lower()))


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
    found = aligned(ours, theirs, own.name)
    if found is None:
        return None
    moved = with_moves(found, ours, theirs, own, wide=False)
    allowed = strict.allows(moved, ours, theirs, own)
    if not allowed and cosine is not None and own.words["personal"] and not (left.personal or right.personal):
        moved = with_moves(found, ours, theirs, own, wide=True)
        allowed = loose.allows(moved, ours, theirs, own, cosine)
    return _told(moved, ours, theirs, left.small == right.small) if allowed else None


def _told(found: Alignment, ours: Tokens, theirs: Tokens, small_alike: bool) -> str:
    changed = [_pair(ours[match.left], theirs[match.right]) for match in found.matches if match.kind not in _ALIKE]
    extra = [*(ours[at] for at in found.only_left), *(theirs[at] for at in found.only_right)]
    told = [*changed, *(_quoted(token) for token in extra)]
    if told:
        return "the same but for " + ", ".join(told)
    return _SAME_WORDS if small_alike else _SMALL_WORDS


def _pair(ours: Token, theirs: Token) -> str:
    return f"{_quoted(ours)} / {_quoted(theirs)}"


def _quoted(token: Token) -> str:
    return f"'{token.text.replace('_', ' ')}'"
