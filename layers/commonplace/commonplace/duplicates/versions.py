"""A text read in each of the ways in which it may say the same as another."""

import functools
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from commonplace.duplicates.attribution import speaks_for_others, told
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


class Report(NamedTuple):
    """A text that names the source of what it tells, read with the source in front and without it."""

    whole: tuple[Statement, ...]
    told: tuple[Statement, ...]
    heading: frozenset[str]
    """What must stand in another text too, if that one names no source."""


@functools.lru_cache(maxsize=512)
def report(text: str, language_name: str) -> Report | None:
    """The same of a text that says who told it; None of any other."""
    own = language(language_name)
    found = told(_words(text, language_name), own) if own.words["saying"] else None
    if found is None:
        return None
    whole = _read(found.fronted, text, language_name)
    if speaks_for_others(text, own):
        whole = tuple(replace(statement, of_others=True) for statement in whole)
    heading = frozenset(word.text for word in found.source if found.heading)
    return Report(whole, _read(found.words, text, language_name), heading)


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
