"""What may stand between a subject and its verb: adverbs, ', however,', '(sadly)', 'as a nurse'."""

from collections.abc import Sequence

from .tokens import Token
from .verbs import is_adjective, is_auxiliary, is_base, is_finite, is_noun
from .words import table

_PARENTHESIS_REACH = 9
_PHRASE_REACH = 6


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
