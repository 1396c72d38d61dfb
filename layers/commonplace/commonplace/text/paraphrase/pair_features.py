"""What a pair of texts has in common and in what it differs, as numbers for the model of pairs."""

import functools
import re
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from commonplace.text.foundation import tokenizer
from commonplace.text.foundation.calendar import is_calendar_word
from commonplace.text.foundation.expressions import Expressions
from commonplace.text.foundation.languages import language_of
from commonplace.text.foundation.numbers import every_number

Vector = NDArray[np.float32]

_expressions = Expressions(__package__)
_UNSPACED = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff]")
_LETTERS = re.compile(r"[^\W\d_]+")
_WORDS = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_SHORTEST_NUMBER = 3
_GERMAN = "de"
_MOST_WORDS, _MOST_STEMS = 6, 5
_MOST_SPACED, _MOST_WORDS_READ = 14, 40  # words between blanks; with the n-grams of unspaced scripts
_HALF, _LARGELY, _FEW = 0.5, 0.4, 2


class Side(NamedTuple):
    """One text of a pair. Numbers, people, names and times (weekdays, months, am or pm) are those that it tells; `own`:
    it speaks of the user's own; `object`: something is done to the user."""

    words: tuple[str, ...]
    stems: frozenset[str]
    numbers: frozenset[str]
    people: frozenset[str]
    names: frozenset[str]
    times: frozenset[str]
    negated: bool
    besides: bool
    by_now: bool
    changed: bool
    own: bool
    object: bool
    stressed: bool


@functools.lru_cache(maxsize=2048)
def side_of(text: str) -> Side:
    """Reads one text."""
    low = text.lower()
    found = () if language_of(text) == _GERMAN else _expressions.compiled("pairs.name").findall(text)
    names = (name.casefold() for name in found)  # in German every noun has a capital
    return Side(
        words=tuple(tokenizer.words(text)),
        stems=frozenset(tokenizer.terms(text)),
        numbers=_numbers(low),
        people=_people(low),
        names=frozenset(name for name in names if not is_calendar_word(name)),
        times=frozenset(word for word in _LETTERS.findall(low) if is_calendar_word(word)) | _halves_of_day(low),
        stressed="!" in text,
        **{name: bool(_found(name, low)) for name in ("negated", "besides", "by_now", "changed", "own", "object")},
    )


def pair_features(old: str, new: str, old_vector: Vector, new_vector: Vector) -> Vector:
    """The pair as one row of numbers: what is counted, then the vectors of both.

    The vectors are of the package's sentence encoder: half English, half multilingual; the first is zero where a text is
    not English.
    """
    one, other = side_of(old), side_of(new)
    ours, theirs = _halves(old_vector), _halves(new_vector)
    multilingual = float(ours[1] @ theirs[1])
    english = float(ours[0] @ theirs[0]) if ours[0].any() and theirs[0].any() else multilingual
    counted = [multilingual, english, min(multilingual, english), *_counted(one, other, multilingual)]
    return np.concatenate([np.array(counted, dtype=np.float32), ours[1], theirs[1]])


def must_differ(old: str, new: str) -> bool:
    """Whether two texts can't say the same: other figures, people or names, the same words turned round, one of both
    negated where the rest is alike, or another word or two in the place of some."""
    one, other = side_of(old), side_of(new)
    words, more = set(one.words), set(other.words)
    alike = len(words & more) / max(1, min(len(words), len(more)))
    return (
        _each_has_more(one.numbers, other.numbers)
        or _each_has_more(one.people, other.people)
        or _each_has_more(one.names, other.names)
        or _each_has_more(one.times, other.times)
        or (words == more and one.words != other.words)
        or (one.negated != other.negated and alike > _HALF)
        or _is_one_word_changed(words, more)
    )


def _is_one_word_changed(words: set[str], more: set[str]) -> bool:
    """Whether a word or two stand in the place of others ("left", "right"): whether those mean the same no vector tells."""
    gone, came = words - more, more - words
    changed = bool(gone and came) and max(len(gone), len(came)) <= _FEW
    return changed and len(words & more) >= _LARGELY * len(words | more)


def is_value_changed(old: str, new: str) -> bool:
    """Whether both have the same content words, and only another number or time, or only one of both is negated."""
    one, other = side_of(old), side_of(new)
    changed = (
        _each_has_more(one.numbers, other.numbers) or _each_has_more(one.times, other.times) or one.negated != other.negated
    )
    return changed and bool(_matter(one)) and _matter(one) == _matter(other)


def is_long(text: str) -> bool:
    """Whether a text is longer than those that the model of pairs was trained on: it says more than one thing."""
    return len(text.split()) > _MOST_SPACED or len(side_of(text).words) > _MOST_WORDS_READ


def _matter(side: Side) -> frozenset[str]:
    """The stems of a text without its numbers and times."""
    return frozenset(
        stem for stem in side.stems if not (stem[0].isdigit() or stem in every_number() or is_calendar_word(stem))
    )


def difference(old: str, new: str) -> str:
    """In what a new text differs from an old one that it may leave untrue, in words."""
    one, other = side_of(old), side_of(new)
    if _each_has_more(one.numbers, other.numbers):
        return "it tells another number"
    if _each_has_more(one.times, other.times):
        return "it tells another time"
    if _each_has_more(one.names, other.names):
        return "it tells another name"
    if one.negated != other.negated:
        return "one of both is negated"
    return "it tells something else of the same matter"


def _counted(one: Side, other: Side, cosine: float) -> list[float]:
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
        *_sets(one.numbers, other.numbers), *_sets(one.people, other.people), *_sets(one.names, other.names),
        *_sets(one.times, other.times), float(one.object != other.object),
        float(negation), float(one.negated), float(other.negated), float(one.negated and other.negated),
        float(other.besides), float(other.by_now), float(other.changed), float(one.own), float(other.own),
        float(other.stressed),
        min(len(one.words), 15) / 10, min(len(other.words), 20) / 10,
        other.by_now * cosine, shared / every * cosine, one_word * cosine, negation * cosine, numbers * cosine,
    ]  # fmt: skip


def _sets(one: frozenset[str], other: frozenset[str]) -> list[float]:
    """Whether both have the same, each has another, one lacks something, the other does, only one has any."""
    return [
        float(bool(one) and one == other),
        float(_each_has_more(one, other)),
        float(bool(one - other)),
        float(bool(other - one)),
        float(bool(one) != bool(other)),
    ]


def _each_has_more(one: frozenset[str], other: frozenset[str]) -> bool:
    return bool(one - other) and bool(other - one)


def _halves(vector: Vector) -> tuple[Vector, Vector]:
    """Both halves of a vector, each of length 1, or 0 where it is nothing."""
    english, multilingual = np.split(vector, 2)
    return _unit(english), _unit(multilingual)


def _unit(vector: Vector) -> Vector:
    length = float(np.linalg.norm(vector))
    return vector / length if length > 1e-6 else np.zeros_like(vector)


def _found(name: str, low: str) -> re.Match[str] | None:
    return _expressions.compiled(f"pairs.{name}").search(low)


def _numbers(low: str) -> frozenset[str]:
    figures = (figure.replace(",", "").lstrip("0") or "0" for figure in _expressions.compiled("pairs.figure").findall(low))
    whole = {f"{figure[:-1]}000" if figure.endswith("k") else figure for figure in figures}
    words = (word for word in _WORDS.findall(low) if len(word) >= _SHORTEST_NUMBER)
    parts = (part for word in words for part in ([word] if word in every_number() else word.split("-")))
    return frozenset(whole) | {str(value) for part in parts for value in every_number().get(part, ()) if value > 1}


def _halves_of_day(low: str) -> set[str]:
    return set(_expressions.compiled("pairs.half_of_day").findall(low))


def _people(low: str) -> frozenset[str]:
    told = set(re.findall(r"[\w-]+", low))
    unspaced = _UNSPACED.search(low) is not None
    return frozenset(
        row[0] for row in _rows() if any(word in told or (unspaced and _UNSPACED.match(word) and word in low) for word in row)
    )


@functools.cache
def _rows() -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(row.split()) for row in _expressions.expression("pairs.people").split(";"))
