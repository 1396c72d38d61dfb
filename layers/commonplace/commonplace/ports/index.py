"""Ports of the search index: candidates for ranking, writes, checks and rebuilds."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from commonplace.ports.values import (
    DeadLetter,
    Filter,
    IndexChange,
    IndexedDocument,
    IndexOutcome,
    Similar,
    Stored,
    Vector,
    Visibility,
)

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Floats = npt.NDArray[np.floating[Any]]
    Integers = npt.NDArray[np.integer[Any]]
    Flags = npt.NDArray[np.bool_]
else:
    Floats = Integers = Flags = object  # code that only passes columns on doesn't import numpy


class Depth(NamedTuple):
    """How many candidates the index returns for ranking, by words and by vector."""

    by_words: int
    by_vector: int


DEPTHS = {"thorough": Depth(200, 100), "fast": Depth(50, 50)}


@dataclass(frozen=True)
class Corpus:
    """Statistics of the user's visible memories: number, average length, and memories per term."""

    memories: int
    average_length: float
    frequencies: Floats
    speakers: frozenset[str]
    years: tuple[int, ...]


@dataclass(frozen=True)
class Candidates:
    """Candidates as columns, one row per memory, in any order.

    Only `ranked` rows may be returned; the others lend their words to neighbours in the same session. `cosines` are NaN
    without a vector. `sessions` are numbers (-1: none), and `session_lengths` the mean tokens per memory of that session.
    `speakers` index `speaker_names` (lower case; -1: nobody). `days` are ordinals of the event date, `created` seconds since
    1970.
    """

    ids: list[str]
    ranked: Flags
    term_counts: Floats
    lengths: Floats
    cosines: Floats
    sessions: Integers
    session_lengths: Floats
    positions: Integers
    speakers: Integers
    speaker_names: Sequence[str]
    questions: Flags
    instructions: Flags
    preferences: Flags
    days: Floats
    importances: Floats
    created: Floats

    def __len__(self) -> int:
        return len(self.ids)


@dataclass(frozen=True)
class Legs:
    """The hits of each leg of a retrieval, best first: ids with the engine's lexical score, or with the cosine."""

    lexical: Sequence[tuple[str, float]] = ()
    vector: Sequence[tuple[str, float]] = ()


@dataclass(frozen=True)
class Retrieved:
    """The candidates for a question. `partial`: older memories were not searched; `legs`: only if requested."""

    candidates: Candidates
    corpus: Corpus
    partial: bool = False
    legs: Legs | None = None


class MemoryIndex(Protocol):
    """The search index, a view of the records. Each method raises `IndexUnavailable` if it can't answer in time."""

    def find(
        self, visibility: Visibility, filters: Filter, terms: Sequence[str], vector: Vector | None, with_legs: bool = False
    ) -> Retrieved:
        """Retrieve the best by words and the nearest by vector, with their neighbours and the counts for BM25.

        A neighbour is a visible memory of the same session, up to `bm25.REACH` positions away. Neighbours of hits are ranked
        too if they pass the filter, so their own windows are returned as well. `with_legs` also returns the hits of each leg,
        which may take longer.
        """

    def similar(self, visibility: Visibility, terms: Sequence[str], vector: Vector | None, limit: int) -> list[Similar]:
        """Return up to `limit` memories by rarest shared words, and `limit` by vector; those found by both first."""

    def most_important(self, visibility: Visibility, filters: Filter, limit: int) -> tuple[list[str], bool]:
        """Return ids of the visible memories that pass, most important first, then newest; and `Retrieved.partial`."""


class IndexWriter(Protocol):
    """Writes changes into the index, in any order and repeatedly; the newest version wins."""

    def put(self, changes: Sequence[IndexChange]) -> list[IndexOutcome]:
        """Write changes and return one outcome each. Every later search sees those done. Raises no network errors."""


class IndexContents(Protocol):
    """The documents of the index. Each method raises `IndexUnavailable`."""

    def look_up(self, records: Sequence[Stored]) -> list[IndexedDocument | None]:
        """Return the document of each record, or None if missing. A damaged document has a different `digest`."""

    def every(self) -> Iterator[IndexedDocument]:
        """Yield all documents of all users, grouped by user, without tombstones."""

    def of_user(self, user_id: str) -> Iterator[IndexedDocument]:
        """Yield the user's documents without tombstones. `digest` is "" if it would have to be computed."""

    def miscounted(self, user_id: str) -> list[str]:
        """Return the names of the user's stored counts that are wrong; empty if the index counts by itself."""

    def mend(self, changes: Sequence[IndexChange]) -> list[IndexOutcome]:
        """Write like `IndexWriter.put`, but overwrite documents of the same version too."""

    def recount(self, user_id: str) -> None:
        """Recompute the stored counts of the user's documents."""


class IndexRebuild(Protocol):
    """Builds a new version of the index beside the live one, and replaces it. Each method raises `IndexUnavailable`."""

    def model(self) -> str | None:
        """Return the embedding model of the live index or of its planned layout; None before setup."""

    def begin(self) -> str:
        """Create the new version, or resume it, and return its name. From now on each change goes to both versions."""

    def fill(self, records: Sequence[Stored]) -> list[IndexOutcome]:
        """Write records into the new version only, overwriting documents of the same version."""

    def finish(self) -> None:
        """Switch to the new version in one step and delete the old one."""


class PendingWrites(Protocol):
    """Memories whose last write may not be in the index. Each write adds a row in its own transaction."""

    def pending(self, user_id: str) -> tuple[list[Stored], bool]:
        """Return the user's unconfirmed records as they are now, and whether these are all. Strongly consistent."""

    def has_more_than(self, most: int, user_id: str) -> bool:
        """Return whether more than `most` of the user's writes wait; cheaper than `pending`."""

    def confirm(self, user_id: str, memory_id: str, version: int) -> None:
        """Confirm that the index has this version. The row stays if a newer version waits. Safe to repeat, in any order."""

    def tell(self, user_id: str, memory_id: str, version: int, confirmed: bool = True) -> bool:
        """Mark whether somebody was told that the index rejects this version. Returns False if nothing changed."""

    def pending_since(self, before: datetime) -> Iterator[Stored]:
        """Yield all users' records pending since before then, as they are now. May lag behind a write."""

    def oldest_pending(self) -> datetime | None:
        """Return the time of the oldest pending write. May lag behind a write."""


class DeadLetters(Protocol):
    """Stores changes that the index can't take."""

    def send(self, letters: Sequence[DeadLetter]) -> None:
        """Store the dead letters for an operator. Raises `STORAGE_UNAVAILABLE`."""
