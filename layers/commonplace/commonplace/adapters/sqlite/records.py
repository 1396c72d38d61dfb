"""Stores memories as rows. One transaction changes a record with its audit rows, tags and index. Also erases users' data."""

import json
import sqlite3
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from typing import Any

from commonplace.adapters.sqlite import removal, rows, writes
from commonplace.adapters.sqlite.database import Database, DatabaseAdapter
from commonplace.adapters.sqlite.ids import keep_erased
from commonplace.adapters.sqlite.purging import purge
from commonplace.adapters.sqlite.rows import RECORD, known_owner, memory_of, moment_of, owner_number, shown_id
from commonplace.domain.errors import CommonplaceError, ErrorCode
from commonplace.domain.flaws import report_unreadable
from commonplace.domain.memory import Memory
from commonplace.memories.vectors import from_bytes
from commonplace.ports.values import Audit, Entry, Filter, RawRecord, Stored, Vector, Visibility
from commonplace.retrieval.documents import Document, document

_BY_OWNER = (
    "tags", "tag_rows", "operations", "interactions", "runs", "run_parts", "leases", "token_budget", "searches",
    "searches_forgotten", "documents", *removal.BY_OWNER_AND_MEMORY,
)  # fmt: skip
_PAGE = 500
_ROWS = (
    f"SELECT memory_id, {RECORD}, found, last_found, version FROM memories LEFT JOIN usage USING (memory_id)"
    f" WHERE +owner = ? AND memory_id > ? ORDER BY memory_id LIMIT {_PAGE}"
)
_AUDITS = (
    "SELECT memory_id, operation, at, detail FROM audits WHERE memory_id IN (SELECT value FROM json_each(?)) ORDER BY number"
)
_MOST_FAULTS = 20
_NUMBERS = ("importance", "happened_at", "happened_day", "created_at", "length", "question", "instruction", "preference")
_NUMBERS_OR_NULL = ("valid_from", "valid_to", "expires_at", "position")
_NO_NUMBER = " OR ".join(
    [f"typeof({name}) NOT IN ('integer', 'real')" for name in _NUMBERS]
    + [f"typeof({name}) NOT IN ('integer', 'real', 'null')" for name in _NUMBERS_OR_NULL]
)
_DAMAGED = f"SELECT row, memory_id FROM memories WHERE row > ? AND row <= ? AND ({_NO_NUMBER})"


class SqliteEverything(DatabaseAdapter):
    """Reads all records in one file. A record whose row has an unreadable column is reported, but still returned."""

    def every(self) -> Iterator[Stored]:
        last = 0
        while True:
            with self._database.reading() as connection:
                rows = connection.execute(f"{writes.STORED} WHERE row > ? ORDER BY row LIMIT 500", (last,)).fetchall()
                damaged = dict(connection.execute(_DAMAGED, (last, rows[-1][0] if rows else last)))
            if not rows:
                return
            for row in rows:
                stored = writes.StoredRow.of(*row)
                if row[0] in damaged:
                    report_unreadable(row[2], shown_id(damaged[row[0]]))
                if stored is not None:
                    yield Stored(stored.memory, from_bytes(stored.embedding))
            last = rows[-1][0]

    def of_user(self, user_id: str, after: str | None = None) -> Iterator[Stored]:
        last = after or ""
        while True:
            with self._database.reading() as connection:
                # "+owner" makes SQLite use the index on ids, so that each page costs the same
                rows = connection.execute(
                    f"{writes.STORED} WHERE +owner = ? AND memory_id > ? ORDER BY memory_id LIMIT 500",
                    (known_owner(connection, user_id), last),
                ).fetchall()
            if not rows:
                return
            for row in rows:
                if (stored := writes.StoredRow.of(*row)) is not None:
                    yield Stored(stored.memory, from_bytes(stored.embedding))
            last = rows[-1][3]


class SqliteRawRecords(DatabaseAdapter):
    """Reads the raw records in one file. Each page of records and their audit rows come from one consistent state."""

    def rows(self, user_id: str) -> Iterator[RawRecord]:
        last = ""
        while True:
            with self._database.reading() as connection:
                rows = connection.execute(_ROWS, (known_owner(connection, user_id), last)).fetchall()
                audits = _load_audits(connection, [row[0] for row in rows])
            for memory_id, record, count, last_access, version in rows:
                memory = memory_of(user_id, memory_id, record, count, last_access)
                newest = memory.version if memory is not None else int(version)
                of_memory = audits[memory_id]  # one row per version up to the newest, except versions before an import
                steps = dict(enumerate(of_memory, max(1, newest - len(of_memory) + 1)))
                yield RawRecord(memory_id, bytes(record), memory, steps)
            if len(rows) < _PAGE:
                return
            last = rows[-1][0]


class SqliteErasure(DatabaseAdapter):
    def erase(self, user_id: str) -> None:
        with self._database.writing(erases=True) as connection:
            owner = known_owner(connection, user_id)
            if owner is None:
                return
            ids = connection.execute("SELECT memory_id FROM memories WHERE owner = ?", (owner,)).fetchall()
            keep_erased(connection, user_id, owner, {memory_id for (memory_id,) in ids})
            connection.execute("DELETE FROM words WHERE rowid IN (SELECT row FROM memories WHERE owner = ?)", (owner,))
            rows.purge_deleted_tokens(connection)
            for table in removal.DEPENDENT_TABLES:
                own = "memory_id IN (SELECT memory_id FROM memories WHERE owner = ?)"
                connection.execute(f"DELETE FROM {table} WHERE {own}", (owner,))
            removal.delete_rows(connection, "owner = ?", owner)
            for table in _BY_OWNER:
                connection.execute(f"DELETE FROM {table} WHERE owner = ?", (owner,))
            # The number is never reused, because other processes may cache data under it.
            connection.execute("UPDATE users SET user_id = 'erased|' || number WHERE number = ?", (owner,))

    def erase_unreadable(self, user_id: str, memory_id: str, forgotten: bool = False) -> bool:
        """Erase a record only if it is unreadable, and return whether it was. `forgotten` also stores a hash of its id."""
        with self._database.writing(erases=True) as connection:
            query = f"{writes.STORED} WHERE user_id = ? AND memory_id = ?"
            values = connection.execute(query, (user_id, memory_id)).fetchone()
            if values is None or writes.StoredRow.of(*values) is not None:
                return False
            row, owner = values[:2]
            if forgotten:
                keep_erased(connection, user_id, owner, {memory_id})
            removal.remove_row(connection, row, memory_id)
            removal.forget(connection, owner, [memory_id])
            removal.recount_tags(connection, owner)
            rows.purge_deleted_tokens(connection)
        return True

    def forget_purged(self, user_id: str, memory_ids: Collection[str], names: Collection[str]) -> None:
        """Store hashes of purged memories' ids and external names, and delete their remaining data."""
        with self._database.writing(erases=True) as connection:
            owner = known_owner(connection, user_id)
            if owner is not None:
                keep_erased(connection, user_id, owner, [*memory_ids, *names])
                removal.forget_purged(connection, owner, memory_ids)


class SqliteRecords(DatabaseAdapter):
    def add(self, entries: Sequence[Entry]) -> list[tuple[Memory, bool]]:
        """Store each entry unless an equal memory is active. Returns each stored memory, and whether it is new."""
        prepared = [(entry, document(entry.memory)) for entry in entries]
        with self._database.writing() as connection:
            added = [_add_entry(connection, entry, doc) for entry, doc in prepared]
            for user_id, at in {entry.memory.user_id: entry.audit.at for entry in entries}.items():
                purge(connection, owner_number(connection, user_id), at)
            return added

    def update(self, memory: Memory, audit: Audit, vector: Vector | None = None) -> Memory:
        """Replace a record. Raises `NOT_FOUND`, or `CONFLICT` if it has changed since or would equal another memory."""
        with self._database.writing() as connection:
            older = writes.load_row(connection, memory.user_id, memory.memory_id)
            if older is None:
                raise CommonplaceError(ErrorCode.NOT_FOUND, f"no memory {memory.memory_id}")
            if older.memory.version != memory.version - 1:
                raise CommonplaceError(ErrorCode.CONFLICT, f"{memory.memory_id} was changed meanwhile; read it again")
            writes.refuse_duplicate(connection, older.owner, memory, memory.updated_at)
            writes.replace(connection, older, memory, audit, vector)
        return memory

    def get(self, user_id: str, memory_ids: Sequence[str]) -> list[Memory]:
        memories = {row[0]: memory_of(user_id, *row) for row in self._load_rows(user_id, memory_ids)}
        return [memory for memory_id in memory_ids if (memory := memories.get(memory_id)) is not None]

    def stored(self, user_id: str, memory_ids: Sequence[str]) -> list[Stored]:
        rows = self._load_rows(user_id, memory_ids, ", embedding")
        memories = {row[0]: (memory_of(user_id, *row[:-1]), row[-1]) for row in rows}
        read = [memories[memory_id] for memory_id in memory_ids if memory_id in memories]
        return [Stored(memory, from_bytes(blob)) for memory, blob in read if memory is not None]

    def _load_rows(self, user_id: str, memory_ids: Sequence[str], more_columns: str = "") -> list[tuple[Any, ...]]:
        with self._database.reading() as connection:
            return connection.execute(
                f"SELECT memories.memory_id, {RECORD}, found, last_found{more_columns} FROM memories"
                " LEFT JOIN usage USING (memory_id)"
                f" WHERE memories.memory_id IN ({','.join('?' * len(memory_ids))}) AND +owner = ?",
                (*memory_ids, known_owner(connection, user_id)),
            ).fetchall()

    def all(self, user_id: str) -> Iterator[Memory]:
        last = 0
        while True:
            with self._database.reading() as connection:
                rows = connection.execute(
                    f"SELECT memories.row, memory_id, {RECORD}, found, last_found FROM memories JOIN users ON number = owner"
                    " LEFT JOIN usage USING (memory_id) WHERE user_id = ? AND memories.row > ?"
                    " ORDER BY memories.row LIMIT 500",
                    (user_id, last),
                ).fetchall()
            if not rows:
                return
            for row in rows:
                if (memory := memory_of(user_id, *row[1:])) is not None:
                    yield memory
            last = rows[-1][0]

    def listed(
        self, visibility: Visibility, filters: Filter, limit: int, before: str | None = None
    ) -> tuple[list[Memory], str | None]:
        """Return visible memories that pass the filter, newest first, and the id before which the next page starts."""
        from commonplace.adapters.sqlite import scan

        (visible, seen), (passing, wanted) = scan.visible(visibility), scan.where(filters)
        behind, after = ("memory_id < ?", [before]) if before is not None else ("", [])
        conditions = " AND ".join(filter(None, (visible, passing, behind)))
        with self._database.reading() as connection:
            # "+owner" makes SQLite use the index on ids, so that a page costs the same for any number of memories
            rows = connection.execute(
                f"SELECT memory_id, {RECORD} FROM memories WHERE +owner = ? AND {conditions} ORDER BY memory_id DESC LIMIT ?",
                (known_owner(connection, visibility.user_id), *seen, *wanted, *after, limit + 1),
            ).fetchall()
        memories = [memory for row in rows[:limit] if (memory := memory_of(visibility.user_id, *row)) is not None]
        return memories, str(rows[limit - 1][0]) if len(rows) > limit else None

    def newest(self, user_id: str, limit: int) -> tuple[list[Stored], bool]:
        """Return the newest active memories with their vectors, and whether these are all active ones."""
        with self._database.reading() as connection:
            rows = connection.execute(
                f"{writes.STORED} WHERE owner = ? AND status = 'active' ORDER BY row DESC LIMIT ?",
                (known_owner(connection, user_id), limit + 1),
            ).fetchall()
        stored_rows = [stored for row in rows[:limit] if (stored := writes.StoredRow.of(*row)) is not None]
        return [Stored(row.memory, from_bytes(row.embedding)) for row in stored_rows], len(rows) <= limit

    def audits(self, user_id: str, memory_id: str) -> list[Audit]:
        with self._database.reading() as connection:
            rows = connection.execute(
                "SELECT operation, at, detail FROM audits JOIN memories USING (memory_id)"
                " JOIN users ON users.number = owner WHERE user_id = ? AND memory_id = ? ORDER BY audits.number",
                (user_id, memory_id),
            ).fetchall()
        return [audit_of(*row) for row in rows]


def _add_entry(connection: sqlite3.Connection, entry: Entry, doc: Document) -> tuple[Memory, bool]:
    """Store a memory or find one with the same content. Return it and whether it's new. A taken key raises `CONFLICT`."""
    memory = entry.memory
    owner = owner_number(connection, memory.user_id)
    same = writes.same_content(connection, owner, memory, memory.created_at)
    if same is not None:
        return same, False
    holder = writes.same_key(connection, owner, memory, memory.created_at)
    if holder is not None:
        raise CommonplaceError(ErrorCode.CONFLICT, f"the key {memory.key} is taken by {holder.memory_id}")
    writes.insert(connection, owner, entry, doc)
    return memory, True


def audit_of(operation: str, at: str, detail: str) -> Audit:
    """Parse an audit row. If the row is damaged, return its readable part, because the row still counts as a version."""
    try:
        return Audit(str(operation), moment_of(at), json.loads(detail))
    except (ValueError, TypeError):
        return Audit(str(operation), moment_of(at), {})


def _load_audits(connection: sqlite3.Connection, memory_ids: list[str]) -> dict[str, list[Audit]]:
    audits = defaultdict[str, list[Audit]](list)
    for memory_id, *row in connection.execute(_AUDITS, (json.dumps(memory_ids),)):
        audits[memory_id].append(audit_of(*row))
    return audits


def check_file(database: Database) -> list[str]:
    """Return the first 20 faults that SQLite finds in the file, or an empty list if the file is intact."""
    try:
        return _find_faults(database, "integrity_check")
    except CommonplaceError as error:  # a damaged page may stop the full check but not the quick check
        try:
            return [*_find_faults(database, "quick_check"), f"the indexes could not be checked: {error.message}"]
        except CommonplaceError:
            return [error.message]


def _find_faults(database: Database, check: str) -> list[str]:
    with database.reading() as connection:
        faults = [str(line) for (line,) in connection.execute(f"PRAGMA {check}({_MOST_FAULTS})")]
    return [] if faults == ["ok"] else faults
