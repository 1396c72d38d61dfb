"""Trains the classifier of statements from training/statements: a ridge regression of hashed features, a head per label.

python training/train.py                      writes the models into the package: without and with the encoders' features
python training/train.py --check              tells whether the models in the package are what the statements give
"""

import argparse
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve
from sklearn.linear_model import LogisticRegression

from commonplace.text.classifier.classification import best_label, label_shares, log_odds
from commonplace.text.classifier.model import Encoded, Heads, Label, Model, Tuning, load, pairs_of
from training.design import (
    DIRECTIONS,
    PAIRS,
    SINGLE,
    VECTOR_WIDTH,
    Design,
    Seen,
    Statement,
    alike,
    design,
    encoded_by,
    folds_by_text,
    read_all,
)

HERE = Path(__file__).parent
MODEL = HERE.parent / "layers" / "commonplace" / "commonplace" / "data" / "classifier.npz"
ENCODED_MODEL = MODEL.with_name("classifier_encoded.npz")
RIDGE, ENCODED_RIDGE = 1.0, 0.67
TEMPERATURE = 0.17
RARITY = 0.1


def dual(made: Design, kernel: NDArray[np.float64], rows: NDArray[np.intp]) -> NDArray[np.float64]:
    """The ridge regression of the given rows: the weights of these statements themselves, a column per head."""
    within = kernel[np.ix_(rows, rows)]
    within.flat[:: len(rows) + 1] += RIDGE if made.encoded is None else ENCODED_RIDGE
    factor = cho_factor(within, lower=True, overwrite_a=True, check_finite=False)
    return np.asarray(cho_solve(factor, made.targets[rows], check_finite=False))


def fit(made: Design, kernel: NDArray[np.float64], tuning: Tuning) -> Model:
    """The model of all statements, in as few bytes as it works with."""
    weights = dual(made, kernel, np.arange(len(made.targets)))
    heads = Heads.of(made.words.T @ weights, made.vectors.T @ weights * VECTOR_WIDTH)
    encoded = None if made.encoded is None else over_encoded(made.encoded, weights)
    return Model(made.labels, heads, tuning, encoded, tuple(rarity(made).tolist()))


def rarity(made: Design) -> NDArray[np.float64]:
    """What is added to the score of each label, the more the fewer statements have it."""
    shares: NDArray[np.float64] = (made.targets[:, : len(made.labels)] > 0).mean(axis=0)
    return np.round(-RARITY * np.log(shares), 4)


def over_encoded(seen: Seen, weights: NDArray[np.float64]) -> Encoded:
    first, second, widths = pairs_of(DIRECTIONS)
    squares = [(seen.main.T @ (seen.main * column[:, None]))[first, second] * widths for column in weights.T]
    pairs = PAIRS * np.stack(squares, axis=1)
    scales = np.abs(pairs).max(axis=0) / 127.0
    return Encoded(
        mean=seen.mean,
        widths=seen.widths,
        axes=seen.axes.astype(np.float16),
        single=(SINGLE * (seen.rows.T @ weights)).astype(np.float16),
        pairs=np.rint(pairs / scales).astype(np.int8),
        scales=scales.astype(np.float32),
    )


def scores_unseen(made: Design, kernel: NDArray[np.float64], folds: NDArray[Any]) -> NDArray[np.float32]:
    """The scores of every statement by a model that was trained without its fold."""
    found = np.zeros(made.targets.shape, dtype=np.float32)
    for fold in np.unique(folds):
        rest, out = np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)
        found[out] = kernel[np.ix_(out, rest)] @ dual(made, kernel, rest)
    found[:, : len(made.labels)] += rarity(made)
    return found


def tune(statements: list[Statement], labels: tuple[Label, ...], unseen: NDArray[np.float32]) -> Tuning:
    """The threshold of keeping at which the fewest are wrong, and the scale of confidence."""
    best = [best_label(label_shares(labels, TEMPERATURE, row)) for row in unseen]
    keep = np.array([one.keep for one in statements])
    steps = np.linspace(-1.0, 1.0, 41)
    threshold = max(steps, key=lambda step: float(((unseen[:, len(labels)] > step) == keep).mean()))
    odds = np.array([[log_odds(share)] for _, share in best])
    right = [label == Label(one.statement_type, one.category) for (label, _), one in zip(best, statements, strict=True)]
    scale = LogisticRegression(C=1e6).fit(odds, right)
    return Tuning(TEMPERATURE, round(float(threshold), 3), float(scale.coef_[0, 0]), float(scale.intercept_[0]))


def train(statements: list[Statement], made: Design) -> Model:
    """The model of all statements."""
    kernel = alike(made)
    unseen = scores_unseen(made, kernel, folds_by_text(statements))
    return fit(made, kernel, tune(statements, made.labels, unseen))


def same(left: Model, right: Model) -> bool:
    """Whether two models are one, but for the last bit."""
    tuned = np.allclose(left.tuning, right.tuning, atol=0.01)
    alike = left.labels == right.labels and left.heads.same(right.heads) and bool(tuned)
    return alike and (left.encoded is None or (right.encoded is not None and left.encoded.same(right.encoded)))


def main(arguments: Iterable[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    asked = parser.parse_args(arguments if arguments is None else list(arguments))
    statements = read_all()
    stale = 0
    made = design(statements)
    seen = encoded_by([one.text for one in statements])
    for path, encoded in ((MODEL, None), (ENCODED_MODEL, seen)):
        model = train(statements, made._replace(encoded=encoded))
        if not asked.check:
            model.save(path)
        current = path.exists() and same(model, load(path))
        print(f"{path.name} is {'what the statements give' if current else 'stale: python training/train.py'}")
        stale += not current
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
