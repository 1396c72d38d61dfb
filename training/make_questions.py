"""Learns what moves the vector of a question towards what answers it (a minute or two).

    python -m training.make_questions             writes the map into the package
    python -m training.make_questions --check     tells whether the map in the package is what the questions give

The sentence encoders were trained on captions, news and web pages; people tell an assistant "I'm 43" and ask "How old am
I?". The map is learned on training/questions/*.jsonl: a person a line, their facts, and questions with the places of the
facts that answer. It turns the 896 centered numbers of a question into 256, the length of a memory's vector, by the softmax
of the cosines with all facts of that person. Its squared distance from the projection of memories is held down. The vectors
of memories stay as they are, so that no memory needs another one.
"""

import argparse
import json
import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from rich.progress import track
from scipy.linalg import block_diag
from scipy.optimize import minimize

from commonplace.adapters.sentence_encoder import SentenceEncoder

HERE = Path(__file__).parent
MAP = HERE.parent / "layers" / "commonplace" / "commonplace" / "data" / "encoders" / "questions.npy"
SHARPNESS = 10.0  # of the softmax of the cosines
SHORTNESS = 10.0  # how much the distance from the projection counts
STEPS = 60
CLOSE = 0.05  # a difference of two maps, in lengths of what was learned: one person less makes .1, other processors .014

Floats = NDArray[np.float64]


class Asked(NamedTuple):
    """One person: centered vectors of questions (896 numbers), vectors of facts (256), and which facts are answers."""

    questions: Floats
    facts: Floats
    answers: NDArray[np.bool_]


def read(path: Path) -> list[Asked]:
    """The people of a file; what no encoder knows is left out."""
    encoder = SentenceEncoder()
    people = []
    for line in track(path.read_text(encoding="utf-8").splitlines(), path.stem):
        person = json.loads(line)
        facts = [encoder.embed(text) for text in person["facts"]]
        known = [place for place, vector in enumerate(facts) if vector is not None]
        asked = [(encoder.centered(one["question"]), set(one["answers"])) for one in person["questions"]]
        asked = [(vector, answers) for vector, answers in asked if vector is not None and answers.intersection(known)]
        people.append(
            Asked(
                np.array([vector for vector, _ in asked], dtype=np.float64),
                np.array([facts[place] for place in known], dtype=np.float64),
                np.array([[place in answers for place in known] for _, answers in asked]),
            )
        )
    return people


def projection() -> Floats:
    """How `embed` projects a centered vector, but for the lengths of both halves: the map begins with it."""
    with np.load(MAP.with_name("projection.npz")) as arrays:
        return np.asarray(block_diag(arrays["use_axes"].T, arrays["e5_axes"].T), dtype=np.float64)


def loss(moved: Floats, begins: Floats, people: list[Asked]) -> tuple[float, Floats]:
    """How unlikely the right facts are, as a mean over the questions, and its slope. `moved` is added to the projection."""
    size, whole = len(begins), begins + moved.reshape(begins.shape)
    count = sum(len(person.questions) for person in people)
    total, slope = SHORTNESS * float(moved @ moved) / size, 2 * SHORTNESS * moved.reshape(begins.shape) / size
    for questions, facts, answers in people:
        turned = questions @ whole
        lengths = np.linalg.norm(turned, axis=1, keepdims=True)
        units = turned / lengths
        likely = np.exp(SHARPNESS * (units @ facts.T - 1))
        likely /= likely.sum(axis=1, keepdims=True)
        right = (likely * answers).sum(axis=1, keepdims=True)
        total -= float(np.log(right).sum()) / count
        pull = SHARPNESS * (likely - likely * answers / right) @ facts
        pull = (pull - (pull * units).sum(axis=1, keepdims=True) * units) / lengths
        slope = slope + questions.T @ pull / count
    return total, slope.ravel()


def fitted(people: list[Asked]) -> NDArray[np.float16]:
    """The map, 896 x 256."""
    begins = projection()
    found = minimize(loss, np.zeros(begins.size), (begins, people), "L-BFGS-B", jac=True, options={"maxiter": STEPS})
    return np.asarray(begins + found.x.reshape(begins.shape), dtype=np.float16)


def main() -> int:
    """Writes the map, or checks it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    people = [person for path in sorted((HERE / "questions").glob("*.jsonl")) for person in read(path)]
    made = fitted(people)
    if not parser.parse_args().check:
        np.save(MAP, made)
    shipped = np.load(MAP).astype(np.float64) if MAP.exists() else projection()
    current = float(np.linalg.norm(shipped - made)) <= CLOSE * float(np.linalg.norm(shipped - projection()))
    print(f"{MAP.name} is {'what the questions give' if current else 'stale: python -m training.make_questions'}")
    return 0 if current else 1


if __name__ == "__main__":
    sys.exit(main())
