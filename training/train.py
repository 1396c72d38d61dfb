"""Trains the classifier of statements from training/statements: a ridge regression of hashed features, a head per label.

python training/train.py                      writes the models into the package: without and with the encoders' vector
python training/train.py --check              tells whether the models in the package are what the statements give
"""

import argparse
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple, get_args
from zlib import crc32

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import LogisticRegression

from commonplace.adapters.sentence_encoder import SentenceEncoder
from commonplace.adapters.static_embedder import StaticEmbedder
from commonplace.domain.taxonomy import Category, StatementType
from commonplace.text.classifier.classification import best_label, label_shares, log_odds
from commonplace.text.classifier.features import SLOTS, features
from commonplace.text.classifier.model import IMPORTANCE_STEPS, Encoded, Heads, Label, Model, Tuning, load, pairs_of

HERE = Path(__file__).parent
MODEL = HERE.parent / "layers" / "commonplace" / "commonplace" / "data" / "classifier.npz"
ENCODED_MODEL = MODEL.with_name("classifier_encoded.npz")
RIDGE = 1.0
TEMPERATURE = 0.17
VECTOR_WIDTH = 2.0**0.5
FOLDS = 5
LEAST = 8  # statements of a label that has a head; rarer ones are learned from for keeping and importance only
SINGLE, PAIRS = 4.0, 8.0  # how much the encoders' numbers and their products count, as squared lengths
RARITY = 0.1


class Statement(NamedTuple):
    """A line of a statement file; `source` is the file's name without its ending."""

    statement_type: StatementType
    category: Category
    level: int
    keep: bool
    language: str
    text: str
    source: str


def read(path: Path) -> list[Statement]:
    """The statements of a file. ValueError with file and line where a label is none of the guide's."""
    found = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        kind, category, level, keep, language, text = line.split("\t")
        known = kind in get_args(StatementType) and category in get_args(Category)
        if not known or level not in "12345" or keep not in "01":
            raise ValueError(f"{path.name}:{number}: unknown label")
        found.append(Statement(kind, category, int(level), keep == "1", language, text, path.stem))  # type: ignore[arg-type]
    return found


def read_all() -> list[Statement]:
    """Every statement of the training part."""
    return [one for path in sorted((HERE / "statements").glob("*.tsv")) for one in read(path)]


class Design(NamedTuple):
    """Statements as numbers; `encoded`: by the sentence encoders, if learned from; targets of 1 and -1 by head."""

    labels: tuple[Label, ...]
    words: csr_matrix
    vectors: NDArray[np.float32]
    encoded: NDArray[np.float32] | None
    targets: NDArray[np.float64]


def numbers(texts: Sequence[str]) -> tuple[csr_matrix, NDArray[np.float32]]:
    """Texts as hashed features and as embeddings, a row each; of what has no embedding the row is zero."""
    seen = [features(text) for text in texts]
    ends = np.cumsum([0, *(len(one.slots) for one in seen)])
    slots, values = np.concatenate([one.slots for one in seen]), np.concatenate([one.values for one in seen])
    embedder = StaticEmbedder()
    found = [embedder.embed(text) for text in texts]
    vectors = np.stack([np.zeros(embedder.dimension, np.float32) if one is None else one for one in found])
    return csr_matrix((values, slots, ends), shape=(len(texts), SLOTS)), vectors


def encoded_by(texts: Sequence[str]) -> NDArray[np.float32]:
    """The vectors of the sentence encoders, a row each (some 5 ms a text); of what they don't know the row is zero."""
    encoder = SentenceEncoder()
    found = [encoder.embed(text) for text in texts]
    return np.stack([np.zeros(encoder.dimension, np.float32) if one is None else one for one in found])


def design(statements: list[Statement], encoded: NDArray[np.float32] | None = None) -> Design:
    """What the regression is fitted to."""
    words, vectors = numbers([statement.text for statement in statements])
    given = [Label(one.statement_type, one.category) for one in statements]
    labels = tuple(sorted(label for label, count in Counter(given).items() if count >= LEAST))
    columns = [[one == label for one in given] for label in labels]
    columns.append([statement.keep for statement in statements])
    columns += [[statement.level >= step for statement in statements] for step in IMPORTANCE_STEPS]
    return Design(labels, words, vectors * np.float32(VECTOR_WIDTH), encoded, np.array(columns).T * 2.0 - 1.0)


def alike(made: Design, left: NDArray[np.intp], right: NDArray[np.intp]) -> NDArray[np.float64]:
    """How alike statements are to others: a row for each of `left`, a column for each of `right`."""
    found = (made.words[left] @ made.words[right].T).toarray() + made.vectors[left] @ made.vectors[right].T
    if made.encoded is not None:
        cosine = made.encoded[left] @ made.encoded[right].T
        found = found + SINGLE * cosine + PAIRS * cosine**2
    return np.asarray(found, dtype=np.float64)


def dual(made: Design, rows: NDArray[np.intp]) -> NDArray[np.float64]:
    """The ridge regression of the given rows: the weights of these statements themselves, a column per head."""
    ridge = KernelRidge(alpha=RIDGE, kernel="precomputed").fit(alike(made, rows, rows), made.targets[rows])
    return np.asarray(ridge.dual_coef_)


def fit(made: Design, tuning: Tuning) -> Model:
    """The model of all statements, in as few bytes as it works with."""
    weights = dual(made, np.arange(len(made.targets)))
    heads = Heads.of(made.words.T @ weights, made.vectors.T @ weights * VECTOR_WIDTH)
    encoded = None if made.encoded is None else over_encoded(made.encoded, weights)
    return Model(made.labels, heads, tuning, encoded, tuple(rarity(made).tolist()))


def rarity(made: Design) -> NDArray[np.float64]:
    """What is added to the score of each label, the more the fewer statements have it."""
    shares: NDArray[np.float64] = (made.targets[:, : len(made.labels)] > 0).mean(axis=0)
    return np.round(-RARITY * np.log(shares), 4)


def over_encoded(encoded: NDArray[np.float32], weights: NDArray[np.float64]) -> Encoded:
    first, second, widths = pairs_of(encoded.shape[1])
    squares = [(encoded.T @ (encoded * column[:, None]))[first, second] * widths for column in weights.T]
    return Encoded.of(SINGLE * (encoded.T @ weights), PAIRS * np.stack(squares, axis=1))


def scores_unseen(made: Design, folds: NDArray[Any]) -> NDArray[np.float32]:
    """The scores of every statement by a model that was trained without its fold."""
    found = np.zeros(made.targets.shape, dtype=np.float32)
    for fold in np.unique(folds):
        rest, out = np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)
        found[out] = alike(made, out, rest) @ dual(made, rest)
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


def train(statements: list[Statement], encoded: NDArray[np.float32] | None = None) -> Model:
    """The model of all statements."""
    made = design(statements, encoded)
    unseen = scores_unseen(made, folds_by_text(statements))
    return fit(made, tune(statements, made.labels, unseen))


def folds_by_text(statements: list[Statement]) -> NDArray[np.int64]:
    return np.array([crc32(one.text.encode()) % FOLDS for one in statements])


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
    for path, encoded in ((MODEL, None), (ENCODED_MODEL, encoded_by([one.text for one in statements]))):
        model = train(statements, encoded)
        if not asked.check:
            model.save(path)
        current = path.exists() and same(model, load(path))
        print(f"{path.name} is {'what the statements give' if current else 'stale: python training/train.py'}")
        stale += not current
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
