"""What the index of words really holds of each row, beside what it was given: both as a sum to compare by."""

import sqlite3
from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import closing
from dataclasses import dataclass

Words = Mapping[int, tuple[str, str]]
"""By row what is indexed of a memory, as `rows.words_of` gives it."""


@dataclass(frozen=True)
class WordIndex:
    """The index of words over some rows: what it was given, what it holds by owner, None where it can't be read, and what a
    fresh one would hold."""

    given: Words
    held: Mapping[int, Counter[int] | None]
    right: Mapping[int, Counter[int]]

    def misses(self, row: int, owner: int) -> bool:
        """Whether it knows nothing of a row."""
        return row not in self.given and not (self.held[owner] or {}).get(row)

    def holds(self, row: int, owner: int, words: tuple[str, str]) -> bool:
        """Whether a row is found by just these words."""
        held = self.held[owner]
        return self.given.get(row) == words and held is not None and held[row] == self.right[owner][row]


_PLACES = "SELECT term, doc, col FROM word_places WHERE term >= ? AND term < ?"


def given_words(connection: sqlite3.Connection, rows: Iterable[int]) -> dict[int, tuple[str, str]]:
    """What the index was given of these rows, as far as that is kept."""
    wanted = list(rows)
    marks = ",".join("?" * len(wanted))
    found = connection.execute(f"SELECT rowid, content, labels FROM words WHERE rowid IN ({marks})", wanted)
    return {row: (content, labels) for row, content, labels in found}


def indexed_sums(connection: sqlite3.Connection, owner: int) -> Counter[int]:
    """By row a sum over all that the index finds of the owner's words there; equal for the same words, in this process.

    Raises `sqlite3.DatabaseError` where the index can't be read.
    """
    found = Counter[int]()
    for term, row, column in connection.execute(_PLACES, (f"{owner}_", f"{owner}`")):  # ` comes behind _
        found[row] += hash((column, term))
    return found


def expected_sums(connection: sqlite3.Connection, words: Words, owners: Iterable[int]) -> dict[int, Counter[int]]:
    """By owner the same sums of an index that holds just these words: the words of a fresh file."""
    made = connection.execute("SELECT sql FROM sqlite_master WHERE name IN ('words', 'word_places') ORDER BY rowid")
    with closing(sqlite3.connect(":memory:")) as fresh:
        for (statement,) in made.fetchall():
            fresh.execute(statement)
        fresh.executemany(
            "INSERT INTO words (rowid, content, labels) VALUES (?, ?, ?)", [(row, *texts) for row, texts in words.items()]
        )
        return {owner: indexed_sums(fresh, owner) for owner in set(owners)}


def without_memory(connection: sqlite3.Connection) -> list[tuple[int, int | None]]:
    """Rows of words that are no memory's, each with the number of whom they were of, as far as they tell."""
    found = connection.execute(
        "SELECT rowid, content, labels FROM words WHERE rowid NOT IN (SELECT row FROM memories)"
    ).fetchall()
    return [(row, _owner_of(content) or _owner_of(labels)) for row, content, labels in found]


def rebuild(connection: sqlite3.Connection) -> None:
    """Makes the index of words anew from what it was given."""
    connection.execute("INSERT INTO words (words) VALUES ('rebuild')")


def _owner_of(text: object) -> int | None:
    number = str(text).partition("_")[0]
    return int(number) if number.isascii() and number.isdigit() else None
