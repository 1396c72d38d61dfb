"""What stands before a statement and is no part of it: "well,", "oh btw", "remember that", "can you note that"."""

from collections.abc import Sequence
from functools import cache

from .tokens import Kind, Token
from .verbs import is_auxiliary, is_everyday_s_form
from .words import table

_SPEAKER = frozenset("i i'm im i've ive i'd i'll my me we we're we've our mine myself i'am iam".split())
_PAUSES = frozenset((",", "!", "...", "…", "—", "–", "-", ":", ".", "--"))
_VERB_REACH = 8


@cache
def _openings(name: str) -> dict[str, list[list[str]]]:
    """first word -> phrases that begin with it, the longest first."""
    phrases: dict[str, list[list[str]]] = {}
    for phrase in sorted(table(name), key=len, reverse=True):
        phrases.setdefault(phrase.split()[0], []).append(phrase.split())
    return phrases


def _matched(tokens: Sequence[Token], at: int, name: str) -> int:
    """Number of tokens of the longest phrase of the table that stands at `at`, or 0."""
    if at >= len(tokens):
        return 0
    for phrase in _openings(name).get(tokens[at].low, ()):
        if [token.low for token in tokens[at : at + len(phrase)]] == phrase:
            return len(phrase)
    return 0


def speaks(token: Token) -> bool:
    """True for a word of the first person."""
    return token.is_word and (token.low in _SPEAKER or token.low in ("us", "ours", "ourselves", "we'll", "we'd"))


def filler_length(tokens: Sequence[Token]) -> int:
    """Number of tokens at the start that may go: 'so yeah,' 3, 'hi Claude!' 3."""
    at = 0
    while step := _filler_step(tokens, at):
        at += step
    return at


def _filler_step(tokens: Sequence[Token], at: int) -> int:
    length = _matched(tokens, at, "openings.fillers")
    if not length:
        return 0
    end = at + length
    glued = _matched(tokens, at, "openings.glued") == length
    if end < len(tokens) and tokens[end].text in _PAUSES:
        return _past_pauses(tokens, end) - at
    greeted = _matched(tokens, at, "openings.greetings") == length
    if greeted and end + 1 < len(tokens) and tokens[end].is_word and tokens[end + 1].text in (",", "!", "."):
        return 0 if speaks(tokens[end]) else _past_pauses(tokens, end + 1) - at
    following = tokens[end] if end < len(tokens) else None
    if glued and following is not None and (speaks(following) or _matched(tokens, end, "openings.fillers")):
        return length
    return 0


def _past_pauses(tokens: Sequence[Token], at: int) -> int:
    while at < len(tokens) and tokens[at].kind is Kind.MARK and not tokens[at].text.isalnum():
        at += 1
    return at


def reminder_length(tokens: Sequence[Token]) -> int:
    """Number of tokens of 'remember that' and the like, if a statement of the speaker follows; else 0."""
    length = _matched(tokens, 0, "openings.reminders") or _matched(tokens, 0, "openings.polite")
    if not length:
        return 0
    at = length
    if at < len(tokens) and tokens[at].low == "that":
        at += 1
        return at if any(speaks(token) for token in tokens[at:]) and _has_verb(tokens, at) else 0
    if at < len(tokens) and tokens[at].text in (":", ",", "-", "—", "–"):
        at += 1
    if at < len(tokens) and speaks(tokens[at]) and tokens[at].low not in ("me", "us") and _has_verb(tokens, at):
        return at
    return 0


def asks_politely(tokens: Sequence[Token]) -> bool:
    return bool(_matched(tokens, 0, "openings.polite"))


def _has_verb(tokens: Sequence[Token], at: int) -> bool:
    """'Remember my birthday is in May' says something, 'remember my birthday' asks for something."""
    if tokens[at].low in ("i", "we") or "'" in tokens[at].low or tokens[at].low in ("im", "ive", "iam"):
        return True
    finite = table("auxiliaries.others")
    return any(
        is_auxiliary(token.low) or token.low in finite or is_everyday_s_form(token.low) or speaks(token)
        for token in tokens[at + 1 : at + _VERB_REACH]
    )
