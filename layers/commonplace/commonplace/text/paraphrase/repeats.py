"""Find texts that repeat each other word for word, apart from case, punctuation and the order of their parts."""

import functools
import unicodedata
from collections.abc import Sequence

from commonplace.text.foundation.characters import straight
from commonplace.text.third_person import to_third_person

_MARKS = ".,;:!?¡¿\"'()[]…。、，！？「」『』・"
_FEWEST_MOVED = 3  # words of a text whose parts may change places
_START, _FEWEST_STARTS = 3, 5  # from five different starts of words on, texts that share under a third are not rewritten


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
        return bool(ours) or straight(first).strip() == straight(other).strip()
    starts, others = ({word[:_START] for word in words} for words in (ours, theirs))
    fewer = min(len(starts), len(others))
    differ = fewer >= _FEWEST_STARTS and len(starts & others) * 3 < fewer
    return not differ and _has_same_words(bare_words(rewrite(first)), bare_words(rewrite(other)))


def _has_same_words(ours: Sequence[str], theirs: Sequence[str]) -> bool:
    if len(ours) != len(theirs) or len(ours) < _FEWEST_MOVED or any(char.isdigit() for word in ours for char in word):
        return ours == theirs
    return f" {' '.join(ours)} " in f" {' '.join(theirs)} {' '.join(theirs)} "


@functools.lru_cache(maxsize=512)
def rewrite(text: str) -> str:
    """Rewrite a text in the third person. The result is cached, because a text is compared with many others."""
    return to_third_person(straight(text))
