"""Find the content words in a text, and compare the meaning of two sentences."""

import functools
import re

from commonplace.extraction.changes.attributes import attribute_of
from commonplace.extraction.patterns import compiled, word_list
from commonplace.text.foundation import tokenizer
from commonplace.text.foundation.calendar import is_calendar_word
from commonplace.text.foundation.characters import straight
from commonplace.text.foundation.languages import language_of, languages
from commonplace.text.paraphrase.repeats import is_repeat

_CAPITAL = re.compile(r"(?<=[\w,] )[A-ZÀ-Þ][\w-]+")
_SHORTEST, _SHARE = 4, 0.6

_HALF, _TELLING, _FEW_MORE = 0.5, 2, 2


@functools.lru_cache(maxsize=1024)
def stems_of(text: str) -> frozenset[str]:
    """Return the stems of a text, except for function words of its language."""
    return frozenset(tokenizer.terms(text, _list_function_words(language_of(text))))


def shared_stems(wanted: frozenset[str], known: frozenset[str], *, begins: bool = False) -> frozenset[str]:
    """Return the wanted stems that occur in `known` in any form ("weinen", "geweint"). `begins` also accepts prefixes."""
    return frozenset(
        word
        for word in wanted
        if word in known
        or any(_is_related(word, other) or (begins and len(word) >= _SHORTEST and other.startswith(word)) for other in known)
    )


def has_same_words(first: str, other: str) -> bool:
    """Return whether two texts share at least half of the terms of the shorter text."""
    ours, theirs = frozenset(tokenizer.terms(first)), frozenset(tokenizer.terms(other))
    return bool(ours and theirs) and len(ours & theirs) >= _HALF * min(len(ours), len(theirs))


def names_of(text: str) -> frozenset[str]:
    """Return the capitalized words inside a sentence, except for months and weekdays. In German, this includes all nouns."""
    capitals = frozenset(word.casefold() for word in _CAPITAL.findall(text))
    return frozenset(word for word in capitals if not is_calendar_word(word))


@functools.cache
def _list_function_words(language: str) -> frozenset[str]:
    table = languages().get(language)
    small = table.words - table.telling if table else frozenset[str]()
    return frozenset(word for entry in small for word in tokenizer.words(entry))


def _is_related(first: str, other: str) -> bool:
    """Return whether two stems probably have the same root ("Kirche", "Lambertikirche")."""
    first, other = first.removeprefix("ge"), other.removeprefix("ge")
    if min(len(first), len(other)) > _SHORTEST and (first.endswith(other) or other.endswith(first)):
        return True  # "Kirche", "Lambertikirche"
    length = min(len(first), len(other))
    same = next((at for at in range(length) if first[at] != other[at]), length)
    return same >= max(_SHORTEST, _SHARE * max(len(first), len(other)))


def says_the_same(text: str, other: str) -> bool:
    """Return whether two sentences have the same words or stems, or give an attribute the same value."""
    ours, theirs = stems_of(text) - word_list("filler_stems"), stems_of(other) - word_list("filler_stems")
    if ours == theirs and len(ours) >= _TELLING and _find_pronouns_and_negations(text) == _find_pronouns_and_negations(other):
        return True
    first = attribute_of(text)
    second = attribute_of(other) if first else None
    if first and second and first.repeats(second) and _is_nearly_contained(text, other, ours - theirs):
        return True
    return is_repeat(text, other)


def _is_nearly_contained(first: str, other: str, more: frozenset[str]) -> bool:
    """Return whether a sentence adds at most a few words, but no name or figure, to another sentence."""
    numbers = any(stem[:1].isdigit() for stem in more)
    return not numbers and names_of(first) <= names_of(other) and len(more) <= _FEW_MORE


def _find_pronouns_and_negations(text: str) -> list[str]:
    return sorted(word.casefold() for word in compiled("content_words.person").findall(straight(text)))
