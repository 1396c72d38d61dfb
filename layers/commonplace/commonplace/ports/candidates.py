"""What an index returns for ranking: columns over the candidates and their neighbours."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

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
