"""A text read in each of the ways in which it may say the same as another."""

import functools
from collections.abc import Sequence

from commonplace.duplicates.scanner import Word
from commonplace.duplicates.statement import Statement, read
from commonplace.duplicates.tables import language
from commonplace.duplicates.voice import BY, active
from commonplace.duplicates.words import joined, words_of


@functools.lru_cache(maxsize=512)
def statements(text: str, language_name: str) -> tuple[Statement, ...]:
    """Reads a plain text in a language: as single words, then, if it has any, with its synonymous phrases as one word each.

    A language without tables keeps every word.
    """
    return _read(_words(text, language_name), text, language_name)


@functools.lru_cache(maxsize=512)
def _words(text: str, language_name: str) -> Sequence[Word]:
    return words_of(text, language(language_name))


@functools.lru_cache(maxsize=512)
def turned(text: str, language_name: str) -> tuple[Statement, ...]:
    """The same of a text in the passive, read in the active; nothing of any other."""
    own = language(language_name)
    words = active(_words(text, language_name), own) if f" {BY} " in text else None
    return () if words is None else _read(words, text, language_name)


def _read(words: Sequence[Word], text: str, language_name: str) -> tuple[Statement, ...]:
    own = language(language_name)
    question = "?" in text or "¿" in text
    phrased = joined(words, own)
    versions = [words] if phrased == list(words) else [words, phrased]
    return tuple(read(version, own, question=question) for version in versions)
