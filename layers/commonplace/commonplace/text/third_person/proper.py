"""Words that look like the first person and are not: "World War I", "My Chemical Romance", "the US", "oh my god"."""

from collections.abc import Sequence
from functools import cache

from commonplace.text.foundation.english import (
    everyday_verbs,
    is_adjective,
    is_auxiliary,
    is_base,
    is_noun,
    is_past,
    is_plural,
    is_s_form,
    table,
)
from commonplace.text.third_person.openings import stands_as_verb
from commonplace.text.third_person.tokens import Kind, Token

_CLOSING = frozenset((".", ",", "(", ")", ";", "!", "?"))
_PHRASE_REACH = 5


@cache
def _phrases(name: str) -> dict[str, list[tuple[str, ...]]]:
    """first word -> the phrases that begin with it, the longest first."""
    phrases: dict[str, list[tuple[str, ...]]] = {}
    for phrase in sorted(table(name), key=len, reverse=True):
        parts = tuple(phrase.replace(",", " ,").split())
        phrases.setdefault(parts[0], []).append(parts)
    return phrases


def shield(sentence: Sequence[Token]) -> None:
    """Turns the tokens of one sentence that are no pronouns into fixed ones, in place."""
    shouted = is_shouted(sentence)
    for at, token in enumerate(sentence):
        if not token.is_word:
            continue
        length = _phrase_length(sentence, at, "numerals.cries") or (
            0 if shouted or not token.capital else _phrase_length(sentence, at, "numerals.titles")
        )
        for part in sentence[at : at + length]:
            part.kind = Kind.FIXED
        if token.low == "i":
            fixed = _is_numeral(sentence, at) or _is_variable(sentence, at) or _is_letter(sentence, at)
        elif token.low == "mine" and _is_noun(sentence, at):
            fixed = True
        else:
            capitals = token.text in table("speaker.capitals")
            fixed = not shouted and (capitals or _is_title(sentence, at) or _is_country(sentence, at))
        if fixed:
            token.kind = Kind.FIXED


def is_shouted(sentence: Sequence[Token]) -> bool:
    """True if the whole sentence is in capitals."""
    words = [token.text for token in sentence if token.is_word and token.text.isalpha()]
    return len(words) > 2 and all(word.isupper() for word in words)


def _phrase_length(sentence: Sequence[Token], at: int, name: str) -> int:
    for phrase in _phrases(name).get(sentence[at].low, ()):
        if tuple(token.low for token in sentence[at : at + len(phrase)]) != phrase:
            continue
        end = at + len(phrase)
        if phrase[-1] == "my" and end < len(sentence) and sentence[end].is_word:
            continue
        capitals = sum(token.capital for token in sentence[at : at + len(phrase)])
        if name == "numerals.cries" or capitals > 1:
            return len(phrase)
    return 0


def _is_numeral(sentence: Sequence[Token], at: int) -> bool:
    before = sentence[at - 1] if at else None
    after = sentence[at + 1] if at + 1 < len(sentence) else None
    if before is None:
        # An enumeration: "I. Introduction"
        return after is not None and after.text == "." and at + 2 < len(sentence) and sentence[at + 2].capital
    if not before.is_word or sentence[at].text != "I":
        return False
    if before.text == "War" and at > 1 and sentence[at - 2].low == "world":
        return True
    if before.low in table("numerals.nouns"):
        return after is None or not _speaks(after, counted=before.capital)
    if before.capital and before.low in table("numerals.reigning"):
        return after is None or not _speaks(after, counted=True)
    return False


def _is_letter(sentence: Sequence[Token], at: int) -> bool:
    """'An I (incomplete) in art', 'Avenue I', 'Terminal I and gate 4': no verb of the speaker can follow."""
    if not at or sentence[at].text != "I" or stands_as_verb(sentence, at + 1):
        return False
    before, after = sentence[at - 1], sentence[at + 1] if at + 1 < len(sentence) else None
    if before.low in ("a", "an"):
        return True
    bare = after is None or after.text in _CLOSING or after.low in table("function.prepositions")
    return bare and before.is_word and before.capital and at > 1 and before.low not in table("times.names")


def _is_noun(sentence: Sequence[Token], at: int) -> bool:
    """'A coal mine', 'near the old mine', 'mine workers': a noun phrase has begun before it, or goes on behind it."""
    for start in range(at - 1, max(-1, at - _PHRASE_REACH), -1):
        word = sentence[start].low
        if word in table("function.determiners"):
            return word not in table("function.pronominal") or start < at - 1
        verb = is_past(word) or is_auxiliary(word) or is_s_form(word)
        if not sentence[start].is_word or verb or word in table("function.prepositions"):
            return False
        if not (is_noun(word) or is_adjective(word)) or word in table("people.singular") or is_plural(word):
            return False
    return False


def _speaks(after: Token, counted: bool) -> bool:
    """True if the word after "I" is a verb of the speaker, or leads to one."""
    if not after.is_word:
        return False
    if counted and (is_past(after.low) or after.low in table("numerals.verbs")):
        return False
    verb = is_auxiliary(after.low) or is_past(after.low) or after.low in table("adverbs.single")
    common = everyday_verbs() | table("verbs.claims")
    return verb or (is_base(after.low) and after.low in common)


def _is_variable(sentence: Sequence[Token], at: int) -> bool:
    after = sentence[at + 1].low if at + 1 < len(sentence) else ""
    before = sentence[at - 1].low if at else ""
    return after in ("=", "<", ">", "+", "[") or before in ("=", "[") or (before == "for" and after == "in")


def _is_country(sentence: Sequence[Token], at: int) -> bool:
    """The pronoun's letters in lower case for the United States: "the us", "us citizens"."""
    if sentence[at].low != "us":
        return False
    after = sentence[at + 1].low if at + 1 < len(sentence) else ""
    return (at > 0 and sentence[at - 1].low == "the") or after in table("numerals.american")


def _is_title(sentence: Sequence[Token], at: int) -> bool:
    """A capital inside a sentence, beside another one: "Despicable Me", "He loves My Fair Lady"."""
    token = sentence[at]
    if token.low not in table("speaker.forms") or not token.capital or at == 0:
        return False
    before, after = sentence[at - 1], sentence[at + 1] if at + 1 < len(sentence) else None
    if not before.is_word:
        return False
    return (before.capital and at > 1) or (after is not None and after.is_word and after.capital)
