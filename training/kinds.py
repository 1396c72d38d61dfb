"""Trains the model of clause kinds from training/messages: a ridge regression of hashed features, a head per kind.

python -m training.kinds                      writes the model into the package
python -m training.kinds --check              tells whether the model in the package is what the messages give
python -m training.kinds --validate           how well it does on files by authors that it was not trained on
"""

import argparse
import json
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple
from zlib import crc32

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table
from scipy.sparse import csr_matrix
from scipy.special import softmax
from sklearn.kernel_ridge import KernelRidge
from sklearn.metrics import roc_auc_score

from commonplace.text.classifier.model import KINDS, Heads, Kind, KindsModel, load_kinds
from training.design import HERE, numbers
from training.design import read_all as read_statements
from training.train import MODEL

MESSAGES = HERE / "messages"
KINDS_MODEL = MODEL.with_name("kinds.npz")
RIDGE, TEMPERATURE = 3.0, 0.2
VECTOR_WEIGHT = 2.0
"""How much the embedding counts beside the hashed features, as a squared length."""
STATEMENTS = 3
"""One in so many statements is learned from."""
KEPT: tuple[Kind, ...] = ("fact", "wish")


class Clause(NamedTuple):
    """A clause with its kind; `source`: the file's name without its ending."""

    kind: Kind
    text: str
    source: str


def read(path: Path) -> Iterator[Clause]:
    """The clauses of a file of messages. ValueError with file and line where a kind is none."""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        for text, kind in json.loads(line)["clauses"]:
            if kind not in KINDS:
                raise ValueError(f"{path.name}:{number}: {kind} is none of {', '.join(KINDS)}")
            yield Clause(kind, text, path.stem)


def statements() -> Iterator[Clause]:
    """Some of the statements that the other classifier learns from: those that are worth keeping are facts or wishes."""
    for one in read_statements():
        if one.keep and crc32(one.text.encode()) % STATEMENTS == 0:
            yield Clause("wish" if one.category == "system" else "fact", one.text, one.source)


def read_all() -> list[Clause]:
    """Every clause of the training part."""
    return [*(one for path in sorted(MESSAGES.glob("*.jsonl")) for one in read(path)), *statements()]


class Design(NamedTuple):
    """Clauses as numbers: hashed features, embeddings, how alike any two are, targets of 1 and -1 by kind."""

    words: csr_matrix
    vectors: NDArray[np.float64]
    kernel: NDArray[np.float64]
    targets: NDArray[np.float64]

    def dual(self, rows: NDArray[np.intp]) -> NDArray[np.float64]:
        """The weights of these clauses themselves, a column per kind."""
        ridge = KernelRidge(alpha=RIDGE, kernel="precomputed")
        found: NDArray[np.float64] = ridge.fit(self.kernel[np.ix_(rows, rows)], self.targets[rows]).dual_coef_
        return found


def design(clauses: list[Clause]) -> Design:
    """What the regression is fitted to."""
    words, vectors = numbers([one.text for one in clauses])
    rows = vectors.astype(np.float64)
    kernel = (words @ words.T).toarray() + VECTOR_WEIGHT * rows @ rows.T
    return Design(words, rows, kernel, np.array([[one.kind == kind for kind in KINDS] for one in clauses]) * 2.0 - 1)


def train(clauses: list[Clause]) -> KindsModel:
    """The model of all clauses."""
    made = design(clauses)
    dual = made.dual(np.arange(len(clauses)))
    return KindsModel(Heads.of(made.words.T @ dual, VECTOR_WEIGHT * made.vectors.T @ dual), TEMPERATURE)


def shares_unseen(clauses: list[Clause]) -> NDArray[np.float64]:
    """The shares of every clause by a model that was trained without its file, a column per kind."""
    made, sources = design(clauses), np.array([one.source for one in clauses])
    scores = np.zeros(made.targets.shape)
    for source in np.unique(sources):
        rest, out = np.flatnonzero(sources != source), np.flatnonzero(sources == source)
        scores[out] = made.kernel[np.ix_(out, rest)] @ made.dual(rest)
    shares: NDArray[np.float64] = softmax(scores / TEMPERATURE, axis=1)
    return shares


def validate(clauses: list[Clause]) -> None:
    """Prints, by file and by kind, how facts and wishes are told from the rest, and what passes at shares of 0.5 and 0.7."""
    worth = shares_unseen(clauses)[:, [KINDS.index(kind) for kind in KEPT]].sum(axis=1)
    kinds, sources = np.array([one.kind for one in clauses]), np.array([one.source for one in clauses])
    kept = np.isin(kinds, KEPT)
    table = Table("left out, or of that kind", "clauses", "AUROC of keeping", "passes .5", "passes .7")
    groups = {source: sources == source for source in np.unique(sources)} | {"all": sources != ""}
    groups |= {str(kind): kinds == kind for kind in KINDS}
    for name, rows in groups.items():
        area = f"{roc_auc_score(kept[rows], worth[rows]):.3f}" if 0 < kept[rows].mean() < 1 else ""
        table.add_row(name, str(rows.sum()), area, *(f"{(worth[rows] >= least).mean():.3f}" for least in (0.5, 0.7)))
    Console(width=120).print(table)


def same(left: KindsModel, right: KindsModel) -> bool:
    """Whether two models are one, but for the last bit that another processor may round otherwise."""
    return left.temperature == right.temperature and left.heads.same(right.heads)


def main(arguments: Iterable[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--validate", action="store_true")
    asked = parser.parse_args(arguments if arguments is None else list(arguments))
    clauses = read_all()
    if asked.validate:
        validate(clauses)
        return 0
    model = train(clauses)
    if asked.check:
        current = KINDS_MODEL.exists() and same(model, load_kinds(KINDS_MODEL))
        print("the model is what the messages give" if current else "the model is stale: python -m training.kinds")
        return 0 if current else 1
    model.save(KINDS_MODEL)
    print(f"{KINDS_MODEL.name}: {KINDS_MODEL.stat().st_size:,} bytes from {len(clauses):,} clauses")
    return 0


if __name__ == "__main__":
    sys.exit(main())
