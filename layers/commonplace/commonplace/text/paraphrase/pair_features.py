"""The features of a pair of texts. They count what both share and how they differ, and compare their vectors."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from commonplace.text.foundation.calendar import is_calendar_word
from commonplace.text.foundation.numbers import every_number
from commonplace.text.paraphrase.pair_side import Side, side_of

Vector = NDArray[np.float32]

_MOST_WORDS, _MOST_STEMS = 6, 5
_SHORTEST = 1e-6  # length of a vector
_MOST_SPACED, _MOST_WORDS_READ = 14, 40  # words between blanks; with the n-grams of unspaced scripts

FIRST_VALUES = (1, 0, 3, 4)
"""Places in the features of a pair: both cosines (Universal Sentence Encoder, e5), and shares of common words and stems."""


def pair_features(pairs: Sequence[tuple[str, str]], old_vectors: Vector, new_vectors: Vector) -> Vector:
    """Return the features of pairs (old, new), one row each: counts, then values of the two vectors.

    The first half of a vector comes from the Universal Sentence Encoder, the second half from e5. The second half is zero if
    e5 can't read the text. For each half, the features are the differences, the products and the numbers of both vectors.
    """
    ours, theirs = _split_vectors(old_vectors), _split_vectors(new_vectors)
    universal, e5 = np.einsum("phn,phn->hp", ours, theirs)
    cosines = np.stack((e5, universal, np.minimum(e5, universal)), axis=1)
    counts = [_count_features(old, new, cosine) for (old, new), cosine in zip(pairs, e5.tolist(), strict=True)]
    values = np.stack((abs(ours - theirs), 3 * ours * theirs, ours, theirs), axis=2).reshape(len(pairs), -1)
    return np.concatenate([cosines, np.array(counts, dtype=np.float32), values], axis=1)


def must_differ(old: str, new: str) -> bool:
    """Return whether two texts can't mean the same, whatever their vectors.

    They differ in numbers, people, names or times. Or only one of them is negated, planned or past. Or they have the same
    words in another order, or only other small words ("must not", "don't have to").
    """
    one, other = side_of(old), side_of(new)
    words, more = set(one.words), set(other.words)
    return (
        one.negated != other.negated
        or one.planned != other.planned
        or (one.past != other.past and (one.stems <= other.stems or other.stems <= one.stems))
        or _has_same_content(one, other)
        or _each_has_more(one.numbers, other.numbers)
        or _each_has_more(one.people, other.people)
        or _each_has_more(one.names, other.names)
        or _each_has_more(one.times, other.times)
        or (words == more and one.words != other.words)
    )


def _has_same_content(one: Side, other: Side) -> bool:
    """Return whether both start with the same word, and the longer text has all content words of the shorter in order."""
    shorter, longer = sorted((one.content, other.content), key=len)
    rest = iter(longer)
    return bool(shorter) and one.opening == other.opening and all(word in rest for word in shorter)


def is_value_changed(old: str, new: str) -> bool:
    """Return whether only a number, a time or a negation differs, and all other content words are the same."""
    one, other = side_of(old), side_of(new)
    changed = (
        _each_has_more(one.numbers, other.numbers) or _each_has_more(one.times, other.times) or one.negated != other.negated
    )
    return changed and bool(_find_topic_stems(one)) and _find_topic_stems(one) == _find_topic_stems(other)


def is_long(text: str) -> bool:
    """Return whether a text is longer than the texts that the model was trained on. It states more than one fact."""
    return len(text.split()) > _MOST_SPACED or len(side_of(text).words) > _MOST_WORDS_READ


def _find_topic_stems(side: Side) -> frozenset[str]:
    """Return the stems of a text without numbers and times."""
    return frozenset(
        stem for stem in side.stems if not (stem[0].isdigit() or stem in every_number() or is_calendar_word(stem))
    )


def difference(old: str, new: str) -> str:
    """Describe how a new text differs from an old text that it may make untrue."""
    one, other = side_of(old), side_of(new)
    if _each_has_more(one.numbers, other.numbers):
        return "it gives another number"
    if _each_has_more(one.times, other.times):
        return "it gives another time"
    if _each_has_more(one.names, other.names):
        return "it gives another name"
    if one.negated != other.negated:
        return "only one of the two is negated"
    return "it gives another value of the same attribute"


def _count_features(old: str, new: str, cosine: float) -> list[float]:
    one, other = side_of(old), side_of(new)
    words, more = set(one.words), set(other.words)
    shared, every = len(words & more), max(1, len(words | more))
    gone, came = len(words - more), len(more - words)
    stems_gone, stems_came = len(one.stems - other.stems), len(other.stems - one.stems)
    stems = len(one.stems & other.stems)
    numbers, negation = _each_has_more(one.numbers, other.numbers), one.negated != other.negated
    one_word = gone <= 1 and came <= 1
    return [
        shared / every, stems / max(1, len(one.stems | other.stems)),
        shared / max(1, min(len(words), len(more))), stems / max(1, min(len(one.stems), len(other.stems))),
        min(gone, _MOST_WORDS), min(came, _MOST_WORDS + 2), min(gone, came) / every,
        float(one_word), float(gone <= 2 and came <= 2), float(words == more), float(one.stems == other.stems),
        float(stems_gone <= 1 and stems_came <= 1), min(stems_gone, _MOST_STEMS), min(stems_came, _MOST_STEMS),
        *_compare_sets(one.numbers, other.numbers), *_compare_sets(one.people, other.people),
        *_compare_sets(one.names, other.names), *_compare_sets(one.times, other.times), float(one.object != other.object),
        float(negation), float(one.negated), float(other.negated), float(one.negated and other.negated),
        float(other.besides), float(other.by_now), float(other.changed), float(one.own), float(other.own),
        float(other.stressed), float(other.past), float(one.past), float(other.planned), float(one.planned),
        float(other.passing), float(other.ended), float(one.ended), float(other.starts_own), float(one.starts_own),
        float(one.starts_own != other.starts_own), other.ended * cosine, other.ended * shared / every,
        min(len(one.words), 15) / 10, min(len(other.words), 20) / 10,
        other.by_now * cosine, shared / every * cosine, one_word * cosine, negation * cosine, numbers * cosine,
    ]  # fmt: skip


def _compare_sets(one: frozenset[str], other: frozenset[str]) -> list[float]:
    """Return whether they are equal, each has more, the first has more, the other has more, and only one is empty."""
    return [
        float(bool(one) and one == other),
        float(_each_has_more(one, other)),
        float(bool(one - other)),
        float(bool(other - one)),
        float(bool(one) != bool(other)),
    ]


def _each_has_more(one: frozenset[str], other: frozenset[str]) -> bool:
    return bool(one - other) and bool(other - one)


def _split_vectors(vectors: Vector) -> Vector:
    """Return both halves of each vector, scaled to length 1. A zero half stays zero. The shape is pairs x 2 x numbers."""
    halves = vectors.reshape(len(vectors), 2, -1)
    lengths = np.linalg.norm(halves, axis=2, keepdims=True)
    return np.where(lengths > _SHORTEST, halves / np.maximum(lengths, _SHORTEST), 0)
