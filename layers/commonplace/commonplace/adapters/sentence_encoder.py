"""The default embedder. It combines two multilingual sentence encoders in one vector of 256 dimensions.

The Universal Sentence Encoder reads sixteen languages and is trained on questions and answers. multilingual-e5-small covers
Japanese and about forty languages in Latin script. Each encoder's mean is subtracted, and 128 directions remain, which were
learned from statements, questions and the facts that answer them (`training/make_directions.py`). Unrelated texts then have
a cosine near 0. A text of 16 pieces takes about 7 ms on one core.
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

from commonplace.adapters.universal_encoder import LEVELS, PieceVectors, UniversalEncoder
from commonplace.domain.loading import DATA, loaded_once
from commonplace.ports.values import Vector

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Array = npt.NDArray[np.float32]

FOLDER = DATA / "encoders"
_USE_WIDTH, _E5_WIDTH = 512, 384
_SHARES = math.sqrt(0.65), math.sqrt(0.35)  # of the Universal Sentence Encoder and of e5 in a vector
_MOST_UNKNOWN = 0.25  # a text gets a vector only if at most this share of its pieces is unknown
_MOST_UNKNOWN_TO_E5 = 0.1  # e5 lacks most Chinese characters
_REMEMBERED = 128  # texts in the cache; one request embeds the same text more than once
_WINDOW, _MOST_WINDOWS = 256, 4
_QUERY = "query:"  # e5 was trained with this prefix; questions and memories both get it, so that similarity is symmetric
SPACE = "\u2581"
_UNKNOWN_COST = 10.0  # an unknown character scores this much less than the least likely piece, as in SentencePiece


class Unigram:
    """A vocabulary of pieces with their log probabilities (`scores`). `unknown` is the id for text that no piece covers."""

    def __init__(self, pieces: Sequence[str], scores: Sequence[float], unknown: int) -> None:
        self._ids: Mapping[str, int] = dict(zip(pieces, range(len(pieces)), strict=True))
        self.scores, self.unknown = scores, unknown
        self._longest = max(map(len, pieces))
        self._least = min(scores) - _UNKNOWN_COST
        self._cut = functools.lru_cache(maxsize=4096)(self._find_best_cut)

    def ids(self, text: str) -> list[int]:
        """Return the ids of a text's pieces. Consecutive characters that no piece covers become one `unknown`."""
        pieces: list[int] = []
        for word in _split_words(text):
            for number in self._cut(word):
                if number != self.unknown or not pieces or pieces[-1] != number:
                    pieces.append(number)
        return pieces

    def _find_best_cut(self, word: str) -> tuple[int, ...]:
        best = [0.0] + [float("-inf")] * len(word)
        came_from: list[tuple[int, int]] = [(0, 0)] * (len(word) + 1)
        for start in range(len(word)):
            for end in range(start + 1, min(len(word), start + self._longest) + 1):
                number = self._ids.get(word[start:end])
                if number is None and end > start + 1:
                    continue
                score = best[start] + (self._least if number is None else self.scores[number])
                if score > best[end]:
                    best[end], came_from[end] = score, (start, self.unknown if number is None else number)
        cut: list[int] = []
        at = len(word)
        while at:
            at, number = came_from[at]
            cut.append(number)
        return tuple(reversed(cut))


class Means(NamedTuple):
    """Mean vectors of two layers, 384 numbers each. The `last` layer represents the topic, the `middle` layer the wording."""

    last: "Array"
    middle: "Array"


@dataclass(frozen=True)
class EncoderModel:
    """One encoder. `before` and `after` are ids around each window. `unknown` is the id for text that no piece covers."""

    words: "npt.NDArray[np.uint8]"
    scales: "npt.NDArray[np.float16]"
    session: Any
    ids: Callable[[str], list[int]]
    before: tuple[int, ...]
    after: tuple[int, ...]
    unknown: int

    def mean_vectors(self, ids: list[int]) -> "Means":
        """Return the mean vectors for the ids of a text. A long text is split into up to four windows of equal length."""
        import numpy as np

        ids = ids[: _MOST_WINDOWS * _WINDOW]
        windows = max(1, math.ceil(len(ids) / _WINDOW))
        size = math.ceil(len(ids) / windows)
        means = [self._encode_ids(ids[size * at : size * (at + 1)]) for at in range(windows)]
        return Means(unit(np.mean([mean.last for mean in means], axis=0)), np.mean([mean.middle for mean in means], axis=0))

    def _encode_ids(self, ids: list[int]) -> "Means":
        import numpy as np

        rows = self._unpack_rows([*self.before, *ids, *self.after])[None]
        inputs = {"words": rows, "attention_mask": np.ones(rows.shape[:2], dtype=np.int64)}
        last, middle = self.session.run(None, inputs)
        return Means(unit(last[0] if last.ndim == 2 else last[0].mean(axis=0)), middle[0].mean(axis=0))

    def _unpack_rows(self, ids: list[int]) -> "Array":
        """Unpack rows of the word table. A value is its 4-bit weight minus 8, times the scale of its block of 32."""
        import numpy as np

        packed, scales = self.words[ids], self.scales[ids]
        numbers = np.concatenate([packed & 15, packed >> 4], axis=-1).astype(np.float32) - 8
        rows: Array = (numbers * scales[..., None].astype(np.float32)).reshape(len(ids), -1)
        return rows


class SentenceEncoder:
    """Embeds texts in the sixteen languages of the Universal Sentence Encoder, and in others with the same scripts."""

    name = "use-e5-256"
    dimension = 256

    def embed(self, text: str) -> Vector | None:
        """Return a unit vector, or None if the models don't know more than a quarter of the text."""
        return self._project(text, "statement")

    def embed_question(self, text: str) -> Vector | None:
        """Return a unit vector near the vectors of possible answers.

        "How old am I?" and "I'm 43" share a topic but no word, and neither model was trained on personal statements.
        """
        return self._project(text, "question")

    def features(self, text: str) -> Vector | None:
        """Return 1,792 features of a text: two layers of each encoder. The features of e5 are 0 if it can't read the text."""
        return _encode_text(_rewrite_as_user(text))

    def _project(self, text: str, kind: str) -> Vector | None:
        features = self.features(text)
        if features is None:
            return None
        mean, axes = _load_directions(kind)
        return unit(center(both_vectors(features), mean) @ axes)

    def embed_all(self, texts: Sequence[str]) -> list[Vector | None]:
        """Return the vectors of many texts, in their order."""
        return [self.embed(text) for text in texts]


_OF_THE_USER, _THE_USER = (re.compile(rf"\b(?:the )?user{end}\b", re.IGNORECASE) for end in ("['’]s", ""))
_CLOSING = tuple('”“»」"')


def _rewrite_as_user(text: str) -> str:
    """Rewrite a text in the user's words. An agent asks for "the user's job", but the user said "my job"."""
    if text.endswith(_CLOSING):
        from commonplace.text.third_person import frames  # deferred, as few questions end like this

        for before, after in frames().values():
            if text.startswith(before) and text.endswith(after):
                return text[len(before) : -len(after)] or text
    return _THE_USER.sub("I", _OF_THE_USER.sub("my", text))


@functools.lru_cache(maxsize=_REMEMBERED)
def _encode_text(text: str) -> Vector | None:
    import numpy as np

    unigram, multilingual = use_words(FOLDER).unigram, e5(FOLDER)
    ids, ids_of_e5 = unigram.ids(text), multilingual.ids(text)
    if not is_known(ids, unigram.unknown):
        return None
    if is_known(ids_of_e5, multilingual.unknown, _MOST_UNKNOWN_TO_E5):
        means = multilingual.mean_vectors(ids_of_e5)
    else:
        means = Means(np.zeros(_E5_WIDTH, dtype=np.float32), np.zeros(_E5_WIDTH, dtype=np.float32))
    return np.concatenate([*use(FOLDER).encode(ids), *means])


def both_vectors(features: Vector) -> Vector:
    """Return the unit vectors of both encoders, 896 numbers. The part of e5 is 0 if it can't read the text."""
    import numpy as np

    return np.concatenate([unit(features[:_USE_WIDTH]), features[2 * _USE_WIDTH : 2 * _USE_WIDTH + _E5_WIDTH]])


def center(vectors: Vector, mean: Vector) -> Vector:
    """Subtract the mean from the vectors of both encoders, and weight them. Returns a unit vector of 896 numbers."""
    import numpy as np

    centered = vectors - mean
    if not vectors[_USE_WIDTH:].any():
        centered[_USE_WIDTH:] = 0
    parts = [share * unit(part) for share, part in zip(_SHARES, np.split(centered, [_USE_WIDTH]), strict=True)]
    return unit(np.concatenate(parts))


def is_known(ids: Sequence[int], unknown: int, most: float = _MOST_UNKNOWN) -> bool:
    """Return whether a text has pieces, and at most this share of them is unknown."""
    return bool(ids) and ids.count(unknown) <= most * len(ids)


@loaded_once
def _load_directions(kind: str) -> "tuple[Array, Array]":
    """Return the mean and the directions for a "statement" or a "question"."""
    import numpy as np

    with np.load(FOLDER / "directions.npz") as arrays:
        return arrays[f"{kind}_mean"].astype(np.float32), arrays[f"{kind}_axes"].astype(np.float32)


class UniversalWords(NamedTuple):
    """The vocabulary of the Universal Sentence Encoder, and the vectors of its pieces."""

    unigram: Unigram
    vectors: PieceVectors


@loaded_once
def use_words(folder: Path) -> UniversalWords:
    """Load the words of the Universal Sentence Encoder from the models folder. Its layers are not loaded."""
    folder /= "use"
    pieces = lines(folder / "pieces.txt")
    tables = {bits: _map_array(folder / f"words{bits}.npy") for bits in LEVELS}
    unigram = Unigram(pieces, _load_scores(folder), pieces.index("<unk>"))
    return UniversalWords(unigram, PieceVectors(tables, _map_array(folder / "scales.npy")))


@loaded_once
def use(folder: Path) -> UniversalEncoder:
    """Load the Universal Sentence Encoder from the models folder."""
    return UniversalEncoder(use_words(folder).vectors, _open_session(folder / "use"))


@loaded_once
def e5(folder: Path) -> EncoderModel:
    """Load multilingual-e5-small from the models folder."""
    folder /= "e5"
    pieces = lines(folder / "pieces.txt")
    begins, ends, unknown = map(pieces.index, ("<s>", "</s>", "<unk>"))
    unigram = Unigram(pieces, _load_scores(folder), unknown)
    words, scales = _map_array(folder / "words.npy"), _map_array(folder / "scales.npy")
    return EncoderModel(words, scales, _open_session(folder), unigram.ids, (begins, *unigram.ids(_QUERY)), (ends,), unknown)


def _load_scores(folder: Path) -> Sequence[float]:
    import numpy as np

    scores = np.load(folder / "scores.npy").astype(np.float32)
    return array("f", scores.tobytes())  # a list of floats would be eight times as large


def lines(path: Path) -> list[str]:
    return path.read_bytes().decode("utf-8").removesuffix("\n").split("\n")


def _map_array(path: Path) -> Any:
    import numpy as np

    return np.load(path, mmap_mode="r")


def _open_session(folder: Path) -> Any:
    os.putenv("ORT_DISABLE_TELEMETRY", "1")  # before the import, which writes an id of this device to the home folder
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1  # more threads don't help with texts this short
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC  # unpacks weights of 8 bits once
    return onnxruntime.InferenceSession(folder / "layers.onnx", options, providers=["CPUExecutionProvider"])


def unit(vector: "Array") -> "Array":
    """Scale a vector to length 1. A zero vector stays unchanged."""
    import numpy as np

    length = float(np.linalg.norm(vector))
    scaled: Array = (vector / np.float32(length or 1.0)).astype(np.float32)
    return scaled


def _split_words(text: str) -> list[str]:
    """Return the words of a text in the form of the vocabulary: composed, with a space mark before each word."""
    composed = "".join(_clean_character(char) for char in unicodedata.normalize("NFKC", text))
    return [SPACE + word for word in composed.replace(SPACE, " ").split()]


@functools.lru_cache(maxsize=8192)
def _clean_character(char: str) -> str:
    if char.isspace():
        return " "
    return "" if unicodedata.category(char) in ("Cc", "Cf") else char
