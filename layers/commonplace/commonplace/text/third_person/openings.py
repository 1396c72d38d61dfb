"""What stands before a statement and is no part of it ("oh btw,"), and what may stand between subject and verb ("sadly")."""

from collections.abc import Sequence
from functools import cache

from commonplace.text.foundation.english import (
    is_adjective,
    is_auxiliary,
    is_base,
    is_everyday_s_form,
    is_finite,
    is_noun,
    table,
)
from commonplace.text.third_person.tokens import Kind, Token

_PARENTHESIS_REACH = 9
_PHRASE_REACH = 6

_PAUSES = frozenset((",", "!", "...", "…", "—", "–", "-", ":", ".", "--"))
_VERB_REACH = 8


def adverb_length(sentence: Sequence[Token], at: int) -> int:
    """Number of adverb tokens at `at`, a single word or a phrase: 'really' 1, 'every now and then' 4, else 0."""
    if at >= len(sentence) or not sentence[at].is_word:
        return 0
    if sentence[at].low.isdigit() and at + 1 < len(sentence) and sentence[at + 1].text == "%":
        return 2
    for length in (5, 4, 3, 2):
        if " ".join(token.low for token in sentence[at : at + length]) in table("adverbs.phrases"):
            return length
    word = sentence[at].low
    if word in table("adverbs.single"):
        return 1
    adverb = word.endswith("ly") and len(word) > 4 and word.isalpha()
    return 1 if adverb and not (is_base(word) or is_noun(word) or is_adjective(word)) else 0


def aside_length(sentence: Sequence[Token], at: int) -> int:
    """Number of tokens at `at`, behind "I", that come before its verb; 0 if the verb or something else is there."""
    if at >= len(sentence):
        return 0
    if not sentence[at].is_word:
        return _parenthesis_length(sentence, at)
    return adverb_length(sentence, at) or _role_length(sentence, at)


def _parenthesis_length(sentence: Sequence[Token], at: int) -> int:
    opening = sentence[at].text
    if opening not in (",", "(", "-", "–", "—"):
        return 0
    closing = ")" if opening == "(" else opening
    for end in range(at + 1, min(len(sentence), at + _PARENTHESIS_REACH)):
        if sentence[end].text == closing:
            return end + 1 - at if stands_as_verb(sentence, end + 1) else 0
    return 0


def _role_length(sentence: Sequence[Token], at: int) -> int:
    """'as a nurse', 'as the oldest child'"""
    if sentence[at].low != "as" or at + 1 >= len(sentence):
        return 0
    noun = at + 2 if sentence[at + 1].low in table("function.determiners") else at + 1
    reach = range(noun + 1, min(len(sentence), at + _PHRASE_REACH))
    return next((end - at for end in reach if stands_as_verb(sentence, end)), 0)


def stands_as_verb(sentence: Sequence[Token], at: int) -> bool:
    """True if a verb that could be the speaker's stands at `at`, adverbs apart."""
    at += adverb_length(sentence, at)
    word = sentence[at].low if at < len(sentence) else ""
    return is_finite(word)


def stands_alone(sentence: Sequence[Token], at: int) -> bool:
    """'but I did.': an auxiliary that stands for a whole predicate needs its subject."""
    after = sentence[at + 1] if at + 1 < len(sentence) else None
    return is_auxiliary(sentence[at].low) and (after is None or not after.is_word)


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
    return token.is_word and token.low in table("speaker.signs")


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
