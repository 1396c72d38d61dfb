"""Training statements as numbers: their words, their embeddings, and what the sentence encoders tell of them."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple, get_args
from zlib import crc32

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from commonplace.adapters.sentence_encoder import SentenceEncoder
from commonplace.adapters.word_averages import WordAverages
from commonplace.domain.taxonomy import Category, StatementType
from commonplace.text.classifier.model import IMPORTANCE_STEPS, SLOTS, Label, features, scaled

HERE = Path(__file__).parent
VECTOR_WIDTH = 2.0**0.5
FOLDS = 5
LEAST = 8  # statements of a label that has a head; rarer ones are learned from for keeping and importance only
SINGLE, PAIRS = 8.0, 27.0  # how much the encoders' features and their products count, as squared lengths
DIRECTIONS = 256  # of the encoders' features, whose products are learned from
LEAST_SPREAD = 1e-4  # of a number that tells anything


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


class Seen(NamedTuple):
    """The encoders' features of statements: scaled by `mean` and `widths`, a row each, and along their main directions."""

    mean: NDArray[np.float32]
    widths: NDArray[np.float32]
    axes: NDArray[np.float32]
    rows: NDArray[np.float32]
    main: NDArray[np.float32]


class Design(NamedTuple):
    """Statements as numbers; `encoded`: by the sentence encoders, if learned from; targets of 1 and -1 by head."""

    labels: tuple[Label, ...]
    words: csr_matrix
    vectors: NDArray[np.float32]
    encoded: Seen | None
    targets: NDArray[np.float64]


def numbers(texts: Sequence[str]) -> tuple[csr_matrix, NDArray[np.float32]]:
    """Texts as hashed features and as embeddings, a row each; of what has no embedding the row is zero."""
    seen = [features(text) for text in texts]
    ends = np.cumsum([0, *(len(one.slots) for one in seen)])
    slots, values = np.concatenate([one.slots for one in seen]), np.concatenate([one.values for one in seen])
    embedder = WordAverages()
    found = [embedder.embed(text) for text in texts]
    vectors = np.stack([np.zeros(embedder.dimension, np.float32) if one is None else one for one in found])
    return csr_matrix((values, slots, ends), shape=(len(texts), SLOTS)), vectors


def encoded_by(texts: Sequence[str]) -> Seen:
    """The features by the sentence encoders (some 5 ms a text); of what they don't know the row is zero."""
    encoder = SentenceEncoder()
    told = [encoder.features(text) for text in texts]
    width = next(len(one) for one in told if one is not None)
    found = np.stack([np.zeros(width, np.float32) if one is None else one for one in told])
    given = np.ma.masked_equal(found, 0.0)
    mean, spread = given.mean(axis=0).filled(0.0), given.std(axis=0).filled(0.0)
    widths = np.divide(1.0, spread, out=np.zeros_like(spread), where=spread > LEAST_SPREAD).astype(np.float32)
    rows = scaled(found, mean.astype(np.float32), widths)
    axes = main_directions(rows)
    return Seen(mean.astype(np.float32), widths, axes, rows, rows @ axes.T)


def main_directions(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    """The directions in which rows differ most, a row each, their largest number positive."""
    wide = rows.astype(np.float64)
    _, found = np.linalg.eigh(wide.T @ wide)
    axes = found[:, ::-1][:, :DIRECTIONS].T
    signs = np.sign(np.take_along_axis(axes, np.abs(axes).argmax(axis=1, keepdims=True), axis=1))
    rounded: NDArray[np.float32] = (axes * signs).astype(np.float16).astype(np.float32)
    return rounded


def design(statements: list[Statement], encoded: Seen | None = None) -> Design:
    """What the regression is fitted to."""
    words, vectors = numbers([statement.text for statement in statements])
    given = [Label(one.statement_type, one.category) for one in statements]
    labels = tuple(sorted(label for label, count in Counter(given).items() if count >= LEAST))
    columns = [[one == label for one in given] for label in labels]
    columns.append([statement.keep for statement in statements])
    columns += [[statement.level >= step for statement in statements] for step in IMPORTANCE_STEPS]
    return Design(labels, words, vectors * np.float32(VECTOR_WIDTH), encoded, np.array(columns).T * 2.0 - 1.0)


def alike(made: Design) -> NDArray[np.float64]:
    """How alike statements are to each other: a row and a column for each."""
    found = (made.words @ made.words.T).toarray() + made.vectors @ made.vectors.T
    if made.encoded is not None:
        found = (
            found
            + SINGLE * (made.encoded.rows @ made.encoded.rows.T)
            + PAIRS * (made.encoded.main @ made.encoded.main.T) ** 2
        )
    return np.asarray(found, dtype=np.float64)


def folds_by_text(statements: list[Statement]) -> NDArray[np.int64]:
    return np.array([crc32(one.text.encode()) % FOLDS for one in statements])
