"""What a search found, and what it chose from."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from commonplace.domain.fields import Notes
from commonplace.domain.memory import Memory
from commonplace.ports.index import Retrieved
from commonplace.ports.values import Stored
from commonplace.retrieval.query import Query
from commonplace.retrieval.ranked import Ranked

_PARTIAL = "only the newest memories were looked at, or as they were some seconds ago"


@dataclass(frozen=True)
class Matches:
    """What a search chose from. `places`: where in `ranked` each memory found has its relevance from; `own`: where it stands
    itself, which is another place where a newer value of one attribute was put first."""

    retrieved: Retrieved
    ranked: Ranked
    places: Sequence[int]
    own: Sequence[int]


@dataclass(frozen=True)
class Found:
    """Memories that match, with their vectors, best first, each with relevance, probability of being right, and cosine
    (None without a vector).

    `held_back`: how many share a word or a meaning with the query and are less relevant than asked for; `best_only`: this is
    the best of them, shown because nothing else was found;
    `degraded`: what couldn't be asked, and what was done instead; `partial`: only the newest were looked at, or as they were;
    `none_at_all`: no memory is there that could have matched, whatever was asked; `matches`: None where the query is general.
    """

    stored: list[Stored]
    relevance: list[float]
    probabilities: list[float | None]
    cosines: list[float | None]
    total: int
    query: Query
    answerable: float | None
    held_back: int = 0
    best_only: bool = False
    partial: bool = False
    degraded: str | None = None
    none_at_all: bool = False
    matches: Matches | None = None
    times_ms: Mapping[str, float] = field(default_factory=dict)

    @property
    def memories(self) -> list[Memory]:
        """The memories alone."""
        return [one.memory for one in self.stored]

    def notes(self, redacted: Sequence[str], warnings: list[str] | None = None) -> Notes | None:
        """The notes for the answer: how the memories were found."""
        return (
            Notes(
                degraded=self.degraded,
                partial=_PARTIAL if self.partial else None,
                redacted=list(redacted) or None,
                warnings=warnings,
            )
            or None
        )
