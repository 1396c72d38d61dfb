"""Heads over what the sentence encoders tell of a text, kept as bytes."""

import functools
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float32]


@dataclass(frozen=True)
class Encoded:
    """Heads over a text's features by the sentence encoders: `single` weighs them, `pairs` times `scales` the products of any
    two of their main directions (`axes`). The products tell what no number alone does: a wish to the assistant from a wish
    for oneself. `mean`, `widths`: of the features among statements."""

    mean: NDArray[np.float32]
    widths: NDArray[np.float32]
    axes: NDArray[np.float16]
    single: NDArray[np.float16]
    pairs: NDArray[np.int8]
    scales: NDArray[np.float32]

    def scores(self, found: Vector) -> Vector:
        """What a text's features add to the score of each head."""
        axes, single, pairs = self._weights
        seen = scaled(found, self.mean, self.widths)
        main = axes @ seen
        first, second, widths = pairs_of(len(main))
        total: Vector = seen @ single
        return total + ((main[first] * main[second] * widths) @ pairs) * self.scales

    @functools.cached_property
    def _weights(self) -> tuple[Vector, Vector, Vector]:
        return self.axes.astype(np.float32), self.single.astype(np.float32), self.pairs.astype(np.float32)

    def same(self, other: "Encoded") -> bool:
        """Whether two say nearly the same: the directions of another processor's run may be turned a little."""
        if self.axes.shape != other.axes.shape or self.single.shape != other.single.shape:
            return False
        drawn = np.random.default_rng(0).standard_normal((50, len(self.mean)), dtype=np.float32)
        texts = drawn / np.maximum(self.widths, 1e-3) + self.mean
        mine, others = (np.stack([model.scores(text) for text in texts]) for model in (self, other))
        return bool(np.allclose(mine, others, atol=0.05))


def scaled(found: Vector, mean: Vector, widths: Vector) -> Vector:
    """Features of texts [..., numbers] by how far they are from the mean, unit length; zeros tell nothing and stay zero."""
    seen = np.where(found == 0.0, np.float32(0.0), (found - mean) * widths)
    lengths = np.linalg.norm(seen, axis=-1, keepdims=True)
    made: Vector = (seen / np.maximum(lengths, 1e-9)).astype(np.float32)
    return made


@functools.cache
def pairs_of(dimension: int) -> tuple[NDArray[np.intp], NDArray[np.intp], Vector]:
    """Which two numbers of a vector are multiplied, and how much the product counts: so that the scalar product of all
    products of two vectors is that of the vectors, squared."""
    first, second = np.triu_indices(dimension)
    return first, second, np.where(first == second, 1.0, 2.0**0.5).astype(np.float32)
