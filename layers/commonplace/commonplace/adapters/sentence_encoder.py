"""The default embedder: two small sentence encoders, English and multilingual, in one vector of 256 dimensions.

all-MiniLM-L6-v2 knows English best, multilingual-e5-small some forty languages in Latin script and Japanese. The vector
of an English text is for the larger part MiniLM's, that of any other text is e5's alone. The mean over our own statements
is taken out of both, and their 128 main directions stay (`training/make_encoders.py`), so that texts of no kinship have
a cosine near 0. One text of 16 pieces takes some 5 ms on one core.
"""

import functools
import math
import os
import re
import unicodedata
from array import array
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from commonplace.adapters.word_pieces import word_pieces
from commonplace.domain.loading import DATA, loaded_once
from commonplace.ports.values import Vector
from commonplace.text.foundation.languages import ENGLISH, language_of

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Array = npt.NDArray[np.float32]

_FOLDER = DATA / "encoders"
_ENGLISH_SHARE = 0.65  # of MiniLM in the vector of an English text; the rest is of e5
_MOST_UNKNOWN = 0.1  # of the pieces of a text that has a vector
_REMEMBERED = 128  # texts whose vectors stay at hand: one request asks for the same text more than once
_WINDOW, _MOST_WINDOWS = 256, 4
_QUERY = "query:"  # e5 was trained with it; the same before questions and memories, so that likeness is symmetric
SPACE = "\u2581"
_UNKNOWN_COST = 10.0  # of a character that is no piece, below the least likely piece, as in SentencePiece


class Unigram:
    """A vocabulary of pieces with their log probabilities. `unknown`: the id of what no piece covers."""

    def __init__(self, pieces: Sequence[str], scores: Sequence[float], unknown: int) -> None:
        self._ids: Mapping[str, int] = dict(zip(pieces, range(len(pieces)), strict=True))
        self._scores, self._unknown = scores, unknown
        self._longest = max(map(len, pieces))
        self._least = min(scores) - _UNKNOWN_COST
        self._cut = functools.lru_cache(maxsize=4096)(self._best_cut)

    def ids(self, text: str) -> list[int]:
        """The ids of its pieces; a run of characters that no piece covers is one `unknown`."""
        found: list[int] = []
        for word in _words(text):
            for number in self._cut(word):
                if number != self._unknown or not found or found[-1] != number:
                    found.append(number)
        return found

    def _best_cut(self, word: str) -> tuple[int, ...]:
        """Viterbi over the ends of pieces."""
        best = [0.0] + [float("-inf")] * len(word)
        came_from: list[tuple[int, int]] = [(0, 0)] * (len(word) + 1)
        for start in range(len(word)):
            for end in range(start + 1, min(len(word), start + self._longest) + 1):
                number = self._ids.get(word[start:end])
                if number is None and end > start + 1:
                    continue
                score = best[start] + (self._least if number is None else self._scores[number])
                if score > best[end]:
                    best[end], came_from[end] = score, (start, self._unknown if number is None else number)
        cut: list[int] = []
        at = len(word)
        while at:
            at, number = came_from[at]
            cut.append(number)
        return tuple(reversed(cut))


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


class SentenceEncoder:
    """Embeds English, other languages in Latin script, and Japanese; texts of other scripts get no vector."""

    name = "minilm-e5-small-256"
    dimension = 256

    def embed(self, text: str) -> Vector | None:
        """A unit vector, or None for a text of which more than a tenth is in no script that the models know."""
        found = _of_text(_as_said(text))
        return None if found is None else found.vector

    def features(self, text: str) -> Vector | None:
        """What both models make of a text, 1,536 numbers from the run that made its vector: last and middle layer of MiniLM
        (zeros where the text is not English), then of e5."""
        found = _of_text(_as_said(text))
        return None if found is None else found.features

    def embed_question(self, text: str) -> Vector | None:
        """A unit vector that lies nearer to what answers the question, by a linear map (`training/make_questions.py`).

        "How old am I?" and "I'm 43" share a matter and no word: neither model was trained on what people tell of themselves.
        """
        vector = self.embed(text)
        return None if vector is None else unit(vector + vector @ _towards_answers())

    def embed_all(self, texts: Sequence[str]) -> list[Vector | None]:
        """The vectors of many texts, in their order."""
        return [self.embed(text) for text in texts]


_OF_THE_USER, _THE_USER = (re.compile(rf"\b(?:the )?user{end}\b", re.IGNORECASE) for end in ("['’]s", ""))
_CLOSING = tuple('”“»」"')


def _as_said(text: str) -> str:
    """The text as the user would say it: an agent asks for "the user's job", and who told of it said "my job"."""
    if text.endswith(_CLOSING):
        from commonplace.text.third_person import frames  # a question hardly ever ends so: it does not pay for the import

        for before, after in frames().values():
            if text.startswith(before) and text.endswith(after):
                return text[len(before) : -len(after)] or text
    return _THE_USER.sub("I", _OF_THE_USER.sub("my", text))


class _Embedded(NamedTuple):
    vector: Vector
    features: Vector


@functools.lru_cache(maxsize=_REMEMBERED)
def _of_text(text: str) -> _Embedded | None:
    import numpy as np

    multilingual = e5(_FOLDER)
    ids = multilingual.ids(text)
    unknown = ids.count(multilingual.unknown)
    if not ids or unknown > _MOST_UNKNOWN * len(ids):
        return None
    many = multilingual.mean_vectors(ids)
    second = _projected("e5", many.last)
    if language_of(text) != ENGLISH:
        absent = np.zeros_like(many.last)
        return _Embedded(np.concatenate([np.zeros_like(second), second]), np.concatenate([absent, absent, *many]))
    english = minilm(_FOLDER)
    one = english.mean_vectors(english.ids(text))
    first = _projected("minilm", one.last)
    both = np.concatenate([math.sqrt(_ENGLISH_SHARE) * first, math.sqrt(1 - _ENGLISH_SHARE) * second])
    return _Embedded(both.astype(np.float32), np.concatenate([*one, *many]))


@loaded_once
def _projection() -> "dict[str, Array]":
    import numpy as np

    with np.load(_FOLDER / "projection.npz") as arrays:
        return dict(arrays)


@loaded_once
def _towards_answers() -> "Array":
    """What is added to the vector of a question, as a map of 256 to 256 numbers."""
    import numpy as np

    moved: Array = np.load(DATA / "questions.npy").astype(np.float32)
    return moved


def _projected(name: str, vector: "Array") -> "Array":
    found = _projection()
    return unit(found[f"{name}_axes"] @ (vector - found[f"{name}_mean"]))


@loaded_once
def minilm(folder: Path) -> EncoderModel:
    """all-MiniLM-L6-v2 of the folder of models."""
    pieces = lines(folder / "minilm" / "pieces.txt")
    numbers = {piece: number for number, piece in enumerate(pieces)}
    unknown = numbers["[UNK]"]

    def ids(text: str) -> list[int]:
        return [number for _, found in word_pieces(text, numbers) for number in found or (unknown,)]

    return EncoderModel(*_opened(folder / "minilm"), ids, (numbers["[CLS]"],), (numbers["[SEP]"],), unknown)


@loaded_once
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

    os.environ["ORT_DISABLE_TELEMETRY"] = "1"  # or the import writes an id of this device to the home folder, to report by it
    import onnxruntime

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


def _words(text: str) -> list[str]:
    """The words of a text in the form that the pieces have: composed, each behind the mark of a space."""
    composed = "".join(_character(char) for char in unicodedata.normalize("NFKC", text))
    return [SPACE + word for word in composed.replace(SPACE, " ").split()]


@functools.lru_cache(maxsize=8192)
def _character(char: str) -> str:
    if char.isspace():
        return " "
    return "" if unicodedata.category(char) in ("Cc", "Cf") else char
