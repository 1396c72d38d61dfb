"""The default embedder: two small sentence encoders, English and multilingual, in one vector of 256 dimensions.

all-MiniLM-L6-v2 knows English best, multilingual-e5-small some forty languages in Latin script and Japanese. The vector
of an English text is for the larger part MiniLM's, that of any other text is e5's alone. The mean over our own statements
is taken out of both, and their 128 main directions stay (`training/make_encoders.py`), so that texts of no kinship have
a cosine near 0. One text of 16 pieces takes some 5 ms on one core.
"""

import functools
import math
import re
from collections.abc import Sequence
from importlib.resources import as_file, files
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from commonplace.adapters.encoder_model import EncoderModel, e5, minilm, unit
from commonplace.ports.record_values import Vector
from commonplace.text.foundation.languages import ENGLISH, language_of

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Array = npt.NDArray[np.float32]

_ENGLISH_SHARE = 0.65  # of MiniLM in the vector of an English text; the rest is of e5
_MOST_UNKNOWN = 0.1  # of the pieces of a text that has a vector
_REMEMBERED = 128  # texts whose vectors stay at hand: one request asks for the same text more than once


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
        return None if vector is None else unit(vector + vector @ _models().towards_answers)

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

    multilingual = _models().e5
    ids = multilingual.ids(text)
    unknown = ids.count(multilingual.unknown)
    if not ids or unknown > _MOST_UNKNOWN * len(ids):
        return None
    many = multilingual.mean_vectors(ids)
    second = _projected("e5", many.last)
    if language_of(text) != ENGLISH:
        absent = np.zeros_like(many.last)
        return _Embedded(np.concatenate([np.zeros_like(second), second]), np.concatenate([absent, absent, *many]))
    english = _models().minilm
    one = english.mean_vectors(english.ids(text))
    first = _projected("minilm", one.last)
    both = np.concatenate([math.sqrt(_ENGLISH_SHARE) * first, math.sqrt(1 - _ENGLISH_SHARE) * second])
    return _Embedded(both.astype(np.float32), np.concatenate([*one, *many]))


class _Models:
    """Both models and their directions, each opened at its first use."""

    @functools.cached_property
    def folder(self) -> Path:
        with as_file(files("commonplace") / "data" / "encoders") as folder:
            return folder

    @functools.cached_property
    def minilm(self) -> EncoderModel:
        return minilm(self.folder)

    @functools.cached_property
    def e5(self) -> EncoderModel:
        return e5(self.folder)

    @functools.cached_property
    def projection(self) -> "dict[str, Array]":
        import numpy as np

        with np.load(self.folder / "projection.npz") as arrays:
            return dict(arrays)

    @functools.cached_property
    def towards_answers(self) -> "Array":
        """What is added to the vector of a question, as a map of 256 to 256 numbers."""
        import numpy as np

        moved: Array = np.load(self.folder.parent / "questions.npy").astype(np.float32)
        return moved


@functools.cache
def _models() -> _Models:
    return _Models()


def _projected(name: str, vector: "Array") -> "Array":
    found = _models().projection
    return unit(found[f"{name}_axes"] @ (vector - found[f"{name}_mean"]))
