"""The default embedder: one vector per word piece, their mean, unit length. No model server, 0.1-0.3 ms a text."""

import functools
import unicodedata
from collections.abc import Sequence
from typing import TYPE_CHECKING

from commonplace.adapters.word_pieces import word_pieces
from commonplace.domain.loading import DATA, loaded_once
from commonplace.ports.values import Vector

if TYPE_CHECKING:
    import numpy as np

_KNOWN_SHARE = 0.6
_TAG = 24  # characters


class StaticEmbedder:
    """Embeds English and what shares its word pieces; texts it knows too little of get no vector."""

    name = "minilm-conversation-256-int8"
    dimension = 256

    def embed(self, text: str) -> Vector | None:
        """A unit vector, or None for a text mostly not in Latin script or with under 60 % of its letters known."""
        return _of_tag(text) if len(text) <= _TAG else _of_text(text)

    def features(self, text: str) -> None:
        """None: the model tells nothing but its vector."""

    def embed_question(self, text: str) -> Vector | None:
        """As any text."""
        return self.embed(text)

    def embed_all(self, texts: Sequence[str]) -> list[Vector | None]:
        """The vectors of many texts, in their order."""
        return [self.embed(text) for text in texts]

    def pieces(self, text: str) -> int:
        """How many word pieces the text has; a word that the vocabulary doesn't know is one."""
        return sum(1 if pieces is None else len(pieces) for _, pieces in word_pieces(text, _vocabulary()))


@functools.lru_cache(maxsize=4096)
def _of_tag(text: str) -> Vector | None:
    return _of_text(text)  # a store compares its tags with those of the user, the same ones every time


def _of_text(text: str) -> Vector | None:
    import numpy as np  # who embeds nothing does not pay for it

    letters = known = 0
    ids: list[int] = []
    for word, pieces in word_pieces(text, _vocabulary()):
        letters += len(word)
        if pieces is not None:
            known += len(word)
            ids += pieces
    if not ids or known < _KNOWN_SHARE * letters or not _mostly_latin(text):
        return None
    mean = np.asarray(_rows()[ids], dtype=np.float32).mean(axis=0)
    length = float(np.linalg.norm(mean))
    return (mean / np.float32(length)).astype(np.float32) if length else None


def _mostly_latin(text: str) -> bool:
    if text.isascii():
        return True
    letters = [char for char in text if char.isalpha()]
    latin = sum(char.isascii() or unicodedata.name(char, "").startswith("LATIN") for char in letters)
    return latin * 2 >= len(letters)


@loaded_once
def _vocabulary() -> dict[str, int]:
    lines = (DATA / "embedding" / "vocabulary.txt").read_text(encoding="utf-8").split("\n")
    return {piece: number for number, piece in enumerate(lines) if piece}


@loaded_once
def _rows() -> "np.ndarray[tuple[int, int], np.dtype[np.int8]]":
    import numpy as np

    # Memory-mapped: the pages are shared between processes and only those that are touched are read.
    rows: np.ndarray[tuple[int, int], np.dtype[np.int8]] = np.load(DATA / "embedding" / "vectors.npy", mmap_mode="r")
    return rows
