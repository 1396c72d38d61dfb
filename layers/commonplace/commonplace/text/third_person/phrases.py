"""Noun phrases that can name the speaker's companions, and whether a place is the one of a subject or of an object."""

from collections.abc import Sequence

from commonplace.text.foundation.english import (
    is_adjective,
    is_auxiliary,
    is_base,
    is_everyday_s_form,
    is_known,
    is_noun,
    is_past,
    is_plural,
    is_s_form,
    table,
)
from commonplace.text.third_person.contractions import carries_verb
from commonplace.text.third_person.openings import adverb_length
from commonplace.text.third_person.tokens import Token

REACH = 6
_CLAUSE_REACH = 12


def noun_phrase_start(sentence: Sequence[Token], end: int) -> int | None:
    """Where the companion that ends just before `end` begins ('my older brother', 'Anna'), or None if none ends there."""
    for start in range(end - 1, max(-1, end - REACH), -1):
        token = sentence[start]
        if not token.is_word:
            return None
        if start == end - 1 and token.low in ("he", "she"):
            return start
        if token.low in ("my", "our", "the", "his", "her") and start < end - 1:
            return start if _is_companion(sentence[start + 1 : end]) else None
        if start == end - 1 and _is_named(sentence, start):
            first = start
            while first and sentence[first - 1].capital and _is_named(sentence, first - 1):
                first -= 1
            if not first or not sentence[first - 1].is_word or _opens_clause(sentence[first - 1].low):
                return first
    return None


def _opens_clause(word: str) -> bool:
    tables = ("function.subordinators", "function.conjunctions", "times.names", "verbs.claims", "verbs.claiming")
    return any(word in table(name) for name in tables)


def _is_named(sentence: Sequence[Token], at: int) -> bool:
    """A bare name or "mom"; at the start of a sentence only a word that is nothing else."""
    word = sentence[at]
    if word.low in table("function.alone"):
        return False
    if word.low in table("people.singular"):
        return True
    if not word.capital or word.low in table("times.names") or word.low in table("function.subordinators"):
        return False
    return at > 0 or not is_known(word.low) or not (is_past(word.low) or word.low in table("adverbs.single"))


def _is_companion(words: Sequence[Token]) -> bool:
    """For the words after a determiner: True for 'older brother', 'friend Tom', 'wife', False for 'dad cooks'."""
    last = words[-1]
    if any(_rules_out(words, at) for at in range(len(words))):
        return False
    if len(words) == 1 or last.low in table("people.singular") or last.low in table("people.plural") or last.capital:
        return not (len(words) > 1 and is_past(words[-2].low) and words[-2].low not in ("used", "retired", "estranged"))
    if is_past(last.low) or (is_s_form(last.low) and not is_plural(words[-2].low)):
        return False
    return not (is_base(last.low) and (is_plural(words[-2].low) or words[-2].low in table("people.singular")))


def _rules_out(words: Sequence[Token], at: int) -> bool:
    """True if the word shows that this is a clause and not a noun phrase: 'dad cooks', 'kids love me', 'wife's ill'."""
    word, before = words[at].low, words[at - 1].low if at else ""
    tables = ("auxiliaries.others", "function.alone", "function.noun_openers")
    if is_auxiliary(word) or any(word in table(name) for name in tables):
        return True
    if before and is_past(word) and (word in table("verbs.past") or (is_noun(before) and not is_adjective(before))):
        return word not in ("used", "left")
    if before and word in table("function.prepositions") and not is_person(words[:at]):
        return True
    if "'" in word:
        return not (word.endswith("'s") and at + 1 < len(words)) or carries_verb(words, at)
    people = word in table("people.singular") or word in table("people.plural")
    return bool(before) and (is_everyday_s_form(word) or (is_plural(before) and is_base(word) and not people))


def noun_phrase_end(sentence: Sequence[Token], at: int) -> int | None:
    """Where the noun phrase that begins at `at` ends, or None if none begins there."""
    token = sentence[at] if at < len(sentence) else None
    if token is None or not token.is_word:
        return None
    if token.low not in ("my", "our", "the", "his", "her", "a", "another"):
        named = token.low in table("people.singular") or (token.capital and not is_auxiliary(token.low))
        named = named and token.low not in table("function.alone")
        return at + 1 if named else None
    people = table("people.singular") | table("people.plural")
    ends = [end for end in range(at + 2, at + REACH) if end <= len(sentence) and sentence[end - 1].low in people]
    end = ends[0] if ends else at + 2
    while end < len(sentence) and sentence[end].is_word and sentence[end].capital:
        end += 1
    return end


def is_person(words: Sequence[Token]) -> bool:
    """True for the phrase of a person, a group or a pet, False for a thing ('the sea')."""
    last = words[-1]
    people = table("people.singular") | table("people.plural") | table("people.company")
    return last.low in people or last.low in ("he", "she") or last.capital or any(word.low in people for word in words)


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
    return any(stem in alone or stem in table("verbs.complete") for stem in stems)


def _clause_begin(sentence: Sequence[Token], start: int) -> int:
    opening = table("function.subordinators") | {"and", "but", "so", "then"}
    for at in range(start - 1, max(-1, start - _CLAUSE_REACH), -1):
        if not sentence[at].is_word or sentence[at].low in opening:
            return at + 1
    return max(0, start - _CLAUSE_REACH + 1)


def _is_verb(sentence: Sequence[Token], at: int, begin: int) -> bool:
    """True for a finite verb of the clause that begins at `begin`, for its pronoun, and for "to"."""
    word = sentence[at].low
    if carries_verb(sentence, at):
        return True
    if word in table("function.subjects") or is_auxiliary(word) or is_past(word) or word in ("is", "are", "to"):
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
