"""One sentence encoder: a word table, layers as an ONNX graph, and the pieces that a text is cut into."""

import functools
import math
from array import array
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from commonplace.adapters.unigram import Unigram
from commonplace.adapters.word_pieces import word_pieces

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Array = npt.NDArray[np.float32]

_WINDOW, _MOST_WINDOWS = 256, 4
_QUERY = "query:"  # e5 was trained with it; the same before questions and memories, so that likeness is symmetric


class Means(NamedTuple):
    """What one encoder makes of a text: the unit vector of its last layer, and the mean of a layer half way, 384 each.

    The last layer was trained to tell what a text is about; half way more is left of how it is said.
    """

    last: "Array"
    middle: "Array"


@dataclass(frozen=True)
class EncoderModel:
    """One encoder: its word table, mapped into memory, its layers, and how a text becomes ids of pieces.

    `before`, `after`: the ids around each window; `unknown`: the id of what is no piece.
    """

    words: "npt.NDArray[np.uint8]"
    scales: "npt.NDArray[np.float16]"
    session: Any
    ids: Callable[[str], list[int]]
    before: tuple[int, ...]
    after: tuple[int, ...]
    unknown: int

    def mean_vectors(self, ids: list[int]) -> "Means":
        """The vectors of a text's ids; of a long one the means over at most four windows of equal length."""
        import numpy as np

        ids = ids[: _MOST_WINDOWS * _WINDOW]
        windows = max(1, math.ceil(len(ids) / _WINDOW))
        size = math.ceil(len(ids) / windows)
        found = [self._encoded(ids[size * at : size * (at + 1)]) for at in range(windows)]
        return Means(unit(np.mean([one.last for one in found], axis=0)), np.mean([one.middle for one in found], axis=0))

    @functools.cached_property
    def _has_types(self) -> bool:
        """Whether the layers ask of which of two texts each piece is."""
        return any(one.name == "token_type_ids" for one in self.session.get_inputs())

    def _encoded(self, ids: list[int]) -> "Means":
        """The means of two layers' vectors over the pieces. No padding: one text at a time."""
        import numpy as np

        rows = self._rows([*self.before, *ids, *self.after])[None]
        given = {"words": rows, "attention_mask": np.ones(rows.shape[:2], dtype=np.int64)}
        if self._has_types:
            given["token_type_ids"] = np.zeros(rows.shape[:2], dtype=np.int64)
        last, middle = self.session.run(None, given)
        return Means(unit(last[0] if last.ndim == 2 else last[0].mean(axis=0)), middle[0].mean(axis=0))

    def _rows(self, ids: list[int]) -> "Array":
        """Rows of the word table, unpacked: four bits a weight, less 8, times the scale of its block of 32."""
        import numpy as np

        packed, scales = self.words[ids], self.scales[ids]
        numbers = np.concatenate([packed & 15, packed >> 4], axis=-1).astype(np.float32) - 8
        rows: Array = (numbers * scales[..., None].astype(np.float32)).reshape(len(ids), -1)
        return rows


def minilm(folder: Path) -> EncoderModel:
    """all-MiniLM-L6-v2 of the folder of models."""
    pieces = lines(folder / "minilm" / "pieces.txt")
    numbers = {piece: number for number, piece in enumerate(pieces)}
    unknown = numbers["[UNK]"]

    def ids(text: str) -> list[int]:
        return [number for _, found in word_pieces(text, numbers) for number in found or (unknown,)]

    return EncoderModel(*_opened(folder / "minilm"), ids, (numbers["[CLS]"],), (numbers["[SEP]"],), unknown)


def e5(folder: Path) -> EncoderModel:
    """multilingual-e5-small of the folder of models."""
    import numpy as np

    pieces = lines(folder / "e5" / "pieces.txt")
    begins, ends, unknown = map(pieces.index, ("<s>", "</s>", "<unk>"))
    scores = array("f", np.load(folder / "e5" / "scores.npy").tobytes())  # as a list of floats it has eight times the size
    unigram = Unigram(pieces, scores, unknown)
    return EncoderModel(*_opened(folder / "e5"), unigram.ids, (begins, *unigram.ids(_QUERY)), (ends,), unknown)


def lines(path: Path) -> list[str]:
    return path.read_bytes().decode("utf-8").removesuffix("\n").split("\n")


def _opened(folder: Path) -> tuple[Any, Any, Any]:
    import numpy as np
    import onnxruntime

    onnxruntime.disable_telemetry_events()  # its builds for Windows have some
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1  # a text is too short to share
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL  # done when the file was made
    session = onnxruntime.InferenceSession(folder / "layers.onnx", options, providers=["CPUExecutionProvider"])
    return np.load(folder / "words.npy", mmap_mode="r"), np.load(folder / "scales.npy", mmap_mode="r"), session


def unit(vector: "Array") -> "Array":
    import numpy as np

    length = float(np.linalg.norm(vector))
    scaled: Array = (vector / np.float32(length or 1.0)).astype(np.float32)
    return scaled
