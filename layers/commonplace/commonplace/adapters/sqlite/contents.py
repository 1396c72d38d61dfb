"""Compares the index of a file with its records and rebuilds it. The index consists of columns, vectors, words and counts."""

import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

from commonplace.adapters.sqlite import removal, rows, writes
from commonplace.adapters.sqlite.database import Database
from commonplace.adapters.sqlite.rows import RECORD, known_owner, memory_of
from commonplace.domain.flaws import gathered
from commonplace.domain.memory import Memory
from commonplace.memories.vectors import from_bytes, to_bytes
from commonplace.ports.models import Embedder
from commonplace.ports.values import IndexChange, IndexedDocument, IndexOutcome, Stored, Tombstone, Vector
from commonplace.retrieval.documents import Document, digest, document

_WORDS_OF_NOBODY = "row:"
"""The prefix of ids that stand for word rows without a memory. The row number follows the prefix."""
_RELEASE_MARKERS = "UPDATE memories SET key = NULL, fingerprint = CAST('row ' || row AS BLOB) WHERE row = ?"
_DONE = IndexOutcome("done")
Words = Mapping[int, tuple[str, str]]
"""Maps rows to their indexed texts, in the form that `rows.words_of` returns."""
_MADE = "SELECT sql FROM sqlite_master WHERE name IN ('words', 'word_places') ORDER BY rowid"
_PLACE = "SELECT doc FROM word_places WHERE term = ? LIMIT 1"
_REBUILD = "INSERT INTO words (words) VALUES ('rebuild')"
_SHADOWS = ("words_data", "words_idx", "words_docsize", "words_config")  # internal tables of FTS5, except its input
_INPUT_COPY = "SELECT id, c0, c1 FROM words_content"  # FTS5's copy of its input, readable even if the index is damaged
_PLACES = "SELECT term, doc, col FROM word_places WHERE term >= ? AND term < ?"
_NAMES = (
    "fingerprint version status agent_id collection key memory_type category section content_type importance emotion subject"
    " happened_at happened_day created_at valid_from valid_to expires_at session_id position speaker length question"
    " instruction preference"
).split()
_DERIVED = (
    f"SELECT row, owner, user_id, memory_id, {RECORD}, change, embedding, embedding_model, {','.join(_NAMES)}"
    " FROM memories JOIN users ON number = owner WHERE memory_id"
)


@dataclass(frozen=True)
class Derived:
    """A memory parsed from its record, with the derived values that its row stores."""

    row: int
    owner: int
    memory: Memory
    change: object
    embedding: bytes | None
    embedding_model: object
    columns: Mapping[str, object]

    @cached_property
    def document(self) -> Document:
        return document(self.memory)

    @property
    def words(self) -> tuple[str, str]:
        """The memory's two texts for the word index."""
        return rows.words_of(self.owner, self.document)

    def is_in_line(self, model: str, dimension: int) -> bool:
        """Return whether the columns and the vector match the record. `dimension` is the length of `model`'s vectors."""
        right = rows.columns(self.memory, self.document, self.owner, 0, None)
        same = all(self.columns[name] == right[name] for name in _NAMES)
        return same and isinstance(self.change, int) and self.change > 0 and self._has_its_vector(model, dimension)

    def _has_its_vector(self, model: str, dimension: int) -> bool:
        """Return whether the vector is readable and from the record's model. A vector from another model may be missing."""
        own = self.memory.embedding_model
        if own is None or self.embedding is None:
            return self.embedding is None and own != model
        return self.embedding_model == own and from_bytes(self.embedding, dimension if own == model else None) is not None


@dataclass(frozen=True)
class WordIndex:
    """The word index for some rows. `words` is its input. `sums` and `expected` are its actual and expected checksums."""

    words: Words
    sums: Mapping[int, Counter[int] | None]
    expected: Mapping[int, Counter[int]]

    def misses(self, row: int, owner: int) -> bool:
        sums = self.sums[owner]
        return row not in self.words and (sums is None or not sums[row])

    def holds(self, row: int, owner: int, words: tuple[str, str]) -> bool:
        """Return whether the index contains exactly these words for a row."""
        sums = self.sums[owner]
        return self.words.get(row) == words and sums is not None and sums[row] == self.expected[owner][row]


class SqliteContents:
    """Checks and repairs the derived data in one file. Vectors from models other than the embedder's stay unchanged."""

    def __init__(self, database: Database, embedder: Embedder, dimension: int) -> None:
        self._database, self._embedder, self._dimension = database, embedder, dimension
        self._sums: dict[int, tuple[object, Counter[int] | None]] = {}

    def look_up(self, records: Sequence[Stored]) -> list[IndexedDocument | None]:
        """Return each record's index document, or None if its words are missing. The digest is "" if it is wrong."""
        with self._database.reading() as connection:
            derived = derived_of(connection, [record.memory.memory_id for record in records])
            words = self._load_word_index(connection, list(derived.values()))
            return [self._build_document(record.memory, derived.get(record.memory.memory_id), words) for record in records]

    def every(self) -> Iterator[IndexedDocument]:
        with self._database.reading() as connection:
            users = dict(connection.execute("SELECT number, user_id FROM users ORDER BY user_id").fetchall())
            lost = [row for row, owner in without_memory(connection) if owner not in users]
        yield from chain.from_iterable(map(self.of_user, users.values()))
        yield from (_build_nobody_document("", row) for row in lost)

    def of_user(self, user_id: str) -> Iterator[IndexedDocument]:
        """Yield the user's index documents without digests, and one document per word row without a memory."""
        with self._database.reading() as connection:
            owner = known_owner(connection, user_id)
            if owner is None:
                return
            own = connection.execute("SELECT row, memory_id, version FROM memories WHERE owner = ?", (owner,)).fetchall()
            rows = set(self._load_known_sums(connection, owner) or ())
            lost = {row for row, of in without_memory(connection) if of == owner} | rows - {row for row, *_ in own}
            rows |= {row for (row,) in connection.execute("SELECT id FROM words_content")}
        for row, memory_id, version in own:
            if row in rows:
                yield IndexedDocument(user_id, memory_id, version if isinstance(version, int) else 0, "")
        yield from (_build_nobody_document(user_id, row) for row in sorted(lost))

    def miscounted(self, user_id: str) -> list[str]:
        """Return "tags", "changes" or both, if these stored counts are wrong."""
        with self._database.reading() as connection:
            owner = known_owner(connection, user_id)
            counted = dict(connection.execute("SELECT tag, memories FROM tags WHERE owner = ?", (owner,)).fetchall())
            wrong = {"tags": counted != tags_of(connection, owner), "changes": not changes_are_counted(connection)}
            return [name for name, is_wrong in wrong.items() if is_wrong]

    def mend(self, changes: Sequence[IndexChange]) -> list[IndexOutcome]:
        """Recompute the index data of the changed memories from their current records, which stay unchanged."""
        stored = [change.memory for change in changes if isinstance(change, Stored)]
        own = [memory for memory in stored if memory.embedding_model == self._embedder.name]
        embedded = self._embedder.embed_all([memory.content for memory in own])
        vectors = dict(zip((memory.memory_id for memory in own), embedded, strict=True))
        with self._database.writing() as connection:
            derived = derived_of(connection, [memory.memory_id for memory in stored])
            if self._is_torn(connection, list(derived.values()), changes):
                rebuild(connection)  # before any write, as FTS5 would need a savepoint with unreadable data
            count_changes(connection)
            outcomes = [_mend_change(connection, change, derived, vectors) for change in changes]
            refused = [at for at, outcome in enumerate(outcomes) if outcome.state == "failed"]
            rows_of = {at: derived[item.memory.memory_id].row for at in refused if isinstance(item := changes[at], Stored)}
            connection.executemany(_RELEASE_MARKERS, [(row,) for row in rows_of.values()])
            for at in refused:  # retry, because two memories may have blocked only each other
                outcomes[at] = _mend_change(connection, changes[at], derived, vectors)
            return outcomes

    def recount(self, user_id: str) -> None:
        if not self.miscounted(user_id):
            return
        with self._database.writing() as connection:
            owner = known_owner(connection, user_id)
            if owner is not None:
                removal.recount_tags(connection, owner)
            count_changes(connection)

    def _build_document(self, memory: Memory, derived: Derived | None, words: WordIndex) -> IndexedDocument | None:
        """Return a memory's indexed document, or None if its words are missing. The digest is empty if the index is wrong."""
        if derived is not None and words.misses(derived.row, derived.owner):
            return None
        right = derived is None or (
            words.holds(derived.row, derived.owner, derived.words)
            and derived.is_in_line(self._embedder.name, self._dimension)
        )  # `derived` is None if the memory has been purged since
        return IndexedDocument(memory.user_id, memory.memory_id, memory.version, digest(memory) if right else "")

    def _load_word_index(self, connection: sqlite3.Connection, all_derived: Sequence[Derived]) -> WordIndex:
        owners = {derived.owner for derived in all_derived}
        return WordIndex(
            indexed_words(connection, [derived.row for derived in all_derived]),
            {owner: self._load_known_sums(connection, owner) for owner in owners},
            expected_sums(connection, {derived.row: derived.words for derived in all_derived}, owners),
        )

    def _load_known_sums(self, connection: sqlite3.Connection, owner: int) -> Counter[int] | None:
        """Return checksums of the indexed words, or None if the index is unreadable. Cache them until the file changes."""
        state = (connection.execute("PRAGMA data_version").fetchone(), connection.total_changes)
        known = self._sums.get(owner)
        if known is None or known[0] != state:
            try:
                known = state, indexed_sums(connection, owner)
            except sqlite3.DatabaseError:
                known = state, None
            self._sums = {name: entry for name, entry in self._sums.items() if entry[0] == state} | {owner: known}
        return known[1]

    def _is_torn(
        self, connection: sqlite3.Connection, all_derived: Sequence[Derived], changes: Sequence[IndexChange]
    ) -> bool:
        """Return whether the word index and its input differ for these rows. If they differ, FTS5 can't delete the rows."""
        placed = [(derived.row, derived.owner) for derived in all_derived]
        for change in changes:
            row = _parse_nobody_row(change)
            owner = known_owner(connection, change.user_id) if isinstance(change, Tombstone) else None
            placed += [(row, owner)] if row is not None and owner is not None else []
        owners = {owner for _, owner in placed}
        right = expected_sums(connection, indexed_words(connection, [row for row, _ in placed]), owners)
        sums_by_owner = {owner: self._load_known_sums(connection, owner) for owner in owners}
        return any((sums := sums_by_owner[owner]) is None or sums[row] != right[owner][row] for row, owner in placed)


def _mend_change(
    connection: sqlite3.Connection, change: IndexChange, known: Mapping[str, Derived], vectors: Mapping[str, Vector | None]
) -> IndexOutcome:
    """Recompute a memory's index data. For a tombstone, delete the word row if it belongs to no memory."""
    if isinstance(change, Tombstone):
        row = _parse_nobody_row(change)
        if row is not None and not connection.execute("SELECT 1 FROM memories WHERE row = ?", (row,)).fetchone():
            rows.delete(connection, row)
        return _DONE
    derived = known.get(change.memory.memory_id)
    if derived is None or derived.memory.version != change.memory.version:
        return _DONE  # the memory was purged, or rewritten with all derived data
    embedding = derived.embedding if derived.memory.embedding_model is not None else None
    if derived.memory.memory_id in vectors:
        embedding = to_bytes(vectors[derived.memory.memory_id])
    return _write_derived(connection, derived, embedding)


def _write_derived(connection: sqlite3.Connection, derived: Derived, embedding: bytes | None) -> IndexOutcome:
    """Write a memory's derived data. If another active memory has the same content or key, the result is a "conflict"."""
    columns = rows.columns(derived.memory, derived.document, derived.owner, writes.next_change(connection), embedding)
    del columns["record"]
    settings = ",".join(f"{name} = ?" for name in columns)
    try:
        connection.execute(f"UPDATE memories SET {settings} WHERE row = ?", (*columns.values(), derived.row))
    except sqlite3.IntegrityError:  # another active memory has this content or key
        return IndexOutcome("failed", "conflict")
    rows.delete(connection, derived.row)
    rows.insert(connection, derived.row, derived.owner, derived.document)
    return _DONE


def _build_nobody_document(user_id: str, row: int) -> IndexedDocument:
    """Return a document that stands for a row of the word index without a memory."""
    return IndexedDocument(user_id, f"{_WORDS_OF_NOBODY}{row}", 0, "")


def _parse_nobody_row(change: IndexChange) -> int | None:
    """Return the row number in a tombstone for a word row without a memory, or None for other changes."""
    if isinstance(change, Tombstone) and change.memory_id.startswith(_WORDS_OF_NOBODY):
        return int(change.memory_id.removeprefix(_WORDS_OF_NOBODY))
    return None


def indexed_words(connection: sqlite3.Connection, rows: Iterable[int]) -> dict[int, tuple[str, str]]:
    """Return the input that the word index has stored for these rows."""
    wanted = list(rows)
    marks = ",".join("?" * len(wanted))
    cursor = connection.execute(f"{_INPUT_COPY} WHERE id IN ({marks})", wanted)
    return {row: (content, labels) for row, content, labels in cursor}


def indexed_sums(connection: sqlite3.Connection, owner: int) -> Counter[int]:
    """Return a checksum of the owner's indexed words for each row. Checksums can be compared only within one process."""
    sums = Counter[int]()
    terms = set[str]()
    for term, row, column in connection.execute(_PLACES, (f"{owner}_", f"{owner}`")):  # ` sorts after _
        sums[row] += hash((column, term))
        terms.add(term)
    for term in terms:  # searches read in this way, which may fail at a damaged page even if a sequential read works
        connection.execute(_PLACE, (term,)).fetchone()
    return sums


def expected_sums(connection: sqlite3.Connection, words: Words, owners: Iterable[int]) -> dict[int, Counter[int]]:
    """Return the expected checksums by owner. They are computed from a new index that contains exactly these words."""
    with _open_fresh_index(connection) as fresh:
        insert = "INSERT INTO words (rowid, content, labels) VALUES (?, ?, ?)"
        fresh.executemany(insert, [(row, *texts) for row, texts in words.items()])
        return {owner: indexed_sums(fresh, owner) for owner in set(owners)}


def without_memory(connection: sqlite3.Connection) -> list[tuple[int, int | None]]:
    """Return the word rows without a memory, each with its owner's number, or None if the owner is unknown."""
    rows = connection.execute(f"{_INPUT_COPY} WHERE id NOT IN (SELECT row FROM memories)").fetchall()
    return [(row, _parse_owner(content) or _parse_owner(labels)) for row, content, labels in rows]


def rebuild(connection: sqlite3.Connection) -> None:
    """Rebuild the word index from its input. If FTS5 can't open the index, empty it first."""
    try:
        connection.execute(_REBUILD)
        return
    except sqlite3.DatabaseError:
        with _open_fresh_index(connection) as fresh:
            for table in _SHADOWS:
                connection.execute(f"DELETE FROM {table}")
                for row in fresh.execute(f"SELECT * FROM {table}"):
                    connection.execute(f"INSERT INTO {table} VALUES ({','.join('?' * len(row))})", row)
    connection.execute(_REBUILD)


@contextmanager
def _open_fresh_index(connection: sqlite3.Connection) -> Iterator[sqlite3.Connection]:
    """Yield an empty word index in memory with the same tables."""
    made = connection.execute(_MADE)
    with closing(sqlite3.connect(":memory:")) as fresh:
        for (statement,) in made.fetchall():
            fresh.execute(statement)
        yield fresh


def _parse_owner(text: object) -> int | None:
    """Return the owner's number at the start of an indexed text, or None."""
    number = str(text).partition("_")[0]
    return int(number) if number.isascii() and number.isdigit() else None


def derived_of(connection: sqlite3.Connection, memory_ids: Sequence[str]) -> dict[str, Derived]:
    """Return the readable memories among `memory_ids` with their derived data, by id."""
    marks = ",".join("?" * len(memory_ids))
    derived = dict[str, Derived]()
    rows = connection.execute(f"{_DERIVED} IN ({marks})", memory_ids)
    with gathered():  # the caller has already reported unreadable records
        for row, owner, user_id, memory_id, record, change, *columns_read in rows:
            memory = memory_of(user_id, memory_id, record)
            if memory is not None:
                columns = dict(zip(_NAMES, columns_read[2:], strict=True))
                derived[memory_id] = Derived(row, owner, memory, change, columns_read[0], columns_read[1], columns)
    return derived


def tags_of(connection: sqlite3.Connection, owner: int | None) -> Counter[str]:
    """Count the owner's active memories by tag, from the records and not from the stored counts. Skip damaged records."""
    cursor = connection.execute(
        f"SELECT user_id, memory_id, {RECORD} FROM memories JOIN users ON number = owner WHERE owner = ?", (owner,)
    )
    with gathered():
        memories = [memory for each in cursor if (memory := memory_of(*each)) is not None]
    return Counter(tag for memory in memories if memory.status == "active" for tag in set(memory.tags))


def changes_are_counted(connection: sqlite3.Connection) -> bool:
    """Return whether the stored number of the last write is valid. If a memory had a higher number, readers would miss it."""
    last = [last_row for (last_row,) in connection.execute("SELECT last FROM changes")]
    return len(last) == 1 and isinstance(last[0], int) and last[0] >= _load_newest_change(connection)


def count_changes(connection: sqlite3.Connection) -> None:
    """Correct the stored number of the last write if it is invalid."""
    if not changes_are_counted(connection):
        connection.execute("DELETE FROM changes")
        connection.execute("INSERT INTO changes VALUES (?)", (_load_newest_change(connection),))


def _load_newest_change(connection: sqlite3.Connection) -> int:
    newest = "SELECT coalesce(max(change), 0) FROM memories WHERE typeof(change) = 'integer'"
    return int(connection.execute(newest).fetchone()[0])
