"""The word tables, read on first use: what each language leaves out, pairs, negates, counts and takes for the same word."""

import functools
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from itertools import combinations
from typing import Any

from commonplace.duplicates.spelling import american

Words = frozenset[str]
Groups = Mapping[str, frozenset[int]]
"""Word or phrase (its words joined by `_`) to the numbers of the synonym groups it stands in."""
Phrases = Mapping[str, tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]]
"""First word to (phrase, what stands for it), the longest phrase first; `*` in a phrase is any one word."""
TABLED = ("english", "german", "french", "spanish")
_LISTS = """articles copulas harmless guards markers phrase_starts pairing choosing contrasting definite time_words likes_to
lasting bare_verbs case_matters places kin pets times describing months""".split()


@dataclass(frozen=True, slots=True)
class Language:
    """One language; a table it does not have is empty, which only ever makes the comparison stricter."""

    name: str
    words: Mapping[str, Words]
    """The plain lists of its file, by their name there."""
    openers: Phrases
    contractions: Mapping[str, str]
    numbers: Mapping[str, str]
    phrases: Phrases
    same_markers: frozenset[Words]
    synonyms: Groups = field(repr=False)
    synonym_phrases: Phrases = field(repr=False)


@functools.cache
def language(name: str) -> Language:
    """The tables of `english`, `german`, `french` or `spanish`; under any other name all are empty."""
    table = _toml(name) if name in TABLED else {}
    same = _english("english_synonyms.txt") if name == "english" else [_members(line) for line in table.get("synonyms", [])]
    return Language(
        name=name,
        words={key: frozenset(table.get(key, "").split()) for key in _LISTS},
        openers=_phrases((opener, "") for opener in table.get("openers", [])),
        contractions=table.get("contractions", {}),
        numbers=table.get("numbers", {}),
        phrases=_phrases(table.get("phrases", {}).items()),
        same_markers=_pairs(table.get("same_markers", [])),
        synonyms=_groups(same),
        synonym_phrases=_phrases((phrase, _joined(phrase)) for group in same for phrase in group if " " in phrase),
    )


@functools.cache
def marks() -> Mapping[str, Words]:
    """The function words of every language known by name, for telling them apart."""
    tabled = {name: _toml(name)["marks"] for name in TABLED}
    return {name: frozenset(words.split()) for name, words in (tabled | _toml("other_languages")).items()}


@functools.cache
def lines(name: str) -> tuple[str, ...]:
    """The lines of a text table, without comments."""
    text = (files(__package__) / "tables" / name).read_text(encoding="utf-8")
    return tuple(line for line in text.splitlines() if line and not line.startswith("#"))


def _toml(name: str) -> dict[str, Any]:
    return tomllib.loads((files(__package__) / "tables" / f"{name}.toml").read_text(encoding="utf-8"))


def _english(name: str) -> list[list[str]]:
    """The groups of a file in American spelling, in which all English words are compared."""
    return [[" ".join(map(american, member.split())) for member in _members(line)] for line in lines(name)]


def _members(line: str) -> list[str]:
    return [member.strip() for member in line.split(",")]


def _joined(phrase: str) -> str:
    return phrase.replace(" ", "_")


def _groups(groups: Iterable[Iterable[str]]) -> Groups:
    found: dict[str, set[int]] = {}
    for number, group in enumerate(groups):
        for member in group:
            found.setdefault(_joined(member), set()).add(number)
    return {member: frozenset(numbers) for member, numbers in found.items()}


def _phrases(items: Iterable[tuple[str, str]]) -> Phrases:
    found: dict[str, dict[tuple[str, ...], tuple[str, ...]]] = {}
    for phrase, instead in items:
        words = tuple(phrase.split())
        found.setdefault(words[0], {})[words] = tuple(instead.split())
    return {first: tuple(sorted(rows.items(), key=lambda row: -len(row[0]))) for first, rows in found.items()}


def _pairs(groups: Iterable[str]) -> frozenset[Words]:
    return frozenset(frozenset(pair) for group in groups for pair in combinations(_members(group), 2))
