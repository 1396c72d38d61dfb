"""Word vectors of texts: averages of the vectors that the Universal Sentence Encoder has for pieces.

They take .1 ms to .4 ms a text and need no `onnxruntime`. A frequent piece counts less (Arora et al. 2017, "A Simple but
Tough-to-Beat Baseline for Sentence Embeddings").
"""

import functools
from collections.abc import Sequence
from typing import TYPE_CHECKING

from commonplace.adapters.sentence_encoder import FOLDER, is_known, unit, use_words
from commonplace.adapters.universal_encoder import WIDTH
from commonplace.domain.loading import loaded_once
from commonplace.ports.values import Vector

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

_RARE = 1e-3  # a piece of this probability counts half
_TAG_CHARACTERS = 24
_SHORTEST_NAME = 5  # letters; shorter pieces also begin other words


class WordAverages:
    """Embeds texts in the languages of the Universal Sentence Encoder."""

    name = "use-words-512"
    dimension = WIDTH

    def embed(self, text: str) -> Vector | None:
        """Return a unit vector, or None if more than a quarter of the text's pieces are unknown."""
        return _embed_tag(text) if len(text) <= _TAG_CHARACTERS else _embed_text(text)

    def features(self, text: str) -> None:
        """Return None, because averages have no features."""

    def embed_question(self, text: str) -> Vector | None:
        return self.embed(text)

    def embed_all(self, texts: Sequence[str]) -> list[Vector | None]:
        return [self.embed(text) for text in texts]

    def pieces(self, text: str) -> int:
        """Return the number of pieces in a text. Consecutive unknown characters count as one piece."""
        return len(use_words(FOLDER).unigram.ids(text))

    def has_word(self, word: str) -> bool:
        """Return whether a word in lower case, or the name that it may be ("Walters", "Walter"), is a single piece."""
        name = word.capitalize()
        names = (name, name.removesuffix("s")) if len(word) >= _SHORTEST_NAME else ()
        return any(self.pieces(form) == 1 for form in (word, *names))


@functools.lru_cache(maxsize=4096)
def _embed_tag(text: str) -> Vector | None:
    return _embed_text(text)  # cached, because each store embeds all tags of the user


def _embed_text(text: str) -> Vector | None:
    unigram, vectors = use_words(FOLDER)
    ids = unigram.ids(text)
    return unit(_weights()[ids] @ vectors.unpack(ids)) if is_known(ids, unigram.unknown) else None


@loaded_once
def _weights() -> "npt.NDArray[np.float32]":
    """Return the weight of each piece, 0 to 1."""
    import numpy as np

    unigram = use_words(FOLDER).unigram
    shares = np.exp(np.array(unigram.scores))
    weights: npt.NDArray[np.float32] = (_RARE / (_RARE + shares / shares.sum())).astype(np.float32)
    weights[unigram.unknown] = 0.0
    return weights
