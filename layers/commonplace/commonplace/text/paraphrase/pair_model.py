"""The trained model of pairs: whether a new text says the same as an old one, or leaves it untrue.

Its features are numbers: what a pair of texts has in common and in what it differs."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from commonplace.domain.loading import DATA, loaded_once
from commonplace.domain.taxonomy import SIMILARITIES
from commonplace.text.foundation.calendar import is_calendar_word
from commonplace.text.foundation.numbers import every_number
from commonplace.text.paraphrase.pair_side import Side, side_of

Vector = NDArray[np.float32]

_MOST_WORDS, _MOST_STEMS = 6, 5
_MOST_SPACED, _MOST_WORDS_READ = 14, 40  # words between blanks; with the n-grams of unspaced scripts
_LARGELY, _FEW = 0.4, 2


def pair_features(old: str, new: str, old_vector: Vector, new_vector: Vector) -> Vector:
    """The pair as one row of numbers: what is counted, then the vectors of both.

    The vectors are of the package's sentence encoder: half English, half multilingual; the first is zero where a text is
    not English. Of each half stand there how far both are apart and how far they agree, number by number, and both.
    """
    one, other = side_of(old), side_of(new)
    ours, theirs = _halves(old_vector), _halves(new_vector)
    multilingual = float(ours[1] @ theirs[1])
    english = float(ours[0] @ theirs[0]) if ours[0].any() and theirs[0].any() else multilingual
    counted = [multilingual, english, min(multilingual, english), *_counted(one, other, multilingual)]
    halves = [row for half, more in zip(ours, theirs, strict=True) for row in (abs(half - more), 3 * half * more, half, more)]
    return np.concatenate([np.array(counted, dtype=np.float32), *halves])


def must_differ(old: str, new: str) -> bool:
    """Whether two texts can't say the same: other figures, people or names, the same words turned round, one of both
    negated, planned or past, or another word or two in the place of some.

    Nor where both say the same words in one order: what is left are small words, which `same_statement` can read.
    """
    one, other = side_of(old), side_of(new)
    words, more = set(one.words), set(other.words)
    return (
        one.negated != other.negated
        or one.planned != other.planned
        or _is_another_tense(one, other)
        or _is_same_wording(one, other)
        or _each_has_more(one.numbers, other.numbers)
        or _each_has_more(one.people, other.people)
        or _each_has_more(one.names, other.names)
        or _each_has_more(one.times, other.times)
        or (words == more and one.words != other.words)
        or _is_one_word_changed(_without_numbers(words), _without_numbers(more))
    )


def _is_another_tense(one: Side, other: Side) -> bool:
    """Whether a verb of both stands in the past in one of them only ("ran a marathon", "to run a marathon"), or one tells of
    a time that is over and the rest is alike."""
    if one.past != other.past and (one.stems <= other.stems or other.stems <= one.stems):
        return True
    return any(one.tenses[verb] != other.tenses[verb] for verb in one.tenses.keys() & other.tenses.keys())


def _is_same_wording(one: Side, other: Side) -> bool:
    """Whether both begin alike, and one goes on with the other's words of content in their order."""
    shorter, longer = sorted((one.content, other.content), key=len)
    rest = iter(longer)
    return bool(shorter) and one.opening == other.opening and all(word in rest for word in shorter)


def _is_one_word_changed(words: set[str], more: set[str]) -> bool:
    """Whether a word or two stand in the place of others ("left", "right"): whether those mean the same no vector tells."""
    gone, came = words - more, more - words
    changed = bool(gone and came) and max(len(gone), len(came)) <= _FEW
    return changed and len(words & more) >= _LARGELY * len(words | more)


def _without_numbers(words: set[str]) -> set[str]:
    """The words but those that tell a number, which may be spelled as figures in the other text."""
    return {word for word in words if not (word[0].isdigit() or word in every_number())}


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
        float(other.stressed), float(other.past), float(one.past), float(other.planned), float(one.planned),
        float(other.passing), float(other.ended), float(one.ended), float(other.starts_own), float(one.starts_own),
        float(one.starts_own != other.starts_own), other.ended * cosine, other.ended * shared / every,
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
    half = len(vector) // 2
    return _unit(vector[:half]), _unit(vector[half:])


def _unit(vector: Vector) -> Vector:
    length = float(np.linalg.norm(vector))
    return vector / length if length > 1e-6 else np.zeros_like(vector)


__all__ = ["PairModel", "Verdict", "difference", "is_another_value", "judged", "pair_model"]


LEAST_COSINE = 0.46
"""Below it two texts are of one topic at the most; few pairs so far apart were taught."""
_LEAST_SHARE = 1e-6
BALANCED = SIMILARITIES["balanced"]

_NEAR = 0.25  # the least cosine of two values of one attribute


class PairModel(NamedTuple):
    """Some small networks of one hidden layer, each telling apart: the same, a change, neither.

    hidden: inputs x (networks * units), and what is added; told: networks x units x 3, and what is added; least: the
    log odds from which on it is a change; scale: the slope and the offset that make a similarity of the log odds of the
    same; `embedder`: the model whose vectors it was trained on.
    """

    hidden: Vector
    hidden_bias: Vector
    told: Vector
    told_bias: Vector
    least: Vector
    scale: Vector
    embedder: str

    def change(self, old: str, new: str, old_vector: Vector, new_vector: Vector) -> float:
        """How surely the new text changes the old one; above 0 is yes."""
        return float(self.log_odds(pair_features(old, new, old_vector, new_vector))[1] - self.least)

    def similarity(self, one: str, other: str, vector: Vector, more: Vector) -> float:
        """How surely both texts say the same, 0 to 1, whichever comes first; 0 where the later one changes the earlier.

        Calibrated on pairs that were left out in training: of those at .8, four of five say the same.
        """
        orders = (one, other, vector, more), (other, one, more, vector)
        odds = [self.log_odds(pair_features(*order)) for order in orders]
        if max(found[1] for found in odds) > self.least:
            return 0.0
        slope, offset = self.scale
        return float(1 / (1 + np.exp(-(slope * np.mean([found[0] for found in odds]) + offset))))

    def log_odds(self, row: Vector) -> Vector:
        """The log odds of the same and of a change, by the mean of what the networks say."""
        units = np.maximum(row @ self.hidden + self.hidden_bias, 0).reshape(len(self.told), 1, -1)
        logits = (units @ self.told)[:, 0] + self.told_bias
        logits -= logits.max(axis=1, keepdims=True)
        shares = np.exp((logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))).mean(axis=0))
        shares = np.clip(shares / shares.sum(), _LEAST_SHARE, 1 - _LEAST_SHARE)
        odds: Vector = np.log(shares / (1 - shares))[:2]
        return odds


class Verdict(NamedTuple):
    """What a new text does to an old one: neither, one of both."""

    same: bool
    change: bool


def judged(
    old: str, new: str, old_vector: Vector | None, new_vector: Vector | None, embedder: str, least: float = BALANCED
) -> Verdict:
    """Judges a pair by its words and vectors; neither of both without vectors, or with those of another model.

    `least`: the similarity from which on both say the same; what may be an update in either order never does.
    """
    if old_vector is None or new_vector is None or embedder != pair_model().embedder:
        return Verdict(same=False, change=False)
    texts = old, new, old_vector, new_vector
    change, long = pair_model().change(*texts) > 0, is_long(old) or is_long(new)
    if change or long:
        return Verdict(same=False, change=change)
    may_be_same = float(old_vector @ new_vector) > LEAST_COSINE and not must_differ(old, new)
    if may_be_same and pair_model().similarity(*texts) >= least:
        return Verdict(same=True, change=False)
    return Verdict(same=False, change=is_value_changed(old, new))


def is_another_value(
    old: str, new: str, old_vector: Vector | None, new_vector: Vector | None, embedder: str, least: float
) -> bool:
    """Whether a new text tells another value of what an old one tells; never without vectors, or with another model's.

    `least`: how far above the threshold of a change it must be at least; below 0 where a question asks for both.
    """
    if old_vector is None or new_vector is None or embedder != pair_model().embedder:
        return False
    if float(old_vector @ new_vector) < _NEAR:
        return False
    return pair_model().change(old, new, old_vector, new_vector) > least or is_value_changed(old, new)


@loaded_once
def pair_model() -> PairModel:
    """The model of the package."""
    with np.load(DATA / "pairs.npz") as arrays:
        names = PairModel._fields[:-1]
        return PairModel(**{name: arrays[name].astype(np.float32) for name in names}, embedder=str(arrays["embedder"]))
