"""Whether a place in a sentence is the one of a subject, or the one of an object behind its verb."""

from collections.abc import Sequence

from .asides import adverb_length
from .tokens import Token
from .verbs import is_auxiliary, is_base, is_everyday_s_form, is_past, is_plural, is_s_form
from .words import table

_CLAUSE_REACH = 12
_PRONOUNS = frozenset(("i", "we", "he", "she", "they", "it", "you"))


def is_subject_place(sentence: Sequence[Token], start: int, person: bool, claimed: bool = True) -> bool:
    """True if the phrase at `start` can be a subject: its clause has no verb and no preposition before it.

    Where the words before it are no verb for sure ("the flat my wife and I rent", "the app tracks the steps and I"),
    it must be a `person`. `claimed`: a verb like "know" right before it opens a clause of its own.
    """
    if start and sentence[start - 1].low in table("function.prepositions") - table("function.subordinators"):
        return False
    begin = _clause_begin(sentence, start)
    if begin == start:
        return True
    before = sentence[start - 1].low
    if before in table("verbs.claims") | table("verbs.claiming") and (claimed or before not in table("verbs.knowing")):
        return person
    if person and _ends_clause(sentence, begin, start):
        return True
    if any(_is_verb(sentence, at, begin) for at in range(begin, start)):
        return False
    return person or _is_adjunct(sentence, begin, start)


def _ends_clause(sentence: Sequence[Token], begin: int, start: int) -> bool:
    """'When we travel my wife and I ...', 'should my wife and I ...': a verb whose object the phrase is not."""
    verb = sentence[start - 1].low
    if start == begin + 1 and verb != "have" and is_auxiliary(verb):
        return True
    if not begin or sentence[begin - 1].low not in table("function.subordinators"):
        return False
    alone = table("verbs.intransitive") if sentence[start].low in ("my", "our") else frozenset(("travel",))
    stems = (verb, verb.removesuffix("s"), verb.removesuffix("ed"))
    return any(stem in alone or stem in ("come", "came", "rain", "snow", "slept") for stem in stems)


def _clause_begin(sentence: Sequence[Token], start: int) -> int:
    opening = table("function.subordinators") | {"and", "but", "so", "then"}
    for at in range(start - 1, max(-1, start - _CLAUSE_REACH), -1):
        if not sentence[at].is_word or sentence[at].low in opening:
            return at + 1
    return max(0, start - _CLAUSE_REACH + 1)


def _is_verb(sentence: Sequence[Token], at: int, begin: int) -> bool:
    """True for a finite verb of the clause that begins at `begin`, for its pronoun, and for "to"."""
    word = sentence[at].low
    if word in _PRONOUNS or is_auxiliary(word) or is_past(word) or word in ("is", "are", "to"):
        return True
    if word in table("times.plural") or word in table("times.nouns"):
        return False
    before = sentence[at - 1] if at > begin else None
    if before is None or before.low in table("function.determiners") | table("function.prepositions"):
        return before is None and is_base(word) and word in table("verbs.transitive") | table("verbs.states")
    if is_s_form(word):
        return is_everyday_s_form(word) or before.low in table("people.singular") or before.capital
    several = before.low in table("people.plural") or is_plural(before.low)
    return is_base(word) and (several or word in table("verbs.transitive") | table("verbs.states"))


def _is_adjunct(sentence: Sequence[Token], begin: int, start: int) -> bool:
    """'On Sundays', 'last year', 'sometimes', 'after dinner': what stands before a subject."""
    first, last, opening = sentence[begin].low, sentence[start - 1].low, sentence[begin - 1].low if begin else ""
    if first in table("function.prepositions") or first in ("unlike", "despite", "both", "all", "yes"):
        return True
    times = table("times.nouns") | table("times.plural") | table("times.names")
    prepositional = opening in ("before", "after", "since", "until", "as", "because")
    return prepositional or last in times or begin + adverb_length(sentence, begin) == start
