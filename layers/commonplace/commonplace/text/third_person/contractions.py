"""Whether a word carries a contracted verb ("he's", "my partner's vegan") or a possessive ("my partner's car")."""

from collections.abc import Sequence

from commonplace.text.foundation.english import (
    is_adjective,
    is_auxiliary,
    is_describing,
    is_ing_form,
    is_noun,
    is_participle,
    is_plural,
    table,
)
from commonplace.text.foundation.numbers import cardinals
from commonplace.text.third_person.openings import adverb_length
from commonplace.text.third_person.tokens import Token


def carries_verb(sentence: Sequence[Token], at: int) -> bool:
    """True if the word at `at` ends in a contracted verb that is no negation."""
    head, mark, tail = sentence[at].low.rpartition("'")
    if not mark or not sentence[at].is_word or tail not in table("auxiliaries.clipped"):
        return False
    if tail != "s" or head in table("people.contracting"):
        return True
    if at + 1 >= len(sentence) or not sentence[at + 1].is_word or head in table("people.degrees"):
        return False
    if sentence[at + 1].capital and _ends_phrase(sentence, at + 2):
        # "My name's Tom and I ...", "my colleague's Polish"; a thing ("my wife's Toyota and I") keeps no company
        return True
    return _is_predicate(sentence, at + 1)


def _is_predicate(sentence: Sequence[Token], at: int) -> bool:
    """True for what follows "is" or "has" and no possessive: "a vet", "in Rome", "getting", "been", "old", "70"."""
    word = sentence[at].low
    if word in table("function.determiners") or word in table("function.prepositions") or is_auxiliary(word):
        return True
    if word in table("people.singular") or word in table("people.plural"):
        return False
    if adverb_length(sentence, at) and not is_adjective(word):
        return True
    if is_ing_form(word):
        return not (is_noun(word) and _ends_phrase(sentence, at + 1))
    counted = word.isdigit() or word in cardinals("en")
    told = counted or word in table("bare.is") or word in table("people.states") or is_participle(word)
    return (told or is_describing(word)) and not _is_noun_at(sentence, at + 1)


def _ends_phrase(sentence: Sequence[Token], at: int) -> bool:
    """'My mother's cooking is great', '... and I': what follows cannot be an object."""
    if at >= len(sentence) or not sentence[at].is_word:
        return True
    word = sentence[at].low
    return word in table("function.conjunctions") or is_auxiliary(word) or word in table("auxiliaries.others")


def _is_noun_at(sentence: Sequence[Token], at: int) -> bool:
    """True if a noun follows, adjectives apart: 'old red car'."""
    while at < len(sentence) and sentence[at].is_word and is_adjective(sentence[at].low) and not is_noun(sentence[at].low):
        at += 1
    if at >= len(sentence) or not sentence[at].is_word:
        return False
    word = sentence[at].low
    grammar = ("function.prepositions", "function.conjunctions", "function.determiners", "function.subordinators")
    if any(word in table(name) for name in grammar) or word in table("times.plural"):
        return False
    return is_noun(word) or is_plural(word) or sentence[at].capital
