"""The values of the record: entries, changes, operations, and what an index is told of them."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Literal

from commonplace.domain.memory import Memory

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from commonplace.domain.runs import OperationKind

    Vector = npt.NDArray[np.float32]
else:
    Vector = object  # who only hands vectors on does not pay for numpy


COMPARED = "compared"
"""The detail of a store's audit row that is false where nobody waited for what is similar."""


@dataclass(frozen=True)
class Audit:
    """One audited change of a record: what was done, when, and details."""

    operation: str
    at: datetime
    detail: Mapping[str, object]


@dataclass(frozen=True)
class Entry:
    """A new memory with what the index gets of it."""

    memory: Memory
    vector: Vector | None
    audit: Audit


@dataclass(frozen=True)
class Alias:
    """An id that a memory had elsewhere, and the run that made it known; `withdrawn`: that run was taken back."""

    name: str
    memory_id: str
    run_id: str | None = None
    withdrawn: bool = False


@dataclass(frozen=True)
class Stored:
    """A record as it is kept, with its vector."""

    memory: Memory
    vector: Vector | None


@dataclass(frozen=True)
class RawRecord:
    """A record as the bytes that are kept, and as it is read (None: it can't be); its audit rows by the version each made."""

    memory_id: str
    record: bytes
    memory: Memory | None
    audits: Mapping[int, Audit]


@dataclass(frozen=True)
class Change:
    """A record as it is to be written. `before`: as it was read, None for a new one.

    `erases`: its older words go too, from the details of its audit rows; the record itself holds none any more.
    """

    memory: Memory
    audit: Audit
    vector: Vector | None = None
    before: Memory | None = None
    erases: bool = False


@dataclass(frozen=True)
class Fence:
    """A lease on a user's runs; its number rises with each lease, and writes under an older one are refused."""

    user_id: str
    number: int


@dataclass(frozen=True)
class Operation:
    """Changes that are made together or not at all, and that can be undone by their id.

    `opens`: the one memory that is added or comes back; it takes the key and the content of those that close.
    """

    operation_id: str
    user_id: str
    kind: "OperationKind"
    at: datetime
    opens: Change | None = None
    closes: tuple[Change, ...] = ()
    run_id: str | None = None

    @property
    def changes(self) -> tuple[Change, ...]:
        """All changes, those that close first."""
        return (*self.closes, *((self.opens,) if self.opens else ()))


@dataclass(frozen=True)
class AppliedChange:
    """An applied change: the version it made, and the fields that it replaced with their old JSON values.

    `before` is None where the memory is new; `erased`: its words are gone and can't be brought back. An operation changes
    words only to erase them, and its own version, time and usage come with each write: none of these is among the fields.
    `by_model`: when a model closed the memory without a new value, ISO 8601.
    """

    memory_id: str
    version: int
    before: Mapping[str, object] | None
    erased: bool = False
    by_model: str | None = None


@dataclass(frozen=True)
class Applied:
    """An applied operation. It keeps no memory's words."""

    operation_id: str
    kind: "OperationKind"
    at: datetime
    run_id: str | None
    made: tuple[AppliedChange, ...]


@dataclass(frozen=True)
class Tombstone:
    """A record that is purged, and the last version it had."""

    user_id: str
    memory_id: str
    version: int


IndexChange = Stored | Tombstone


@dataclass(frozen=True)
class IndexOutcome:
    """The result of a change: done (the index holds it or a newer one), to be tried again, or never to be taken.

    `reason` names what went wrong, without a word of the memory.
    """

    state: Literal["done", "retry", "failed"]
    reason: str = ""


@dataclass(frozen=True)
class IndexedDocument:
    """A document of the index, as far as it is compared: `digest` is of the content, "" for a tombstone."""

    user_id: str
    memory_id: str
    version: int
    digest: str


@dataclass(frozen=True)
class StreamRecord:
    """One record of the stream. `change` is None where it can't be read; `trouble` says why, without quoting it."""

    sequence: str
    user_id: str
    item: str
    at: datetime
    change: IndexChange | None
    trouble: str = ""


@dataclass(frozen=True)
class DeadLetter:
    """A change that was set aside: key of its record, place in the stream, and reason. Never a word of it."""

    user_id: str
    item: str
    sequence: str | None
    reason: str
