"""Find texts that repeat each other word for word, apart from case, punctuation and the order of their parts."""

import functools
import unicodedata
from collections.abc import Sequence

from commonplace.text.foundation.characters import straight
from commonplace.text.third_person import to_third_person

_MARKS = ".,;:!?¡¿\"'()[]…。、，！？「」『』・"
_FEWEST_MOVED = 3  # words of a text whose parts may change places
_FEWEST_READ = 5  # of a text this long, at least a third of the words stays in the third person


def bare_words(text: str) -> tuple[str, ...]:
    """Return the words in lower case, without punctuation around them. Signs inside words remain ("3.5", "$20", "c++")."""
    words = unicodedata.normalize("NFKC", straight(text)).casefold().split()
    return tuple(word for word in (word.strip(_MARKS) for word in words) if word)


def is_repeat(first: str, other: str) -> bool:
    """Return whether two texts have the same words, with "I" for "the user". A part may have moved: "On Mondays I swim".

    If the words contain digits, they need the same order. "2 cats 3 dogs" would otherwise repeat "cats 3 dogs 2". A question
    repeats only a question.
    """
    if ("?" in first) != ("?" in other):
        return False
    ours, theirs = bare_words(first), bare_words(other)
    if _has_same_words(ours, theirs):
        return bool(ours) or first.strip() == other.strip()
    shorter = min(len(ours), len(theirs))
    if shorter >= _FEWEST_READ and len(set(ours).intersection(theirs)) * 3 < shorter:
        return False  # only pronouns and verbs change in the third person
    return _has_same_words(bare_words(_rewrite(first)), bare_words(_rewrite(other)))


def _has_same_words(ours: Sequence[str], theirs: Sequence[str]) -> bool:
    if len(ours) != len(theirs) or len(ours) < _FEWEST_MOVED or any(char.isdigit() for word in ours for char in word):
        return ours == theirs
    return f" {' '.join(ours)} " in f" {' '.join(theirs)} {' '.join(theirs)} "


@functools.lru_cache(maxsize=512)
def _rewrite(text: str) -> str:
    return to_third_person(straight(text))
