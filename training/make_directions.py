"""Learns which directions of the encoders' vectors the package keeps, and the map of questions (five minutes).

    python -m training.make_directions             writes data/encoders/directions.npz into the package
    python -m training.make_directions --check     reports whether the file is what the texts give

The sentence encoders were trained on captions, news and web pages. People tell an assistant "I'm 43" and ask "How old am
I?". Each line of training/questions/*.jsonl has a person's facts, and questions with the positions of the facts that answer
them.

The mean of our training statements is subtracted from the vectors of facts, and the mean of all questions from the vectors
of questions. Cosines of facts then tell different values of an attribute apart better than with a common mean. A linear map
W moves questions towards their answers: q' = q + qW, by the softmax of the cosines of q' with all facts of the person. The
squared length of W is penalized. For each encoder, the 128 directions remain in which facts, moved questions and statements
differ most. The statements have more names and values than the facts of the 44 people. The map is learned before the
directions are chosen, so it reads all 896 numbers.
"""

import argparse
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from rich.progress import track
from scipy.linalg import block_diag
from scipy.optimize import minimize

from commonplace.adapters.sentence_encoder import SentenceEncoder, both_vectors, center
from training.design import read_all

HERE = Path(__file__).parent
FILE = HERE.parent / "layers" / "commonplace" / "commonplace" / "data" / "encoders" / "directions.npz"
UNIVERSAL = 512  # the first numbers of both vectors come from the Universal Sentence Encoder
DIRECTIONS = 128
SHARPNESS = 10.0  # of the softmax of the cosines
SHORTNESS = 5.0  # how much the length of the map counts
STEPS = 60
SHARES = 1.0, 1.0, 0.5
"""How much facts, moved questions and statements count. If the statements counted 1, three more of 389 right memories would
drop out of the first three places by cosine. Without them, the judge finds fewer changes (average precision .83, not .845).
"""
CLOSE = 0.03  # largest relative difference, because processors round differently; one person less makes .14

Floats = NDArray[np.float64]
Vectors = NDArray[np.float32]


class Texts(NamedTuple):
    """One person: the facts, the questions, and which facts answer which question (questions x facts)."""

    facts: list[str]
    questions: list[str]
    answers: NDArray[np.bool_]


class Asked(NamedTuple):
    """One person: centered vectors of the questions and of the facts, one row each, and which facts answer."""

    questions: Floats
    facts: Floats
    answers: NDArray[np.bool_]


def read() -> list[Texts]:
    """Return the people of all files."""
    lines = [line for path in sorted((HERE / "questions").glob("*.jsonl")) for line in path.read_text("utf-8").splitlines()]
    return [
        Texts(
            row["facts"],
            [asked["question"] for asked in row["questions"]],
            np.array([[place in asked["answers"] for place in range(len(row["facts"]))] for asked in row["questions"]]),
        )
        for row in map(json.loads, lines)
    ]


def encode(texts: set[str]) -> dict[str, Vectors]:
    """Return the vectors of both encoders for each text, 896 numbers. Texts that the encoders can't read are missing."""
    encoder = SentenceEncoder()
    features = {text: encoder.features(text) for text in track(sorted(texts), "encoding")}
    return {text: both_vectors(known) for text, known in features.items() if known is not None}


def compute_mean(vectors: Mapping[str, Vectors]) -> Vectors:
    """Return the mean of both encoders. The mean of e5 is taken over the texts that e5 can read."""
    stacked = np.array(list(vectors.values()))
    read_by_e5 = stacked[:, UNIVERSAL:].any(axis=1)
    return np.concatenate([stacked[:, :UNIVERSAL].mean(axis=0), stacked[read_by_e5, UNIVERSAL:].mean(axis=0)])


def ask(person: Texts, facts: Mapping[str, Vectors], questions: Mapping[str, Vectors]) -> Asked:
    """Return the vectors of a person, without the texts that the encoders can't read."""
    known = [text in facts for text in person.facts]
    kept = [text in questions and bool(row[known].any()) for text, row in zip(person.questions, person.answers, strict=True)]
    return Asked(
        np.array([questions[text] for text, keep in zip(person.questions, kept, strict=True) if keep], dtype=np.float64),
        np.array([facts[text] for text in person.facts if text in facts], dtype=np.float64),
        person.answers[kept][:, known],
    )


def loss(moved: Floats, people: list[Asked]) -> tuple[float, Floats]:
    """Return how unlikely the right facts are, as a mean over the questions, and its slope."""
    size = people[0].questions.shape[1]
    whole = np.eye(size) + moved.reshape(size, size)
    count = sum(len(person.questions) for person in people)
    total, slope = SHORTNESS * float(moved @ moved) / size, 2 * SHORTNESS * moved.reshape(size, size) / size
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


def fit_map(people: list[Asked]) -> Floats:
    """Return the matrix that moves questions, 896 x 896."""
    size = people[0].questions.shape[1]
    found = minimize(loss, np.zeros(size * size), (people,), "L-BFGS-B", jac=True, options={"maxiter": STEPS})
    moves: Floats = np.eye(size) + np.asarray(found.x).reshape(size, size)
    return moves


def main_axes(squares: Floats) -> Floats:
    """Return the orthogonal directions with the largest squares, one column each."""
    axes: Floats = np.linalg.eigh(squares)[1][:, ::-1][:, :DIRECTIONS]
    return axes


def learn(people: list[Texts]) -> dict[str, NDArray[np.float16]]:
    """Return the means of statements and of questions, and the matrices that project centered vectors (896 x 256)."""
    statements, facts, questions = (
        encode(texts)
        for texts in (
            {statement.text for statement in read_all()},
            {text for person in people for text in person.facts},
            {text for person in people for text in person.questions},
        )
    )
    statement_mean, question_mean = compute_mean(statements), compute_mean(questions)
    statements, facts, questions = (
        {text: center(vector, mean) for text, vector in vectors.items()}
        for vectors, mean in ((statements, statement_mean), (facts, statement_mean), (questions, question_mean))
    )
    asked = [ask(person, facts, questions) for person in people]
    moves = fit_map(asked)
    moved = np.concatenate([person.questions for person in asked]) @ moves
    moved /= np.linalg.norm(moved, axis=1, keepdims=True)
    groups = np.concatenate([person.facts for person in asked]), moved, np.array(list(statements.values()), dtype=np.float64)
    squares = sum(share * group.T @ group / len(group) for share, group in zip(SHARES, groups, strict=True))
    axes = block_diag(*(main_axes(squares[part, part]) for part in (slice(UNIVERSAL), slice(UNIVERSAL, None))))
    learned = {
        "statement_mean": statement_mean,
        "statement_axes": axes,
        "question_mean": question_mean,
        "question_axes": moves @ axes,
    }
    return {name: values.astype(np.float16) for name, values in learned.items()}


def scores(learned: Mapping[str, NDArray[np.float16]]) -> Floats:
    """Return the products of questions with statements, 896 x 896. The order of the axes doesn't change them."""
    return learned["question_axes"].astype(np.float64) @ learned["statement_axes"].T.astype(np.float64)


def is_current(learned: Mapping[str, NDArray[np.float16]]) -> bool:
    """Return whether the file in the package has nearly the same means and gives nearly the same products."""
    if not FILE.exists():
        return False
    with np.load(FILE) as shipped:
        ours, theirs = (
            (scores(arrays), *(arrays[name].astype(np.float64) for name in ("statement_mean", "question_mean")))
            for arrays in (shipped, learned)
        )
    return all(np.linalg.norm(one - other) <= CLOSE * np.linalg.norm(one) for one, other in zip(ours, theirs, strict=True))


def main() -> int:
    """Write the file, or check it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    is_check = parser.parse_args().check
    learned = learn(read())
    if not is_check:
        np.savez_compressed(FILE, allow_pickle=False, **learned)
    current = is_current(learned)
    print(f"{FILE.name} is {'what the texts give' if current else 'stale: python -m training.make_directions'}")
    return 0 if current else 1


if __name__ == "__main__":
    sys.exit(main())
