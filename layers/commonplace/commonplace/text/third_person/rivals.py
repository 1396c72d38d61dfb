"""Who else is in a sentence: rivals for the word "they", and verbs of another subject than the speaker."""

from collections.abc import Sequence

from commonplace.text.foundation.english import (
    everyday_verbs,
    is_base,
    is_everyday_s_form,
    is_modal,
    is_noun,
    is_past,
    is_plural,
    is_s_form,
    table,
)
from commonplace.text.third_person.contractions import carries_verb
from commonplace.text.third_person.tokens import Token

NO_RIVAL, ONE_PERSON, SEVERAL = 0, 1, 2


def rival_rank(sentence: Sequence[Token], at: int) -> int:
    """How strongly this word could be meant by a later "they": not at all, as one person, as several."""
    token = sentence[at]
    if not token.is_word or token.low in table("times.plural") or token.low in table("times.names"):
        return NO_RIVAL
    word = token.low.removesuffix("'s")
    if word in table("people.plural"):
        return SEVERAL
    if word in table("people.singular") or word in table("people.pronouns"):
        return ONE_PERSON
    if is_plural(word) and not _stands_as_verb(sentence, at):
        return SEVERAL
    return ONE_PERSON if _is_other_name(sentence, at) else NO_RIVAL


def _stands_as_verb(sentence: Sequence[Token], at: int) -> bool:
    before = sentence[at - 1].low if at else ""
    return is_s_form(sentence[at].low) and before in table("function.nominatives") | table("people.singular")


def _is_other_name(sentence: Sequence[Token], at: int) -> bool:
    token = sentence[at]
    if at == 0 or not token.capital or token.text.isupper() or not token.text.isalpha():
        return False
    if token.low.endswith(("ish", "ese", "ian")) or token.low in table("function.determiners"):
        return False
    before = sentence[at - 1]
    if before.capital and at > 1:
        return False
    place = before.low in table("function.place_prepositions")
    moved = before.low == "to" and at > 1 and sentence[at - 2].low in table("verbs.motion")
    introduced = before.low in table("people.introduced") | {"-", ":"}
    return before.is_word and not (place or moved or introduced)


def takes_over(sentence: Sequence[Token], at: int) -> bool:
    """True if this word is the finite verb of a subject that is not the speaker."""
    token = sentence[at]
    before = sentence[at - 1] if at else None
    if token.low in table("auxiliaries.others") or token.low in ("were", "weren't"):
        return True
    if "'" in token.low:
        return carries_verb(sentence, at)
    if before is None or not before.is_word:
        return False
    if is_modal(token.low):
        return True
    person = before.low in table("function.nominatives") or before.low in table("people.singular")
    following = sentence[at + 1].low if at + 1 < len(sentence) else ""
    if before.capital and at > 1 and is_everyday_s_form(token.low) and following in table("function.determiners"):
        # "that Tom cleans the house", not "Japanese films"
        return True
    if is_s_form(token.low) and not (is_plural(token.low) and is_noun(before.low) and not person):
        return person or not is_plural(token.low) or _follows_possessed(sentence, at)
    if is_past(token.low):
        return person and before.low not in ("it", "this", "that")
    if before.low in ("people", "they", "who", "you") and is_base(token.low):
        return True
    plural = before.low in ("they", "you", "who", "that", "which", "we") or is_plural(before.low)
    return plural and is_base(token.low) and (not is_noun(token.low) or token.low in everyday_verbs())


def _follows_possessed(sentence: Sequence[Token], at: int) -> bool:
    """'my dog barks': the s-form of a verb right after a possessive and one noun."""
    return at > 1 and sentence[at - 2].low in ("my", "our") and is_noun(sentence[at - 1].low)
