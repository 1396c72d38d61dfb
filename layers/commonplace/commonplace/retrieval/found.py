"""The result of a search, and the candidates from which it was selected."""

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
    """The candidates in a search. For each hit, `places` is the rank whose relevance it shows, and `own` is its own rank."""

    retrieved: Retrieved
    ranked: Ranked
    places: Sequence[int]
    own: Sequence[int]


@dataclass(frozen=True)
class Found:
    """The memories that match, best first, with vector, relevance, probability, and cosine (None if there is no vector).

    `held_back` counts related memories below the minimum relevance. `best_only` is True if none reached it, so that only the
    best is returned. `degraded` says what failed and what was done instead. `partial` is True if only the newest memories, or
    outdated versions, were searched. `none_at_all` is True if no memory is visible. `matches` is None for a general query.
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
        """The memories without scores and vectors."""
        return [record.memory for record in self.stored]

    def notes(self, redacted: Sequence[str], warnings: list[str] | None = None) -> Notes | None:
        """Return notes on how the memories were found."""
        partial = _PARTIAL if self.partial else None
        return Notes(degraded=self.degraded, partial=partial, redacted=list(redacted) or None, warnings=warnings) or None
