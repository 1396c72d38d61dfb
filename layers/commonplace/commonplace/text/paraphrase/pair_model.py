"""The trained model of pairs: whether a new text says the same as an old one, or leaves it untrue."""

import functools
from importlib.resources import as_file, files
from typing import NamedTuple

import numpy as np

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


_NEAR_ENGLISH, _NEAR = 0.42, 0.6  # cosines of texts of one attribute; other languages' vectors all lie nearer to each other
_SURER = 0.5  # how much surer a change must be in other languages


class PairModel(NamedTuple):
    """Some small networks of one hidden layer, each telling apart: the same, a change, neither.

    hidden: inputs x (networks * units), and what is added; told: networks x units x 3, and what is added; least: the
    log odds from which on it is the same, or a change; `embedder`: the model whose vectors it was trained on.
    """

    hidden: Vector
    hidden_bias: Vector
    told: Vector
    told_bias: Vector
    least: Vector
    embedder: str

    def scores(self, old: str, new: str, old_vector: Vector, new_vector: Vector) -> tuple[float, float]:
        """How surely the new text says the same, and how surely it changes the old one; above 0 is yes."""
        found = self.log_odds(pair_features(old, new, old_vector, new_vector)) - self.least
        return float(found[0]), float(found[1])

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


def judged(old: str, new: str, old_vector: Vector | None, new_vector: Vector | None, embedder: str) -> Verdict:
    """Judges a pair by its words and vectors; neither of both without vectors, or with those of another model."""
    if old_vector is None or new_vector is None or embedder != pair_model().embedder:
        return Verdict(same=False, change=False)
    same, change = pair_model().scores(old, new, old_vector, new_vector)
    if is_long(old) or is_long(new):
        return Verdict(same=False, change=change > 0)
    says_the_same = same > 0 and float(old_vector @ new_vector) > LEAST_COSINE and not must_differ(old, new)
    return Verdict(same=says_the_same, change=not says_the_same and (change > 0 or is_value_changed(old, new)))


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
    return pair_model().scores(old, new, old_vector, new_vector)[1] > least + more or is_value_changed(old, new)


@functools.cache
def pair_model() -> PairModel:
    """The model of the package."""
    with as_file(files("commonplace") / "data" / "pairs.npz") as path, np.load(path) as arrays:
        names = PairModel._fields[:-1]
        return PairModel(**{name: arrays[name].astype(np.float32) for name in names}, embedder=str(arrays["embedder"]))
