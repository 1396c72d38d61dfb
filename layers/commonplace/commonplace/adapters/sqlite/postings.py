"""What the index of words really holds of each row, beside what it was given: both as a sum to compare by."""

import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
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
        held = self.held[owner]
        return row not in self.given and (held is None or not held[row])

    def holds(self, row: int, owner: int, words: tuple[str, str]) -> bool:
        """Whether a row is found by just these words."""
        held = self.held[owner]
        return self.given.get(row) == words and held is not None and held[row] == self.right[owner][row]


_MADE = "SELECT sql FROM sqlite_master WHERE name IN ('words', 'word_places') ORDER BY rowid"
_PLACE = "SELECT doc FROM word_places WHERE term = ? LIMIT 1"
_REBUILD = "INSERT INTO words (words) VALUES ('rebuild')"
_SHADOWS = ("words_data", "words_idx", "words_docsize", "words_config")  # tables of FTS5 beside what it was given
_GIVEN = "SELECT id, c0, c1 FROM words_content"  # where FTS5 keeps it: it can be read when the index itself can't
_PLACES = "SELECT term, doc, col FROM word_places WHERE term >= ? AND term < ?"


def given_words(connection: sqlite3.Connection, rows: Iterable[int]) -> dict[int, tuple[str, str]]:
    """What the index was given of these rows, as far as that is kept."""
    wanted = list(rows)
    marks = ",".join("?" * len(wanted))
    found = connection.execute(f"{_GIVEN} WHERE id IN ({marks})", wanted)
    return {row: (content, labels) for row, content, labels in found}


def indexed_sums(connection: sqlite3.Connection, owner: int) -> Counter[int]:
    """By row a sum over all that the index finds of the owner's words there; equal for the same words, in this process.

    Raises `sqlite3.DatabaseError` where the index can't be read.
    """
    found = Counter[int]()
    terms = set[str]()
    for term, row, column in connection.execute(_PLACES, (f"{owner}_", f"{owner}`")):  # ` comes behind _
        found[row] += hash((column, term))
        terms.add(term)
    for term in terms:  # as searches do: on a damaged page that may fail although all can be read in a row
        connection.execute(_PLACE, (term,)).fetchone()
    return found


def expected_sums(connection: sqlite3.Connection, words: Words, owners: Iterable[int]) -> dict[int, Counter[int]]:
    """By owner the same sums of an index that holds just these words: the words of a fresh file."""
    with _fresh_index(connection) as fresh:
        fresh.executemany(
            "INSERT INTO words (rowid, content, labels) VALUES (?, ?, ?)", [(row, *texts) for row, texts in words.items()]
        )
        return {owner: indexed_sums(fresh, owner) for owner in set(owners)}


def without_memory(connection: sqlite3.Connection) -> list[tuple[int, int | None]]:
    """Rows of words that are no memory's, each with the number of whom they were of, as far as they tell."""
    found = connection.execute(f"{_GIVEN} WHERE id NOT IN (SELECT row FROM memories)").fetchall()
    return [(row, _owner_of(content) or _owner_of(labels)) for row, content, labels in found]


def rebuild(connection: sqlite3.Connection) -> None:
    """Makes the index of words anew from what it was given; one that FTS5 can't even open is emptied first."""
    try:
        connection.execute(_REBUILD)
        return
    except sqlite3.DatabaseError:
        with _fresh_index(connection) as fresh:
            for table in _SHADOWS:
                connection.execute(f"DELETE FROM {table}")
                for row in fresh.execute(f"SELECT * FROM {table}"):
                    connection.execute(f"INSERT INTO {table} VALUES ({','.join('?' * len(row))})", row)
    connection.execute(_REBUILD)


@contextmanager
def _fresh_index(connection: sqlite3.Connection) -> Iterator[sqlite3.Connection]:
    """An empty index of words in memory, made as that of the file was."""
    made = connection.execute(_MADE)
    with closing(sqlite3.connect(":memory:")) as fresh:
        for (statement,) in made.fetchall():
            fresh.execute(statement)
        yield fresh


def _owner_of(text: object) -> int | None:
    number = str(text).partition("_")[0]
    return int(number) if number.isascii() and number.isdigit() else None
