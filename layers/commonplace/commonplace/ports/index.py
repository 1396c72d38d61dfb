"""The ports of the search index: what it returns for ranking, how changes come to it, and how it is checked and rebuilt."""

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
    Floats = Integers = Flags = object  # who only hands columns on does not pay for numpy


class Depth(NamedTuple):
    """How many candidates an index gives to be ranked: of the best by words, and of the nearest by vector."""

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
    """One row per memory, in any order.

    `ranked` rows may be returned; the others only lend their words to neighbours in the same session. `cosines` are NaN
    without a vector; `sessions` are numbers (-1: none) and `session_lengths` the mean tokens of a memory of that session;
    `speakers` are places in
    `speaker_names` (lower case; -1: nobody), `days` ordinals of when it happened, `created` seconds since 1970.
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
    """What each leg of a retrieval found: ids with the engine's own score of the words, or the cosine, best first."""

    lexical: Sequence[tuple[str, float]] = ()
    vector: Sequence[tuple[str, float]] = ()


@dataclass(frozen=True)
class Retrieved:
    """The candidates for a question. `partial`: older memories than these were not looked at; `legs`: where asked for."""

    candidates: Candidates
    corpus: Corpus
    partial: bool = False
    legs: Legs | None = None


class MemoryIndex(Protocol):
    """The search index, a view of the records. Each method raises `IndexUnavailable` when it can't answer in time."""

    def find(
        self, visibility: Visibility, filters: Filter, terms: Sequence[str], vector: Vector | None, with_legs: bool = False
    ) -> Retrieved:
        """Retrieves the best by words and the nearest by vector, with neighbours and the counts that BM25 needs.

        A neighbour is a visible memory of the same session up to `bm25.REACH` positions away. Those of hits are ranked
        too if they pass the filter, so the window of each of them is handed over as well. `with_legs`: what each leg found is
        told besides, which may take longer.
        """

    def similar(self, visibility: Visibility, terms: Sequence[str], vector: Vector | None, limit: int) -> list[Similar]:
        """The memories that share the most and rarest words, and the nearest by vector: up to `limit` of each.

        First those that share the most, by words and by vector.
        """

    def most_important(self, visibility: Visibility, filters: Filter, limit: int) -> tuple[list[str], bool]:
        """Ids of the visible memories that pass, most important first, then newest; and `Retrieved.partial`."""


class IndexWriter(Protocol):
    """Writes changes into the index, in any order and repeatedly: the newest version stays."""

    def put(self, changes: Sequence[IndexChange]) -> list[IndexOutcome]:
        """Writes changes and returns one outcome each; every later search finds what is done. Raises no network errors."""


class IndexContents(Protocol):
    """The documents of the index. Each method raises `IndexUnavailable`."""

    def look_up(self, records: Sequence[Stored]) -> list[IndexedDocument | None]:
        """The document of each record, None where there is none; one with anything wrong in it has another `digest`."""

    def every(self) -> Iterator[IndexedDocument]:
        """All documents of all users, by user, without tombstones."""

    def of_user(self, user_id: str) -> Iterator[IndexedDocument]:
        """The user's documents, without tombstones; `digest` is "" where it would have to be worked out."""

    def miscounted(self, user_id: str) -> list[str]:
        """The names of counts kept beside the user's documents that are wrong; none where the index counts by itself."""

    def mend(self, changes: Sequence[IndexChange]) -> list[IndexOutcome]:
        """Like `IndexWriter.put`, and a record of the same version is written over."""

    def recount(self, user_id: str) -> None:
        """Counts anew what is kept beside the user's documents."""


class IndexRebuild(Protocol):
    """Fills a new version of the index beside the one in use, and replaces it."""

    def model(self) -> str | None:
        """The model of the vectors in the index in use, or of its planned layout; None where nothing was set up."""

    def begin(self) -> str:
        """Creates the new version, or resumes one, and returns its name. From now on each change goes to both."""

    def fill(self, records: Sequence[Stored]) -> list[IndexOutcome]:
        """Writes records into the new version only; a record of the same version is written over."""

    def finish(self) -> None:
        """Switches to the new version in one step and removes the old one. All three raise `IndexUnavailable`."""


class PendingWrites(Protocol):
    """The memories whose last write may not be in the index; each write leaves a row, in its own transaction."""

    def pending(self, user_id: str) -> tuple[list[Stored], bool]:
        """The user's records that wait to be confirmed, as they are now and whatever their status, and whether that is
        all of them; never behind a write."""

    def has_more_than(self, most: int, user_id: str) -> bool:
        """Whether more than so many of the user's writes wait; cheaper than `pending`."""

    def confirm(self, user_id: str, memory_id: str, version: int) -> None:
        """Confirms that the index holds this version; the row stays if a newer one waits. Safe to repeat, in any order."""

    def tell(self, user_id: str, memory_id: str, version: int, told: bool = True) -> bool:
        """Notes that somebody was told that the index will never take this version, or that nobody was; False if that is
        noted already, or nothing of it waits."""

    def pending_since(self, before: datetime) -> Iterator[Stored]:
        """Everybody's records that have been waiting since before then, as they are now; may lag behind a write."""

    def oldest_pending(self) -> datetime | None:
        """The time of the longest pending write; may lag behind a write."""


class DeadLetters(Protocol):
    """Keeps dead letters."""

    def send(self, letters: Sequence[DeadLetter]) -> None:
        """Keeps the dead letters for an operator; raises `STORAGE_UNAVAILABLE`."""
