"""Find the subjects that the speaker shares with others ("my wife and I", "Anna and I"), and the noun phrases in them."""

from collections.abc import Sequence
from dataclasses import replace

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
from commonplace.text.third_person.tokens import Kind, Token, adverb_length, carries_verb, stands_as_verb

REACH = 6
_CLAUSE_REACH = 12


def noun_phrase_start(sentence: Sequence[Token], end: int) -> int | None:
    """Return the start of the companion that ends just before `end` ("my older brother", "Anna"), or None."""
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
    """Return whether a clause may begin after the word."""
    tables = ("function.subordinators", "function.conjunctions", "times.names", "verbs.claims", "verbs.claiming")
    return any(word in table(name) for name in tables)


def _is_named(sentence: Sequence[Token], at: int) -> bool:
    """Return whether the word at `at` names a person ("Anna", "mom"). At the start, a capitalized verb or adverb doesn't."""
    word = sentence[at]
    if word.low in table("function.alone"):
        return False
    if word.low in table("people.singular"):
        return True
    if not word.capital or word.low in table("times.names") or word.low in table("function.subordinators"):
        return False
    return at > 0 or not is_known(word.low) or not (is_past(word.low) or word.low in table("adverbs.single"))


def _is_companion(words: Sequence[Token]) -> bool:
    """Return whether the words after a determiner refer to a companion ("older brother", "wife", but not "dad cooks")."""
    last = words[-1]
    if any(_rules_out(words, at) for at in range(len(words))):
        return False
    if len(words) == 1 or last.low in table("people.singular") or last.low in table("people.plural") or last.capital:
        return not (len(words) > 1 and is_past(words[-2].low) and words[-2].low not in ("used", "retired", "estranged"))
    if is_past(last.low) or (is_s_form(last.low) and not is_plural(words[-2].low)):
        return False
    return not (is_base(last.low) and (is_plural(words[-2].low) or words[-2].low in table("people.singular")))


def _rules_out(words: Sequence[Token], at: int) -> bool:
    """Return whether a word shows that the words are a clause rather than a noun phrase ("dad cooks", "wife's ill")."""
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
    """Return the end of the noun phrase that begins at `at`, or None."""
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
    return end if end <= len(sentence) else None


def is_person(words: Sequence[Token]) -> bool:
    """Return whether a phrase refers to a person, a group or a pet rather than a thing ("the sea")."""
    last = words[-1]
    people = table("people.singular") | table("people.plural") | table("people.company")
    return last.low in people or last.low in ("he", "she") or last.capital or any(word.low in people for word in words)


def is_subject_place(sentence: Sequence[Token], start: int, person: bool, claimed: bool = True) -> bool:
    """Return whether the phrase at `start` can be a subject. No verb or preposition may precede it in its clause.

    If it is unclear whether an earlier word is a verb ("the flat my wife and I rent", "the app tracks the steps and I"), the
    phrase must be a `person`. `claimed` is True if a verb like "know" just before the phrase begins a new clause.
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
    """Return whether the verb before the phrase has no object ("when we travel my wife and I", "should my wife and I")."""
    verb = sentence[start - 1].low
    if start == begin + 1 and verb != "have" and is_auxiliary(verb):
        return True
    if not begin or sentence[begin - 1].low not in table("function.subordinators"):
        return False
    alone = table("verbs.intransitive") if sentence[start].low in ("my", "our") else frozenset(("travel",))
    stems = (verb, verb.removesuffix("s"), verb.removesuffix("ed"))
    return any(stem in alone or stem in table("verbs.complete") for stem in stems)


def _clause_begin(sentence: Sequence[Token], start: int) -> int:
    """Return the start of the clause that contains `start`."""
    opening = table("function.subordinators") | {"and", "but", "so", "then"}
    for at in range(start - 1, max(-1, start - _CLAUSE_REACH), -1):
        if not sentence[at].is_word or sentence[at].low in opening:
            return at + 1
    return max(0, start - _CLAUSE_REACH + 1)


def _is_verb(sentence: Sequence[Token], at: int, begin: int) -> bool:
    """Return whether the word is a finite verb in the clause that begins at `begin`, its pronoun, or "to"."""
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
    """Return whether the words before the phrase are an adverbial ("on Sundays", "sometimes", "after dinner")."""
    first, last, opening = sentence[begin].low, sentence[start - 1].low, sentence[begin - 1].low if begin else ""
    if first in table("function.prepositions") or first in ("unlike", "despite", "both", "all", "yes"):
        return True
    times = table("times.nouns") | table("times.plural") | table("times.names")
    prepositional = opening in ("before", "after", "since", "until", "as", "because")
    return prepositional or last in times or begin + adverb_length(sentence, begin) == start


_ASIDE_REACH = 12


def speaker_first(sentence: list[Token]) -> list[Token]:
    """Move each "I" before its companions and mark it as joined, so that "My wife and I" becomes "I and my wife"."""
    at = 0
    while at < len(sentence):
        if sentence[at].is_word and sentence[at].low in table("speaker.self"):
            sentence, at = _ordered(sentence, at)
        at += 1
    return sentence


def _ordered(sentence: list[Token], at: int) -> tuple[list[Token], int]:
    """Return the sentence with the "I" at `at` moved before its companions, and the position at which to continue."""
    if _joins(sentence, at - 1) and not _agrees_alone(sentence, at):
        described = _described_start(sentence, at)
        if described is not None:
            return _swapped(sentence, described, at, described=True), at
        starts = _companions_starts(sentence, at - 1)
        if starts and sentence[at].low != "i":
            return _swapped(sentence, starts[-1], at), at
        start = _subject_start(sentence, starts, at)
        if start is not None:
            return _swapped(sentence, start, at), at
    elif _joins(sentence, at + 1) and is_subject_place(sentence, at, person=True):
        end = noun_phrase_end(sentence, at + 2)
        if end:
            sentence[at] = Token(sentence[at].gap, "I", joined=end - at - 1)
    return sentence, at


def _agrees_alone(sentence: Sequence[Token], at: int) -> bool:
    """Return whether the verb after "I" is singular ("my name's Tom and I am a nurse"). Then "I" has no companions."""
    verb = at + 1 + adverb_length(sentence, at + 1)
    return verb < len(sentence) and sentence[verb].low in table("auxiliaries.of_one")


def _joins(sentence: Sequence[Token], at: int) -> bool:
    """Return whether the word at `at` is an "and" between two words."""
    return 0 < at < len(sentence) - 1 and sentence[at].low in table("function.joiners")


def _subject_start(sentence: Sequence[Token], starts: Sequence[int], at: int) -> int | None:
    """Return the start of the companions of the "I" at `at`, or None. `starts` has the shortest run of companions first."""
    for index in range(len(starts) - 1, -1, -1):
        start, stop = starts[index], (starts[index - 1] if index else at) - 1
        person = is_person(sentence[start:stop])
        if index < len(starts) - 1 and not person:
            return None
        claimed = at + 1 < len(sentence) and is_auxiliary(sentence[at + 1].low)
        if is_subject_place(sentence, start, person, claimed):
            return start
        if person:
            # in "I love my wife and my kids and I love my job", "my kids" is another object
            return None
    return None


def _described_start(sentence: Sequence[Token], at: int) -> int | None:
    """Return the start of a phrase like "my wife, who is a vet, and I" that ends at the "I", or None."""
    if at < 4 or sentence[at - 2].text != "," or not stands_as_verb(sentence, at + 1):
        return None
    for comma in range(at - 3, max(0, at - _ASIDE_REACH), -1):
        if sentence[comma].low in ("i", "we"):
            return None
        if sentence[comma].text == ",":
            start = noun_phrase_start(sentence, comma) if sentence[comma + 1].low in ("who", "whose", "a", "an") else None
            subject = start is not None and is_subject_place(sentence, start, person=False)
            return start if subject else None
    return None


def _swapped(sentence: list[Token], start: int, at: int, described: bool = False) -> list[Token]:
    """Return the sentence with the "I" moved to `start`. "My wife, my son and I" becomes "I, my wife and my son"."""
    companions, joiner = sentence[start : at - 1], sentence[at - 1]
    subject = is_subject_place(sentence, start, person=True)
    gap = companions[0].gap
    lowered = companions[0].low if companions[0].low in ("the", "he", "she", "his", "her") else companions[0].text
    companions[0] = replace(companions[0], gap=" ", text=lowered)
    commas = [index for index, token in enumerate(companions) if token.text == "," and index < len(companions) - 1]
    if companions[-1].text == "," and not described:
        companions = companions[:-1]
    if commas and not described:
        companions = [*companions[: commas[-1]], joiner, *companions[commas[-1] + 1 :]]
        middle = [Token("", ","), *companions]
        middle[0].kind = Kind.MARK
    else:
        middle = [joiner, *companions]
    first = Token(gap, "I", joined=len(middle)) if subject else Token(gap, "me")
    return [*sentence[:start], first, *middle, *sentence[at + 1 :]]


def _companions_starts(sentence: Sequence[Token], end: int) -> list[int]:
    """Return the starts of the joined noun phrases before `end`, last one first, or an empty list if there are none."""
    starts: list[int] = []
    stop = _before_bracket(sentence, end - 1 if sentence[end - 1].text == "," else end)
    while stop > 0:
        begin = noun_phrase_start(sentence, stop)
        if begin is None:
            break
        starts.append(begin)
        if begin < 2 or sentence[begin - 1].low not in (",", *table("function.joiners")):
            break
        stop = begin - 1
    return starts


def _before_bracket(sentence: Sequence[Token], end: int) -> int:
    """Return the end of the words before a bracket that ends at `end` ("my husband (Jorge)"), or otherwise `end`."""
    if sentence[end - 1].text != ")":
        return end
    return next((at for at in range(end - 2, max(0, end - REACH), -1) if sentence[at].text == "("), end)
