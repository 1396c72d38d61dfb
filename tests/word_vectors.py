"""An embedder for tests of storage: no model, the same vector for the same words, and near vectors for texts that share some."""

import functools
import re
from collections.abc import Sequence
from zlib import crc32

import numpy as np

from commonplace.adapters.sentence_encoder import SentenceEncoder
from commonplace.ports.values import Vector


class WordVectors:
    """Stands in for `SentenceEncoder`, under its name and with as many dimensions, so that the rest of the code can't tell."""

    name = SentenceEncoder.name
    dimension = SentenceEncoder.dimension

    def embed(self, text: str) -> Vector | None:
        """The unit sum of a random vector for each word, seeded by the word; None for a text without Latin letters."""
        words = re.findall(r"\w+", text.lower()) if re.search("[a-z]", text.lower()) else []
        if not words:
            return None
        whole = np.sum([_vector_of(word) for word in words], axis=0)
        return (whole / np.linalg.norm(whole)).astype(np.float32)  # type: ignore[no-any-return]

    def features(self, text: str) -> Vector | None:  # noqa: ARG002 - a classifier learns nothing from a stand-in
        return None

    def embed_question(self, text: str) -> Vector | None:
        return self.embed(text)

    def embed_all(self, texts: Sequence[str]) -> list[Vector | None]:
        return [self.embed(text) for text in texts]


@functools.lru_cache(maxsize=4096)
def _vector_of(word: str) -> Vector:
    return np.random.default_rng(crc32(word.encode())).normal(size=WordVectors.dimension).astype(np.float32)
