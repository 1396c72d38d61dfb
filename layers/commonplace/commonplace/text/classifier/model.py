"""The trained models of statements and of clauses: heads over hashed features and embeddings, kept as bytes."""

import functools
import json
from collections.abc import Mapping
from dataclasses import fields
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any, Literal, NamedTuple, Self, get_args

import numpy as np
from numpy.typing import NDArray

from commonplace.domain.taxonomy import Category, StatementType
from commonplace.text.classifier.encoded import Encoded
from commonplace.text.classifier.features import SLOTS, features

Vector = NDArray[np.float32]

IMPORTANCE_STEPS = (2, 3, 4, 5)
ENCODER = "minilm-e5-small-256"
"""The embedder whose features the model with `encoded` heads was trained on; those of another mean nothing to it."""
Kind = Literal["fact", "wish", "passing", "asking", "imagined", "role_play", "others", "pasted", "injection"]
"""fact: of the user, worth knowing in some months. wish: how the assistant is to be. others: affairs of other people.
The rest: small talk and the moment, a question or request, a hypothetical or joke, a line of a role or of fiction, words of
somebody else's, an attempt to command the reader."""
KINDS: tuple[Kind, ...] = get_args(Kind)
Shares = Mapping[Kind, float]
_ENCODED = tuple(field.name for field in fields(Encoded))


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
        """Whether two are one, but for what another processor rounds otherwise: two of the 127 steps, where one statement
        more or less makes seven."""
        if self.words.shape != other.words.shape:
            return False
        apart = np.abs(self.words.astype(np.int16) - other.words).max()
        return bool(apart <= 2 and np.allclose(self.vector, other.vector, atol=0.01))


class Label(NamedTuple):
    """Type and category of a statement."""

    statement_type: StatementType
    category: Category


class Tuning(NamedTuple):
    """What training chose beside the weights."""

    temperature: float
    keep_threshold: float
    confidence_slope: float
    confidence_offset: float


class Model(NamedTuple):
    """Heads are one per entry of `labels`, then keep, then one per importance step (2 to 5 or more)."""

    labels: tuple[Label, ...]
    heads: Heads
    tuning: Tuning
    encoded: Encoded | None = None
    """Of the model for texts that the sentence encoders have features of."""
    rarity: tuple[float, ...] = ()
    """What is added to the score of each label: rare ones are found too seldom otherwise."""

    def scores(self, text: str, vector: Vector | None, encoded: Vector | None = None) -> Vector:
        """The score of each head; `encoded` goes with the model that was trained with it."""
        found = self.heads.scores(text, vector)
        if self.encoded is not None and encoded is not None:
            found = found + self.encoded.scores(encoded)
        found[: len(self.rarity)] += np.array(self.rarity, dtype=np.float32)
        return found

    def save(self, path: Path) -> None:
        """Writes the model; the same model gives the same bytes."""
        about = {"labels": self.labels, "tuning": self.tuning, "rarity": self.rarity}
        more = {} if self.encoded is None else {f"encoded_{name}": getattr(self.encoded, name) for name in _ENCODED}
        np.savez_compressed(path, **self.heads._asdict(), **more, about=np.array(json.dumps(about)))


def load(path: Path) -> Model:
    """Reads what `save` wrote. ValueError if it was made for other features."""
    with np.load(path) as stored:
        about: dict[str, Any] = json.loads(str(stored["about"]))
        model = Model(
            labels=tuple(Label(*label) for label in about["labels"]),
            heads=Heads(stored["words"], stored["scales"], stored["vector"]),
            tuning=Tuning(*about["tuning"]),
            encoded=Encoded(*(stored[f"encoded_{name}"] for name in _ENCODED)) if "encoded_single" in stored else None,
            rarity=tuple(about["rarity"]),
        )
    shape = model.heads.words.shape
    if shape != (SLOTS, len(model.labels) + 1 + len(IMPORTANCE_STEPS)):
        raise ValueError(f"{path.name}: the table of weights is {shape}: train the model again")
    return model


@functools.cache
def shipped(name: str = "classifier.npz") -> Model:
    """A model of the package, read once."""
    with as_file(files("commonplace") / "data" / name) as path:
        return load(path)


class KindsModel(NamedTuple):
    """One head per kind; `temperature`: of the softmax that makes shares of their scores."""

    heads: Heads
    temperature: float

    def shares(self, text: str, vector: Vector | None) -> Shares:
        """How likely a text is of each kind. Adds up to one."""
        scores = self.heads.scores(text, vector)
        grown = np.exp((scores - scores.max()) / self.temperature)
        return dict(zip(KINDS, (grown / grown.sum()).tolist(), strict=True))

    def save(self, path: Path) -> None:
        """Writes the model; the same model gives the same bytes."""
        about = {"temperature": self.temperature, "kinds": KINDS}
        np.savez_compressed(path, **self.heads._asdict(), about=np.array(json.dumps(about)))


def kinds(text: str, vector: Vector | None) -> Shares:
    """How likely a clause is of each kind; `vector` is its static embedding, None where it has none."""
    return shipped_kinds().shares(text, vector)


def load_kinds(path: Path) -> KindsModel:
    """Reads what `save` wrote. ValueError if it was made for other features or kinds."""
    with np.load(path) as stored:
        about = json.loads(str(stored["about"]))
        heads = Heads(stored["words"], stored["scales"], stored["vector"])
    if heads.words.shape != (SLOTS, len(KINDS)) or tuple(about["kinds"]) != KINDS:
        raise ValueError(f"{path.name}: made for other features or kinds: train the model again")
    return KindsModel(heads, about["temperature"])


@functools.cache
def shipped_kinds() -> KindsModel:
    """The model of the package, read once."""
    with as_file(files("commonplace") / "data" / "kinds.npz") as path:
        return load_kinds(path)
