"""Google's Universal Sentence Encoder multilingual v3, computed with NumPy. A text of 16 pieces takes about 3 ms on one core.

The model adds convolutions over 2, 3 and 5 neighbouring pieces to the vectors of the pieces, sums them over the text, and
passes the sum through four dense layers (Yang et al. 2019, "Multilingual Universal Sentence Encoder for Semantic Retrieval").
It was trained on sixteen languages. `training/make_encoders.py` makes the files.
"""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Array = npt.NDArray[np.float32]

LEVELS = {3: (-2.152, -1.344, -0.756, -0.2451, 0.2451, 0.756, 1.344, 2.152), 2: (-1.510, -0.4528, 0.4528, 1.510)}
"""The values of numbers with 3 bits, for frequent pieces, and with 2 bits. They are optimal for normally distributed weights
(Max 1960, "Quantizing for Minimum Distortion")."""
LANGUAGES = ("ar", "de", "en", "es", "fr", "it", "ja", "ko", "nl", "pl", "pt", "ru", "th", "tr", "zh")
"""The languages of its training. Chinese counts as two in the paper, simplified and traditional."""
_BRANCHES = ((2, 0), (3, 1), (5, 2))  # pieces per window, and how many of them come before its own piece
_BEGIN, _END = 1, 2  # ids of the pieces around a text
_MOST_PIECES, _WIDTH = 1024, 512
_VARIANCE_FLOOR = 1e-12


class TextVectors(NamedTuple):
    """The sentence vector of 512 numbers, and the pooled vector from which the last four layers compute it."""

    sentence: "Array"
    pooled: "Array"


class UniversalEncoder:
    """The model in a folder: piece vectors with 3 or 2 bits per number, and layers with 8 bits per weight."""

    def __init__(self, folder: Path) -> None:
        import numpy as np

        self._words = {bits: np.load(folder / f"words{bits}.npy", mmap_mode="r") for bits in LEVELS}
        self._scales = np.load(folder / "scales.npy")
        with np.load(folder / "layers.npz") as stored:
            self._layers = {name: _dequantize(name, stored) for name in stored.files if not name.endswith(".scale")}

    def encode(self, ids: Sequence[int]) -> TextVectors:
        """Return the vectors of one text by the ids of its pieces. Ids after the first 1,024 are ignored."""
        import numpy as np

        words = self._unpack_rows([_BEGIN, *ids[:_MOST_PIECES], _END])
        features = [words]
        for size, before in _BRANCHES:
            hidden = self._normalize(
                words @ self._layers[f"project{size}"] + self._layers[f"project{size}.bias"], f"norm{size}"
            )
            for layer in ("first", "second"):
                windows = _join_neighbour_rows(hidden, size, before)
                hidden = hidden + _apply_relu(windows @ self._layers[f"{layer}{size}"] + self._layers[f"{layer}{size}.bias"])
            features.append(hidden)
        normalized = self._normalize(np.concatenate(features, axis=1), "norm")
        pooled = (normalized.sum(0) @ self._layers["pool"] + len(words) * self._layers["pool.bias"]) / math.sqrt(len(words))
        first = _apply_relu(pooled @ self._layers["dense0"])
        second = _apply_relu(pooled @ self._layers["skip1"] + first @ self._layers["dense1"])
        third = _apply_relu(second @ self._layers["dense2"])
        return TextVectors(np.tanh(second @ self._layers["skip3"] + third @ self._layers["dense3"]), pooled)

    def _unpack_rows(self, ids: list[int]) -> "Array":
        """Unpack the vectors of pieces. A few bits select a level, which is multiplied by the scale of the piece."""
        import numpy as np

        numbers = np.array(ids)
        rows, first = np.empty((len(ids), _WIDTH), dtype=np.float32), 0
        for bits, words in self._words.items():
            is_here = (numbers >= first) & (numbers < first + len(words))
            unpacked = np.unpackbits(words[numbers[is_here] - first], axis=1).reshape(-1, _WIDTH, bits)
            rows[is_here] = np.array(LEVELS[bits], dtype=np.float32)[unpacked @ np.array([4, 2, 1][-bits:], dtype=np.uint8)]
            first += len(words)
        rows *= self._scales[numbers, None]
        return rows

    def _normalize(self, rows: "Array", name: str) -> "Array":
        import numpy as np

        centered = rows - rows.mean(axis=1, keepdims=True)
        deviation = np.sqrt((centered**2).mean(axis=1, keepdims=True) + _VARIANCE_FLOOR)
        normalized: Array = centered / deviation * self._layers[f"{name}.gain"] + self._layers[f"{name}.bias"]
        return normalized


def _join_neighbour_rows(rows: "Array", size: int, before: int) -> "Array":
    """Return one row per piece, which joins the rows of the pieces around it. Outside of the text, they are zeros."""
    import numpy as np

    padded = np.pad(rows, ((before, size - 1 - before), (0, 0)))
    windows: Array = np.concatenate([padded[at : at + len(rows)] for at in range(size)], axis=1)
    return windows


def _apply_relu(rows: "Array") -> "Array":
    import numpy as np

    positive: Array = np.maximum(rows, 0)
    return positive


def _dequantize(name: str, stored: "Mapping[str, npt.NDArray[Any]]") -> "Array":
    import numpy as np

    scale = stored.get(f"{name}.scale", 1.0)
    weights: Array = (stored[name] * scale).astype(np.float32)
    return weights
