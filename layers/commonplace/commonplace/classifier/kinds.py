"""What kind of thing a clause of a chat message is: told of the user, of the moment, of others, imagined, or foreign."""

import functools
import json
from collections.abc import Mapping
from importlib.resources import as_file, files
from pathlib import Path
from typing import Literal, NamedTuple, get_args

import numpy as np

from commonplace.classifier.features import SLOTS
from commonplace.classifier.heads import Heads, Vector

Kind = Literal["fact", "wish", "passing", "asking", "imagined", "role_play", "others", "pasted", "injection"]
"""fact: of the user, worth knowing in some months. wish: how the assistant is to be. others: affairs of other people.
The rest: small talk and the moment, a question or request, a hypothetical or joke, a line of a role or of fiction, words of
somebody else's, an attempt to command the reader."""
KINDS: tuple[Kind, ...] = get_args(Kind)
Shares = Mapping[Kind, float]


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
    return shipped().shares(text, vector)


def load(path: Path) -> KindsModel:
    """Reads what `save` wrote. ValueError if it was made for other features or kinds."""
    with np.load(path) as stored:
        about = json.loads(str(stored["about"]))
        heads = Heads(stored["words"], stored["scales"], stored["vector"])
    if heads.words.shape != (SLOTS, len(KINDS)) or tuple(about["kinds"]) != KINDS:
        raise ValueError(f"{path.name}: made for other features or kinds: train the model again")
    return KindsModel(heads, about["temperature"])


@functools.cache
def shipped() -> KindsModel:
    """The model of the package, read once."""
    with as_file(files("commonplace") / "data" / "kinds.npz") as path:
        return load(path)
