"""The trained model of pairs: whether a new text says the same as an old one, or leaves it untrue."""

import functools
from importlib.resources import as_file, files
from typing import NamedTuple

import numpy as np

from commonplace.domain.taxonomy import SIMILARITIES
from commonplace.text.paraphrase.pair_features import (
    Vector,
    difference,
    is_english,
    is_long,
    is_value_changed,
    must_differ,
    pair_features,
)

__all__ = ["PairModel", "Verdict", "difference", "is_another_value", "judged", "pair_model"]


LEAST_COSINE = 0.5
"""Below it two texts are of one topic at the most; few pairs so far apart were taught."""
_LEAST_SHARE = 1e-6
BALANCED = SIMILARITIES["balanced"]

_NEAR_ENGLISH, _NEAR = 0.42, 0.6  # cosines of texts of one attribute; other languages' vectors all lie nearer to each other
_SURER = 0.5  # how much surer a change must be in other languages


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
    near, more = (_NEAR_ENGLISH, 0.0) if is_english(old_vector, new_vector) else (_NEAR, _SURER)
    if float(old_vector @ new_vector) < near:
        return False
    return pair_model().change(old, new, old_vector, new_vector) > least + more or is_value_changed(old, new)


@functools.cache
def pair_model() -> PairModel:
    """The model of the package."""
    with as_file(files("commonplace") / "data" / "pairs.npz") as path, np.load(path) as arrays:
        names = PairModel._fields[:-1]
        return PairModel(**{name: arrays[name].astype(np.float32) for name in names}, embedder=str(arrays["embedder"]))
