"""Trains the classifier of statements from training/statements: a ridge regression of hashed features, a head per label.

python training/train.py                      writes the model into the package
python training/train.py --check              tells whether the model in the package is what the statements give
python training/train.py --cross-validate     how well it does on statements that it was not trained on
"""

import argparse
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple, get_args
from zlib import crc32

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import LogisticRegression

from commonplace.adapters.static_embedder import StaticEmbedder
from commonplace.domain.taxonomy import Category, StatementType
from commonplace.text.classifier.classification import PASSING, best_label, label_shares, log_odds
from commonplace.text.classifier.features import SLOTS, features
from commonplace.text.classifier.model import IMPORTANCE_STEPS, Heads, Label, Model, Tuning, load

HERE = Path(__file__).parent
MODEL = HERE.parent / "layers" / "commonplace" / "commonplace" / "data" / "classifier.npz"
RIDGE = 1.0
TEMPERATURE = 0.17
VECTOR_WIDTH = 2.0**0.5
FOLDS = 5
UNTUNED = Tuning(TEMPERATURE, 0.0, 1.0, 0.0)
# Who writes terse notes, chats with a friend or orders a machine about says the same in other words than who tells of
# himself: there, these labels get heads of their own.
MANNERS = {
    "plan-bullets": {"goal/contexts", "other/learnings", "project/projects"},
    "friendly-chat": {"other/interactions", "biographical/contexts"},
    "dialogue-turns": {"other/interactions"},
    "assistant-requests": {"other/interactions"},
}
# Too rare for a head: they are learned as the label beside them.
RARE = {"biographical/learnings": "contexts", "value/learnings": "contexts", "preference/projects": "contexts"}


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


def head_of(statement: Statement) -> str:
    """The name of the head that a statement trains: its label, split where one label is said in several ways."""
    name = f"{statement.statement_type}/{statement.category}"
    name = f"{statement.statement_type}/{RARE.get(name, statement.category)}"
    if name in MANNERS.get(statement.source, ()):
        return f"{name}/{statement.source}"
    if name == "other/interactions" and statement.text.rstrip().endswith(("?", "？")):
        return name + "/question"
    return name


class Design(NamedTuple):
    """Statements as numbers: hashed features, embeddings, targets of 1 and -1 by head."""

    heads: list[str]
    words: csr_matrix
    vectors: NDArray[np.float32]
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


def design(statements: list[Statement]) -> Design:
    """What the regression is fitted to."""
    words, vectors = numbers([statement.text for statement in statements])
    names = [head_of(statement) for statement in statements]
    heads = sorted(set(names))
    columns = [[name == head for name in names] for head in heads]
    columns.append([statement.keep for statement in statements])
    columns += [[statement.level >= step for statement in statements] for step in IMPORTANCE_STEPS]
    return Design(heads, words, vectors * np.float32(VECTOR_WIDTH), np.array(columns).T * 2.0 - 1.0)


def labels_of(heads: list[str]) -> tuple[Label, ...]:
    """The label of each head."""
    return tuple(Label(*head.split("/")[:2]) for head in heads)  # type: ignore[arg-type]


def fit(made: Design, rows: NDArray[np.intp], tuning: Tuning = UNTUNED) -> Model:
    """The ridge regression of the given rows, in as few bytes as it works with."""
    words, vectors = made.words[rows], made.vectors[rows]
    kernel = (words @ words.T).toarray() + vectors @ vectors.T
    dual = KernelRidge(alpha=RIDGE, kernel="precomputed").fit(kernel.astype(np.float64), made.targets[rows]).dual_coef_
    return Model(labels_of(made.heads), Heads.of(words.T @ dual, vectors.T @ dual * VECTOR_WIDTH), tuning)


def scores_unseen(made: Design, folds: NDArray[Any]) -> NDArray[np.float32]:
    """The scores of every statement by a model that was trained without its fold."""
    found = np.zeros(made.targets.shape, dtype=np.float32)
    for fold in np.unique(folds):
        model = fit(made, np.flatnonzero(folds != fold))
        out = np.flatnonzero(folds == fold)
        words = made.words[out] @ (model.heads.words.astype(np.float32) * model.heads.scales)
        found[out] = words + made.vectors[out] / np.float32(VECTOR_WIDTH) @ model.heads.vector.astype(np.float32)
    return found


def tune(statements: list[Statement], labels: tuple[Label, ...], unseen: NDArray[np.float32]) -> Tuning:
    """The threshold of keeping at which the fewest are wrong, and the scale of confidence."""
    best = [best_label(label_shares(labels, TEMPERATURE, row)) for row in unseen]
    passing = np.array([label == PASSING for label, _ in best])
    keep = np.array([one.keep for one in statements])[passing]
    score = unseen[passing, len(labels)]
    steps = np.linspace(-1.0, 1.0, 41)
    threshold = max(steps, key=lambda step: float(((score > step) == keep).mean()))
    odds = np.array([[log_odds(share)] for _, share in best])
    right = [label == Label(one.statement_type, one.category) for (label, _), one in zip(best, statements, strict=True)]
    scale = LogisticRegression(C=1e6).fit(odds, right)
    return Tuning(TEMPERATURE, round(float(threshold), 3), float(scale.coef_[0, 0]), float(scale.intercept_[0]))


def train(statements: list[Statement]) -> Model:
    """The model of all statements."""
    made = design(statements)
    unseen = scores_unseen(made, folds_by_text(statements))
    return fit(made, np.arange(len(statements)), tune(statements, labels_of(made.heads), unseen))


def folds_by_text(statements: list[Statement]) -> NDArray[np.int64]:
    """A fold for each statement, always the same."""
    return np.array([crc32(one.text.encode()) % FOLDS for one in statements])


def same(left: Model, right: Model) -> bool:
    """Whether two models are one, but for the last bit that another processor may round otherwise."""
    tuned = np.allclose(left.tuning, right.tuning, atol=0.01)
    return left.labels == right.labels and left.heads.same(right.heads) and bool(tuned)


def main(arguments: Iterable[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    asked = parser.parse_args(arguments if arguments is None else list(arguments))
    statements = read_all()
    model = train(statements)
    if asked.check:
        current = MODEL.exists() and same(model, load(MODEL))
        print("the model is what the statements give" if current else "the model is stale: python training/train.py")
        return 0 if current else 1
    model.save(MODEL)
    print(f"{MODEL.name}: {MODEL.stat().st_size:,} bytes from {len(statements):,} statements, {model.tuning}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
