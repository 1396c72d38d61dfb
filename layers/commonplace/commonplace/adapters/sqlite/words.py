"""The word index: ready-made tokens in FTS5, each with its owner's number before it, and reading a term's list."""

import sqlite3
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from commonplace.documents import Document

Rows = npt.NDArray[np.int64]


def insert(connection: sqlite3.Connection, row: int, owner: int, doc: Document) -> None:
    """Indexes a memory's tokens under its row."""
    connection.execute(
        "INSERT INTO words (rowid, content, labels) VALUES (?, ?, ?)",
        (row, " ".join(_own(owner, doc.tokens)), " ".join(_own(owner, doc.labels))),
    )


def delete(connection: sqlite3.Connection, row: int) -> None:
    """Takes a memory's tokens out."""
    connection.execute("DELETE FROM words WHERE rowid = ?", (row,))


def forget_deleted(connection: sqlite3.Connection) -> None:
    """Lets nothing be left of tokens that were taken out: FTS5 only marks them, until it merges all it has."""
    connection.execute("INSERT INTO words (words) VALUES ('optimize')")


def occurrences(connection: sqlite3.Connection, owner: int, term: str) -> dict[str, Rows]:
    """For `content` and `labels`: the rows in which the owner's term occurs, a row once for each occurrence."""
    found = connection.execute(
        "SELECT col, group_concat(doc) FROM word_places WHERE term = ? GROUP BY col", _own(owner, [term])
    )
    return {column: np.fromstring(rows, dtype=np.int64, sep=",") for column, rows in found}


def frequencies(connection: sqlite3.Connection, owner: int, terms: Sequence[str]) -> dict[str, int]:
    """How many of the owner's memories hold each term, closed ones too."""
    own = dict(zip(_own(owner, terms), terms, strict=True))
    marks = ",".join("?" * len(own))
    found = connection.execute(f"SELECT term, doc FROM word_counts WHERE term IN ({marks})", tuple(own)).fetchall()
    return {own[term]: count for term, count in found}


def _own(owner: int, terms: Sequence[str]) -> list[str]:
    return [f"{owner}_{term}" for term in terms]
