"""Whether a sentence says what another one says, in whatever words."""

import re

from commonplace.duplicates import same_statement
from commonplace.extraction.attributes import attribute_of
from commonplace.extraction.stems import names_of, stems_of

_HALF, _TELLING, _FEW_MORE = 0.5, 2, 2
_FILLERS = frozenset("realli alway usual someth together togeth actual still definit absolut".split())
_PERSON = re.compile(r"\b(?:i|me|he|she|him|her|they|them|not|no|never|\w+n't)\b", re.IGNORECASE)


def says_the_same(one: str, other: str) -> bool:
    """By the engine's duplicate analysis, as the same value of the same attribute, or by the same words in another order."""
    ours, theirs = stems_of(one) - _FILLERS, stems_of(other) - _FILLERS
    first, second = attribute_of(one), attribute_of(other)
    if first and second and first.repeats(second) and _tells_no_more(one, other, ours - theirs):
        return True
    if ours == theirs and len(ours) >= _TELLING and _persons(one) == _persons(other):
        return True
    # Reading a pair costs half a millisecond, and most have little in common, or other numbers.
    if len(ours & theirs) < _HALF * max(len(ours), len(theirs)) or any(stem[:1].isdigit() for stem in ours ^ theirs):
        return False
    return same_statement(one, other) is not None


def _tells_no_more(one: str, other: str, more: frozenset[str]) -> bool:
    """Whether it has no name and no figure that the other has not, and hardly another word."""
    numbers = any(stem[:1].isdigit() for stem in more)
    return not numbers and names_of(one) <= names_of(other) and len(more) <= _FEW_MORE


def _persons(text: str) -> list[str]:
    """Who does something to whom, as far as pronouns tell, and what is denied."""
    return sorted(word.casefold() for word in _PERSON.findall(text.replace("’", "'")))
