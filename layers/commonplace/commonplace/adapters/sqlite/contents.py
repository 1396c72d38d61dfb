"""The index of one file - columns, vectors, words, counts - held against its records, and made of them anew."""

import sqlite3
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, groupby

from commonplace.adapters.sqlite import postings, removal, rows, writes
from commonplace.adapters.sqlite.database import Database
from commonplace.adapters.sqlite.derived import Derived, changes_are_counted, count_changes, derived_of, tags_of
from commonplace.adapters.sqlite.rows import known_owner
from commonplace.domain.memory import Memory
from commonplace.ports.embedder import Embedder
from commonplace.ports.record_values import IndexChange, IndexedDocument, IndexOutcome, Stored, Tombstone, Vector
from commonplace.retrieval.documents import digest

_WORDS_OF_NOBODY = "row:"
"""Begins the name of words that are no memory's; the number of their row follows."""
_OUT_OF_THE_WAY = "UPDATE memories SET key = NULL, fingerprint = CAST('row ' || row AS BLOB) WHERE row = ?"
_DONE = IndexOutcome("done")


class SqliteContents:
    """What is derived in one file. `embedders`: by the name of their model; vectors of another stay as they are."""

    def __init__(self, database: Database, embedders: Mapping[str, Embedder], dimensions: Mapping[str, int]) -> None:
        self._database, self._embedders, self._dimensions = database, embedders, dimensions
        self._sums: dict[int, tuple[object, Counter[int] | None]] = {}

    def look_up(self, records: Sequence[Stored]) -> list[IndexedDocument | None]:
        with self._database.reading() as connection:
            found = derived_of(connection, [one.memory.memory_id for one in records])
            words = self._words(connection, list(found.values()))
            return [self._document(one.memory, found.get(one.memory.memory_id), words) for one in records]

    def every(self) -> Iterator[IndexedDocument]:
        with self._database.reading() as connection:
            users = dict(connection.execute("SELECT number, user_id FROM users ORDER BY user_id").fetchall())
            lost = [row for row, owner in postings.without_memory(connection) if owner not in users]
        yield from chain.from_iterable(map(self.of_user, users.values()))
        yield from (_words_of_nobody("", row) for row in lost)

    def of_user(self, user_id: str) -> Iterator[IndexedDocument]:
        with self._database.reading() as connection:
            owner = known_owner(connection, user_id)
            if owner is None:
                return
            own = connection.execute("SELECT row, memory_id, version FROM memories WHERE owner = ?", (owner,)).fetchall()
            held = set(self._held(connection, owner) or ())
            lost = {row for row, of in postings.without_memory(connection) if of == owner} | held - {row for row, *_ in own}
            held |= {row for (row,) in connection.execute("SELECT id FROM words_content")}
        for row, memory_id, version in own:
            if row in held:
                yield IndexedDocument(user_id, memory_id, version if isinstance(version, int) else 0, "")
        yield from (_words_of_nobody(user_id, row) for row in sorted(lost))

    def miscounted(self, user_id: str) -> list[str]:
        with self._database.reading() as connection:
            owner = known_owner(connection, user_id)
            counted = dict(connection.execute("SELECT tag, memories FROM tags WHERE owner = ?", (owner,)).fetchall())
            wrong = {"tags": counted != tags_of(connection, owner), "changes": not changes_are_counted(connection)}
            return [name for name, is_wrong in wrong.items() if is_wrong]

    def mend(self, changes: Sequence[IndexChange]) -> list[IndexOutcome]:
        """Derives anew from the records as they are now, whatever was handed over; the records stay as they are."""
        stored = [one.memory for one in changes if isinstance(one, Stored)]
        vectors = self._embedded(stored)
        with self._database.writing() as connection:
            found = derived_of(connection, [memory.memory_id for memory in stored])
            if self._is_torn(connection, list(found.values()), changes):
                postings.rebuild(connection)  # before any write: then FTS5 is asked for a savepoint of what it can't read
            count_changes(connection)
            outcomes = [self._mend(connection, one, found, vectors) for one in changes]
            refused = [at for at, outcome in enumerate(outcomes) if outcome.state == "failed"]
            rows_of = {at: found[one.memory.memory_id].row for at in refused if isinstance(one := changes[at], Stored)}
            connection.executemany(_OUT_OF_THE_WAY, [(row,) for row in rows_of.values()])
            for at in refused:  # they may only have stood in each other's place
                outcomes[at] = self._mend(connection, changes[at], found, vectors)
            return outcomes

    def recount(self, user_id: str) -> None:
        if not self.miscounted(user_id):
            return
        with self._database.writing() as connection:
            owner = known_owner(connection, user_id)
            if owner is not None:
                removal.recount_tags(connection, owner)
            count_changes(connection)

    def _document(self, asked: Memory, there: Derived | None, words: postings.WordIndex) -> IndexedDocument | None:
        if there is not None and words.misses(there.row, there.owner):
            return None
        right = there is None or (
            words.holds(there.row, there.owner, there.words) and there.is_in_line(self._dimensions)
        )  # None: purged meanwhile
        return IndexedDocument(asked.user_id, asked.memory_id, asked.version, digest(asked) if right else "")

    def _words(self, connection: sqlite3.Connection, found: Sequence[Derived]) -> postings.WordIndex:
        owners = {one.owner for one in found}
        return postings.WordIndex(
            postings.given_words(connection, [one.row for one in found]),
            {owner: self._held(connection, owner) for owner in owners},
            postings.expected_sums(connection, {one.row: one.words for one in found}, owners),
        )

    def _held(self, connection: sqlite3.Connection, owner: int) -> Counter[int] | None:
        """What the index of words holds of an owner's rows, counted once for each state of the file."""
        state = (connection.execute("PRAGMA data_version").fetchone(), connection.total_changes)
        known = self._sums.get(owner)
        if known is None or known[0] != state:
            try:
                known = state, postings.indexed_sums(connection, owner)
            except sqlite3.DatabaseError:
                known = state, None
            self._sums = {name: one for name, one in self._sums.items() if one[0] == state} | {owner: known}
        return known[1]

    def _is_torn(self, connection: sqlite3.Connection, found: Sequence[Derived], changes: Sequence[IndexChange]) -> bool:
        """Whether the index of words holds other words of these rows than it was given: then it can't take them out."""
        placed = [(one.row, one.owner) for one in found]
        for one in changes:
            row, owner = _row_of_nobody(one), known_owner(connection, one.user_id) if isinstance(one, Tombstone) else None
            placed += [(row, owner)] if row is not None and owner is not None else []
        owners = {owner for _, owner in placed}
        right = postings.expected_sums(connection, postings.given_words(connection, [row for row, _ in placed]), owners)
        held = {owner: self._held(connection, owner) for owner in owners}
        return any((sums := held[owner]) is None or sums[row] != right[owner][row] for row, owner in placed)

    def _embedded(self, memories: Sequence[Memory]) -> dict[str, Vector | None]:
        """By id the vectors of those whose model is at hand."""
        found = dict[str, Vector | None]()
        ordered = sorted((one for one in memories if one.embedding_model in self._embedders), key=_model)
        for model, group in groupby(ordered, key=_model):
            those = list(group)
            vectors = self._embedders[model].embed_all([one.content for one in those])
            found |= dict(zip((one.memory_id for one in those), vectors, strict=True))
        return found

    def _mend(
        self,
        connection: sqlite3.Connection,
        change: IndexChange,
        found: Mapping[str, Derived],
        vectors: Mapping[str, Vector | None],
    ) -> IndexOutcome:
        if isinstance(change, Tombstone):
            row = _row_of_nobody(change)
            if row is not None and not connection.execute("SELECT 1 FROM memories WHERE row = ?", (row,)).fetchone():
                rows.delete(connection, row)
            return _DONE
        there = found.get(change.memory.memory_id)
        if there is None or there.memory.version != change.memory.version:
            return _DONE  # purged or written anew meanwhile, which derives all of it
        embedding = there.embedding if there.memory.embedding_model is not None else None
        if there.memory.memory_id in vectors:
            embedding = writes.blob_of(vectors[there.memory.memory_id])
        return _written(connection, there, embedding)


def _written(connection: sqlite3.Connection, there: Derived, embedding: bytes | None) -> IndexOutcome:
    columns = rows.columns(there.memory, there.document, there.owner, writes.next_change(connection), embedding)
    del columns["record"]
    settings = ",".join(f"{name} = ?" for name in columns)
    try:
        connection.execute(f"UPDATE memories SET {settings} WHERE row = ?", (*columns.values(), there.row))
    except sqlite3.IntegrityError:  # another active memory has its content or its key
        return IndexOutcome("failed", "conflict")
    rows.delete(connection, there.row)
    rows.insert(connection, there.row, there.owner, there.document)
    return _DONE


def _model(memory: Memory) -> str:
    return memory.embedding_model or ""


def _words_of_nobody(user_id: str, row: int) -> IndexedDocument:
    return IndexedDocument(user_id, f"{_WORDS_OF_NOBODY}{row}", 0, "")


def _row_of_nobody(change: IndexChange) -> int | None:
    if isinstance(change, Tombstone) and change.memory_id.startswith(_WORDS_OF_NOBODY):
        return int(change.memory_id.removeprefix(_WORDS_OF_NOBODY))
    return None
