"""Ports that search, write, check and rebuild the index. A search returns candidates for ranking."""

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
    Floats = Integers = Flags = object  # so that only code that computes with the columns imports numpy


class Depth(NamedTuple):
    """How many candidates the index returns for ranking, by keyword search and by vector search."""

    by_words: int
    by_vector: int


DEPTHS = {"thorough": Depth(200, 100), "fast": Depth(50, 50)}


@dataclass(frozen=True)
class Corpus:
    """Statistics of the user's visible memories. `frequencies` contains the number of memories with each query term."""

    memories: int
    average_length: float
    frequencies: Floats
    speakers: frozenset[str]
    years: tuple[int, ...]


@dataclass(frozen=True)
class Candidates:
    """Candidates as columns, with one row per memory, in any order.

    Only `ranked` rows may be returned. Other rows only lend their words to the scores of neighbouring memories in the same
    session. `cosines` are NaN for memories without a vector. `sessions` are session numbers, or -1. `session_lengths` are the
    mean numbers of tokens per memory in the session. `speakers` are indexes into `speaker_names`, or -1. `speaker_names` are
    in lower case. `days` are ordinals of the event date. `created` is in seconds since 1970.
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
    """Keyword hits and vector hits, best first. Each hit is an id with the engine's lexical score or with the cosine."""

    lexical: Sequence[tuple[str, float]] = ()
    vector: Sequence[tuple[str, float]] = ()


@dataclass(frozen=True)
class Retrieved:
    """The candidates for a question. `partial` is True if older memories were not searched. `legs` is None by default.

    `other_model` is True if a visible memory has a vector from another model. Only the words of that memory were searched.
    """

    candidates: Candidates
    corpus: Corpus
    partial: bool = False
    legs: Legs | None = None
    other_model: bool = False


class MemoryIndex(Protocol):
    """The search index, built from the records. All methods raise `IndexUnavailable` if the index can't answer in time."""

    def find(
        self, visibility: Visibility, filters: Filter, terms: Sequence[str], vector: Vector | None, with_legs: bool = False
    ) -> Retrieved:
        """Return the best keyword and vector hits, their neighbours, and the counts for BM25.

        A neighbour is a visible memory in the same session, up to `bm25.REACH` positions away. Neighbours that pass the
        filter are ranked too, so their own neighbours are returned as well. If `with_legs` is true, the keyword hits and the
        vector hits are also returned as two separate lists, which may take longer.
        """

    def similar(self, visibility: Visibility, terms: Sequence[str], vector: Vector | None, limit: int) -> list[Similar]:
        """Return up to `limit` memories that contain rare `terms` and up to `limit` with near vectors, most similar first."""

    def most_important(self, visibility: Visibility, filters: Filter, limit: int) -> tuple[list[str], bool]:
        """Return up to `limit` memory ids, most important first, then newest first, and whether ids may be missing."""


class IndexWriter(Protocol):
    """Writes changes to the index. Changes may be repeated and may arrive in any order, because the newest version wins."""

    def put(self, changes: Sequence[IndexChange]) -> list[IndexOutcome]:
        """Write changes and return an outcome for each, even after network errors. Later searches see all "done" changes."""


class IndexContents(Protocol):
    """Reads and repairs the documents in the index. Each method raises `IndexUnavailable` if the index doesn't answer."""

    def look_up(self, records: Sequence[Stored]) -> list[IndexedDocument | None]:
        """Return the index document of each record, or None if missing. A damaged document has a different `digest`."""

    def every(self) -> Iterator[IndexedDocument]:
        """Yield all documents of all users, except tombstones, grouped by user."""

    def of_user(self, user_id: str) -> Iterator[IndexedDocument]:
        """Yield the user's documents, except tombstones. `digest` is "" if the index doesn't store digests."""

    def miscounted(self, user_id: str) -> list[str]:
        """Return the names of the stored counts that are wrong for a user. Engines that maintain their counts return []."""

    def mend(self, changes: Sequence[IndexChange]) -> list[IndexOutcome]:
        """Write changes as `IndexWriter.put` does, but also overwrite documents that have the same version."""

    def recount(self, user_id: str) -> None:
        """Recompute the stored counts of the user's documents."""


class IndexRebuild(Protocol):
    """Builds a new index, then switches from the live index to the new one. Each method may raise `IndexUnavailable`."""

    def model(self) -> str | None:
        """Return the embedding model of the live index, or else of the planned index. Returns None before setup."""

    def begin(self) -> str:
        """Create a new version, or resume one, and return its name. From then on, changes are written to both versions."""

    def fill(self, records: Sequence[Stored]) -> list[IndexOutcome]:
        """Write records to the new index only, and overwrite documents that have the same version."""

    def finish(self) -> None:
        """Switch to the new version in one step and delete the old one."""


class PendingWrites(Protocol):
    """Writes that may not have reached the index yet. Each write of a memory adds a row here in the same transaction."""

    def pending(self, user_id: str) -> tuple[list[Stored], bool]:
        """Return the user's records with unconfirmed writes, and whether these are all. The read is strongly consistent."""

    def has_more_than(self, most: int, user_id: str) -> bool:
        """Return whether more than `most` of the user's writes are unconfirmed. This is cheaper than `pending`."""

    def confirm(self, user_id: str, memory_id: str, version: int) -> None:
        """Confirm that the index contains this version. The row stays if a newer version is unconfirmed. May be repeated."""

    def mark_reported(self, user_id: str, memory_id: str, version: int, confirmed: bool = True) -> bool:
        """Record whether the index's rejection of this version was reported. Returns False if nothing changed."""

    def pending_since(self, before: datetime) -> Iterator[Stored]:
        """Yield all users' records whose writes before `before` are still unconfirmed. The latest writes may be missing."""

    def oldest_pending(self) -> datetime | None:
        """Return when the oldest unconfirmed write was made, or None if there is none. The latest writes may be missing."""


class DeadLetters(Protocol):
    """A queue of the changes that the index rejected."""

    def send(self, letters: Sequence[DeadLetter]) -> None:
        """Store the dead letters for an operator. Raises `STORAGE_UNAVAILABLE`."""
