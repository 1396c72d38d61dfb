"""The trained model of pairs: whether a new text says the same as an old one, or leaves it untrue."""

import functools
from importlib.resources import as_file, files
from typing import NamedTuple

import numpy as np

from commonplace.text.paraphrase.pair_features import (
    Vector,
    difference,
    is_long,
    is_value_changed,
    must_differ,
    pair_features,
)

__all__ = ["PairModel", "Verdict", "difference", "judged", "pair_model"]


LEAST_COSINE = 0.65
"""Below it two texts are of one topic at the most; the heads were taught little of pairs so far apart."""


class PairModel(NamedTuple):
    """Two linear heads, a column each: the same, and a change. `embedder`: the model whose vectors it was trained on."""

    weights: Vector
    least: Vector
    embedder: str

    def scores(self, old: str, new: str, old_vector: Vector, new_vector: Vector) -> tuple[float, float]:
        """How surely the new text says the same, and how surely it changes the old one; above 0 is yes."""
        found = pair_features(old, new, old_vector, new_vector) @ self.weights - self.least
        return float(found[0]), float(found[1])


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


@functools.cache
def pair_model() -> PairModel:
    """The model of the package."""
    with as_file(files("commonplace") / "data" / "pairs.npz") as path, np.load(path) as arrays:
        return PairModel(arrays["weights"], arrays["least"], str(arrays["embedder"]))
