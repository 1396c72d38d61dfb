"""An embedder that averages one stored vector per word piece. It needs no model server and takes 0.1 to 0.3 ms per text."""

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
_TAG_CHARACTERS = 24


class StaticEmbedder:
    """Embeds English and other text with the same word pieces. Text with too many unknown words gets no vector."""

    name = "minilm-conversation-256-int8"
    dimension = 256

    def embed(self, text: str) -> Vector | None:
        """Return a unit vector. Return None if under 60 % of the letters are known or most letters are not Latin."""
        return _embed_tag(text) if len(text) <= _TAG_CHARACTERS else _embed_text(text)

    def features(self, text: str) -> None:
        """Return None, because the model computes only vectors."""

    def embed_question(self, text: str) -> Vector | None:
        return self.embed(text)

    def embed_all(self, texts: Sequence[str]) -> list[Vector | None]:
        return [self.embed(text) for text in texts]

    def pieces(self, text: str) -> int:
        """Return the number of word pieces in a text. An unknown word counts as one piece."""
        return sum(1 if pieces is None else len(pieces) for _, pieces in word_pieces(text, _vocabulary()))


@functools.lru_cache(maxsize=4096)
def _embed_tag(text: str) -> Vector | None:
    return _embed_text(text)  # cached, because each store embeds all tags of the user


def _embed_text(text: str) -> Vector | None:
    import numpy as np  # deferred, as it is slow to import

    letters = known = 0
    ids: list[int] = []
    for word, pieces in word_pieces(text, _vocabulary()):
        letters += len(word)
        if pieces is not None:
            known += len(word)
            ids += pieces
    if not ids or known < _KNOWN_SHARE * letters or not _is_mostly_latin(text):
        return None
    mean = np.asarray(_rows()[ids], dtype=np.float32).mean(axis=0)
    length = float(np.linalg.norm(mean))
    return (mean / np.float32(length)).astype(np.float32) if length else None


def _is_mostly_latin(text: str) -> bool:
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

    # Memory-mapped, so that pages are read on first use and shared between processes.
    rows: np.ndarray[tuple[int, int], np.dtype[np.int8]] = np.load(DATA / "embedding" / "vectors.npy", mmap_mode="r")
    return rows
