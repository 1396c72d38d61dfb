"""What the row of a memory derives of its record, and what is counted beside the rows of a file."""

import sqlite3
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from commonplace.adapters.sqlite import rows
from commonplace.adapters.sqlite.rows import RECORD, memory_of, vector_of
from commonplace.domain.flaws import gathered
from commonplace.domain.memory import Memory
from commonplace.retrieval.documents import Document, document

_NAMES = (
    "fingerprint version status agent_id collection key memory_type category section content_type importance emotion subject"
    " happened_at happened_day created_at valid_from valid_to expires_at session_id position speaker length question"
    " instruction preference"
).split()
_DERIVED = (
    f"SELECT row, owner, user_id, memory_id, {RECORD}, change, embedding, embedding_model, {','.join(_NAMES)}"
    " FROM memories JOIN users ON number = owner WHERE memory_id"
)
_BESIDE_UNIT = 0.01


@dataclass(frozen=True)
class Derived:
    """A memory as its record is now, with what its row derives of it."""

    row: int
    owner: int
    memory: Memory
    change: object
    embedding: bytes | None
    embedding_model: object
    columns: Mapping[str, object]

    @cached_property
    def document(self) -> Document:
        """What an index gets of it."""
        return document(self.memory)

    @property
    def words(self) -> tuple[str, str]:
        """What the index of words gets of it."""
        return rows.words_of(self.owner, self.document)

    def is_in_line(self, dimensions: Mapping[str, int]) -> bool:
        """Whether columns and vector are those of the record. `dimensions`: of the vectors of each known model."""
        right = rows.columns(self.memory, self.document, self.owner, 0, None)
        same = all(self.columns[name] == right[name] for name in _NAMES)
        return same and isinstance(self.change, int) and self.change > 0 and self._has_its_vector(dimensions)

    def _has_its_vector(self, dimensions: Mapping[str, int]) -> bool:
        model = self.memory.embedding_model
        if model is None or self.embedding is None:
            return self.embedding is None and model not in dimensions
        vector = vector_of(self.embedding, dimensions.get(model))
        if vector is None or self.embedding_model != model:
            return False
        return abs(float(np.linalg.norm(vector.astype(np.float64))) - 1) < _BESIDE_UNIT


def derived_of(connection: sqlite3.Connection, memory_ids: Sequence[str]) -> dict[str, Derived]:
    """By id those of the memories that are there and can be read."""
    marks = ",".join("?" * len(memory_ids))
    found = dict[str, Derived]()
    with gathered():  # whoever gave the ids has told what can't be read
        for row, owner, user_id, memory_id, record, change, *rest in connection.execute(
            f"{_DERIVED} IN ({marks})", memory_ids
        ):
            memory = memory_of(user_id, memory_id, record)
            if memory is not None:
                columns = dict(zip(_NAMES, rest[2:], strict=True))
                found[memory_id] = Derived(row, owner, memory, change, rest[0], rest[1], columns)
    return found


def tags_of(connection: sqlite3.Connection, owner: int | None) -> Counter[str]:
    """How many of the owner's active memories carry each tag, by the records that can be read."""
    found = connection.execute(
        f"SELECT user_id, memory_id, {RECORD} FROM memories JOIN users ON number = owner WHERE owner = ?", (owner,)
    )
    with gathered():
        memories = [memory for each in found if (memory := memory_of(*each)) is not None]
    return Counter(tag for memory in memories if memory.status == "active" for tag in set(memory.tags))


def changes_are_counted(connection: sqlite3.Connection) -> bool:
    """Whether the number of the last write is one, and that of no memory is beyond it: readers would miss what is new."""
    last = [one for (one,) in connection.execute("SELECT last FROM changes")]
    return len(last) == 1 and isinstance(last[0], int) and last[0] >= _newest_change(connection)


def count_changes(connection: sqlite3.Connection) -> None:
    """Brings the number of the last write in line."""
    if not changes_are_counted(connection):
        connection.execute("DELETE FROM changes")
        connection.execute("INSERT INTO changes VALUES (?)", (_newest_change(connection),))


def _newest_change(connection: sqlite3.Connection) -> int:
    newest: int = connection.execute(
        "SELECT coalesce(max(change), 0) FROM memories WHERE typeof(change) = 'integer'"
    ).fetchone()[0]
    return newest
