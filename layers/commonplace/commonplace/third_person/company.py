"""The speaker in company as a subject: "my wife and I", "me and my brother", "Anna and I"."""

from collections.abc import Sequence

from .tokens import Kind, Token
from .verbs import is_adjective, is_auxiliary, is_base, is_everyday_s_form, is_known, is_past, is_plural, is_s_form
from .words import table

_REACH = 6
_NO_COMPANIONS = frozenset(("you", "i", "we", "me", "us", "he", "she", "they", "it", "him", "them", "yes", "no"))
_SELVES = frozenset(("i", "me", "myself"))


def speaker_first(sentence: list[Token]) -> list[Token]:
    """The sentence with "I" before its companions and marked as joined: 'my wife and I' -> 'I and my wife'."""
    at = 0
    while at < len(sentence):
        if sentence[at].is_word and sentence[at].low in _SELVES:
            sentence, at = _ordered(sentence, at)
        at += 1
    return sentence


def _ordered(sentence: list[Token], at: int) -> tuple[list[Token], int]:
    """The sentence, with the place to go on from, once the companions around the "I" at `at` are looked at."""
    if _joins(sentence, at - 1):
        start = _companions_start(sentence, at - 1)
        if start is not None and (sentence[at].low != "i" or _is_free(sentence, start)):
            return _swapped(sentence, start, at), at
    elif _joins(sentence, at + 1) and _is_free(sentence, at) and _noun_phrase_end(sentence, at + 2):
        end = _noun_phrase_end(sentence, at + 2) or at + 2
        sentence[at] = Token(sentence[at].gap, "I", joined=end - at - 1)
    return sentence, at


def _joins(sentence: Sequence[Token], at: int) -> bool:
    return 0 < at < len(sentence) - 1 and sentence[at].low in table("function.joiners")


def _swapped(sentence: list[Token], start: int, at: int) -> list[Token]:
    """my wife, my son and I -> I, my wife and my son"""
    others, joiner = sentence[start : at - 1], sentence[at - 1]
    subject = _is_free(sentence, start)
    gap = others[0].gap
    others[0].gap = " "
    commas = [index for index, token in enumerate(others) if token.text == "," and index < len(others) - 1]
    if others[-1].text == ",":
        others = others[:-1]
    if commas:
        others = [*others[: commas[-1]], joiner, *others[commas[-1] + 1 :]]
        middle = [Token("", ","), *others]
        middle[0].kind = Kind.MARK
    else:
        middle = [joiner, *others]
    first = Token(gap, "I", joined=len(middle)) if subject else Token(gap, "me")
    return [*sentence[:start], first, *middle, *sentence[at + 1 :]]


def _companions_start(sentence: Sequence[Token], end: int) -> int | None:
    """Where the noun phrases begin that end just before `end`, or None if something else stands there."""
    start = None
    stop = _before_bracket(sentence, end - 1 if sentence[end - 1].text == "," else end)
    while stop > 0:
        begin = _noun_phrase_start(sentence, stop)
        if begin is None:
            break
        start = begin
        if begin < 2 or sentence[begin - 1].low not in (",", *table("function.joiners")):
            break
        stop = begin - 1
    return start


def _before_bracket(sentence: Sequence[Token], end: int) -> int:
    """'my husband (Jorge)' ends before its bracket."""
    if sentence[end - 1].text != ")":
        return end
    return next((at for at in range(end - 2, max(0, end - _REACH), -1) if sentence[at].text == "("), end)


def _noun_phrase_start(sentence: Sequence[Token], end: int) -> int | None:
    for start in range(end - 1, max(-1, end - _REACH), -1):
        token = sentence[start]
        if not token.is_word:
            return None
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
    tables = ("function.subordinators", "function.conjunctions", "times.names", "verbs.claims")
    return any(word in table(name) for name in tables)


def _is_named(sentence: Sequence[Token], at: int) -> bool:
    """A bare name or "mom"; at the start of a sentence only a word that is nothing else."""
    word = sentence[at]
    if word.low in _NO_COMPANIONS:
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
    if is_auxiliary(word) or word in table("auxiliaries.others") or word in _NO_COMPANIONS:
        return True
    if "'" in word:
        return not (word.endswith("'s") and at + 1 < len(words) and not is_adjective(words[at + 1].low))
    people = word in table("people.singular") or word in table("people.plural")
    return bool(before) and (is_everyday_s_form(word) or (is_plural(before) and is_base(word) and not people))


def _noun_phrase_end(sentence: Sequence[Token], at: int) -> int | None:
    """Where the noun phrase that begins at `at` ends, or None if none begins there."""
    token = sentence[at] if at < len(sentence) else None
    if token is None or not token.is_word:
        return None
    if token.low not in ("my", "our", "the", "his", "her", "a", "another"):
        named = token.low in table("people.singular") or (token.capital and not is_auxiliary(token.low))
        named = named and token.low not in _NO_COMPANIONS
        return at + 1 if named else None
    people = table("people.singular") | table("people.plural")
    ends = [end for end in range(at + 2, at + _REACH) if end <= len(sentence) and sentence[end - 1].low in people]
    end = ends[0] if ends else at + 2
    while end < len(sentence) and sentence[end].is_word and sentence[end].capital:
        end += 1
    return end


def _is_free(sentence: Sequence[Token], start: int) -> bool:
    """True if a subject can stand at `start`: its clause has no verb and no preposition before it."""
    if start and sentence[start - 1].low in table("function.prepositions") - table("function.subordinators"):
        return False
    for at in range(start - 1, max(-1, start - 12), -1):
        token = sentence[at]
        if not token.is_word:
            return True
        if token.low in table("function.subordinators") or token.low in ("and", "but", "so", "then"):
            return True
        if at == start - 1 and token.low in table("verbs.claims"):
            return True
        if is_auxiliary(token.low) or is_past(token.low) or token.low in ("is", "are", "to"):
            return False
        if is_base(token.low) and token.low in table("verbs.transitive") | table("verbs.states"):
            return False
    return True
