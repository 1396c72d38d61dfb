"""What a word may stand for, and how two words answer to each other."""

import functools
from typing import NamedTuple

from commonplace.duplicates.inflection import BASE, Reading, readings
from commonplace.duplicates.tables import Groups, language

Forms = frozenset[tuple[str, str]]
"""The pairs of forms two words may stand in."""
SAME, FORM, SYNONYM, NEAR = "same", "form", "synonym", "near"
UNCHANGED: Forms = frozenset({(BASE, BASE)})
_Grouped = tuple[tuple[str, frozenset[int]], ...]


class Meaning(NamedTuple):
    """A word's lemmas and synonym groups, each with the form it stands in."""

    text: str
    readings: tuple[Reading, ...]
    synonyms: _Grouped
    near: _Grouped
    keys: frozenset[str]
    """Two words without a common key have nothing to do with each other."""


@functools.lru_cache(maxsize=16384)
def meaning(word: str, language_name: str) -> Meaning:
    """Looks a word up in the tables of its language."""
    own, english = language(language_name), language_name == "english"
    known: tuple[Reading, ...] = readings(word) if english else ((word, BASE),)
    synonyms, near = _grouped(known, own.synonyms), _grouped(known, own.near_synonyms)
    numbers = {f"={number}" for _, group in synonyms for number in group}
    numbers |= {f"~{number}" for _, group in near for number in group}
    return Meaning(word, known, synonyms, near, frozenset({lemma for lemma, _ in known} | numbers))


def related(left: Meaning, right: Meaning) -> tuple[str, Forms]:
    """How two words that share a key answer to each other: the same, forms of one, synonyms or near synonyms."""
    if left.text == right.text:
        return SAME, UNCHANGED
    forms = frozenset((form, its) for lemma, form in left.readings for same, its in right.readings if same == lemma)
    if forms:
        return FORM, forms
    forms = _shared(left.synonyms, right.synonyms)
    return (SYNONYM, forms) if forms else (NEAR, _shared(left.near, right.near))


def _grouped(known: tuple[Reading, ...], groups: Groups) -> _Grouped:
    return tuple((form, groups[lemma]) for lemma, form in known if lemma in groups)


def _shared(left: _Grouped, right: _Grouped) -> Forms:
    return frozenset((form, its) for form, numbers in left for its, others in right if numbers & others)
