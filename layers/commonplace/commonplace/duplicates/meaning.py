"""What a word may stand for, and how two words answer to each other."""

import functools
import re
from typing import NamedTuple

from commonplace.duplicates.inflection import BASE, Reading, readings
from commonplace.duplicates.tables import language

Forms = frozenset[tuple[str, str]]
"""The pairs of forms two words may stand in."""
SAME, FORM, SYNONYM, TYPO = "same", "form", "synonym", "typo"
UNCHANGED: Forms = frozenset({(BASE, BASE)})
_Grouped = tuple[tuple[str, frozenset[int]], ...]
_DOUBLED = re.compile(r"(.)\1")
_LONG = 8
"""A shorter word is too often another one: "desert", "dessert"."""


class Meaning(NamedTuple):
    """A word's lemmas and synonym groups, each with the form it stands in."""

    text: str
    readings: tuple[Reading, ...]
    synonyms: _Grouped
    spelled: tuple[tuple[str, str], ...]
    """Each form with its lemma as far as spelling errors leave it alone; nothing for a short word."""
    keys: frozenset[str]
    """Two words without a common key have nothing to do with each other."""


@functools.lru_cache(maxsize=16384)
def meaning(word: str, language_name: str) -> Meaning:
    """Looks a word up in the tables of its language."""
    own, english = language(language_name), language_name == "english"
    known: tuple[Reading, ...] = readings(word) if english else ((word, BASE),)
    synonyms = tuple((form, own.synonyms[lemma]) for lemma, form in known if lemma in own.synonyms)
    spelled = tuple((form, _blurred(lemma)) for lemma, form in known) if english and len(word) >= _LONG else ()
    numbers = {f"={number}" for _, group in synonyms for number in group}
    keys = {lemma for lemma, _ in known} | numbers | {f"?{blurred}" for _, blurred in spelled}
    return Meaning(word, known, synonyms, spelled, frozenset(keys))


def related(left: Meaning, right: Meaning) -> tuple[str, Forms]:
    """How two words that share a key answer to each other: the same, forms of one, synonyms, or one misspelled."""
    if left.text == right.text:
        return SAME, UNCHANGED
    forms = frozenset((form, its) for lemma, form in left.readings for same, its in right.readings if same == lemma)
    if forms:
        return FORM, forms
    forms = _shared(left.synonyms, right.synonyms)
    if forms:
        return SYNONYM, forms
    forms = frozenset((form, its) for form, blurred in left.spelled for its, same in right.spelled if blurred == same)
    return TYPO, forms


def _blurred(word: str) -> str:
    """What is left of a word when nobody knows where it has two letters for one, or `ie` for `ei`."""
    return _DOUBLED.sub(r"\1", word).replace("ie", "ei")


def _shared(left: _Grouped, right: _Grouped) -> Forms:
    return frozenset((form, its) for form, numbers in left for its, others in right if numbers & others)
