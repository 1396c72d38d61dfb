"""Whether a sentence says what another one says, in whatever words."""

import re

from commonplace.duplicates import same_statement
from commonplace.extraction.attributes import attribute_of
from commonplace.extraction.stems import stems_of

_HALF, _TELLING = 0.5, 2
_FILLERS = frozenset("realli alway usual someth together togeth actual still definit absolut".split())
_PERSON = re.compile(r"\b(?:i|me|he|she|him|her|they|them|not|no|never|\w+n't)\b", re.IGNORECASE)


def says_the_same(one: str, other: str) -> bool:
    """By the engine's duplicate analysis, as the same value of the same attribute, or by the same words in another order."""
    ours, theirs = stems_of(one) - _FILLERS, stems_of(other) - _FILLERS
    first, second = attribute_of(one), attribute_of(other)
    if first and second and first.repeats(second):
        return True
    if ours == theirs and len(ours) >= _TELLING and _persons(one) == _persons(other):
        return True
    # Reading a pair costs half a millisecond, and most have little in common.
    return len(ours & theirs) >= _HALF * min(len(ours), len(theirs)) and same_statement(one, other, None) is not None


def _persons(text: str) -> list[str]:
    """Who does something to whom, as far as pronouns tell, and what is denied."""
    return sorted(word.casefold() for word in _PERSON.findall(text.replace("’", "'")))
