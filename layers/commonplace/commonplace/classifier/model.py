"""The trained model of statements: one linear head per label, kept as bytes in the package's data."""

import functools
import json
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from commonplace.classifier.features import SLOTS
from commonplace.classifier.heads import Heads
from commonplace.taxonomy import Category, StatementType

IMPORTANCE_STEPS = (2, 3, 4, 5)


class Label(NamedTuple):
    """Type and category of a statement; several heads may stand for one label."""

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

    def save(self, path: Path) -> None:
        """Writes the model; the same model gives the same bytes."""
        about = {"labels": self.labels, "tuning": self.tuning}
        np.savez_compressed(path, **self.heads._asdict(), about=np.array(json.dumps(about)))


def load(path: Path) -> Model:
    """Reads what `save` wrote. ValueError if it was made for other features."""
    with np.load(path) as stored:
        about: dict[str, Any] = json.loads(str(stored["about"]))
        model = Model(
            labels=tuple(Label(*label) for label in about["labels"]),
            heads=Heads(stored["words"], stored["scales"], stored["vector"]),
            tuning=Tuning(*about["tuning"]),
        )
    shape = model.heads.words.shape
    if shape != (SLOTS, len(model.labels) + 1 + len(IMPORTANCE_STEPS)):
        raise ValueError(f"{path.name}: the table of weights is {shape}: train the model again")
    return model


@functools.cache
def shipped() -> Model:
    """The model of the package, read once."""
    with as_file(files("commonplace") / "data" / "classifier.npz") as path:
        return load(path)
