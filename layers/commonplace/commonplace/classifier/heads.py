"""Linear heads over a text's hashed features and its embedding, in as few bytes as they work with."""

from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from commonplace.classifier.features import features

Vector = NDArray[np.float32]


class Heads(NamedTuple):
    """Heads are columns: `words` times `scales` weigh the hashed features, `vector` the embedding."""

    words: NDArray[np.int8]
    scales: NDArray[np.float32]
    vector: NDArray[np.float16]

    @classmethod
    def of(cls, words: NDArray[np.float64], vector: NDArray[np.float64]) -> Self:
        """Weights as they were fitted, rounded: those of the words to a byte each."""
        scales = np.abs(words).max(axis=0) / 127.0
        return cls(np.rint(words / scales).astype(np.int8), scales.astype(np.float32), vector.astype(np.float16))

    def scores(self, text: str, vector: Vector | None) -> Vector:
        """One score per head, about -1 (no) to 1 (yes). `vector`: the text's embedding, None where it has none."""
        seen = features(text)
        total: Vector = (seen.values @ self.words[seen.slots].astype(np.float32)) * self.scales
        if vector is not None:
            total = total + vector @ self.vector.astype(np.float32)
        return total

    def same(self, other: "Heads") -> bool:
        """Whether two are one, but for the last bit that another processor may round otherwise."""
        if self.words.shape != other.words.shape:
            return False
        apart = np.abs(self.words.astype(np.int16) - other.words).max()
        return bool(apart <= 1 and np.allclose(self.vector, other.vector, atol=0.01))
