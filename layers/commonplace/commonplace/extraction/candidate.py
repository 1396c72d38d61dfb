"""Candidates for memories, decisions about candidates, and the interfaces for readers."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol

from commonplace.domain.memory import Memory
from commonplace.domain.runs import Dropped
from commonplace.domain.taxonomy import Durability, Scope, Section
from commonplace.extraction.days import Day

ExtractedType = Literal["preference", "project", "task", "fact", "meta"]
Decided = Literal["ADD", "UPDATE", "DELETE", "NOOP", "FORGET"]


@dataclass(frozen=True)
class Candidate:
    """A memory that a reader proposes. Rules derive the fields that are None.

    `evidence` is a span of up to 300 characters in the user's own words in the message. `rests_on` contains the ids of all
    source interactions if there are several. `corrects` is True if the words say that something earlier was wrong or has
    ended. If `forgets` is True, the user wants `content` forgotten, and no memory is added.
    """

    content: str
    interaction_id: str
    position: int
    evidence: str
    confidence: float
    type: ExtractedType | None = None
    scope: Scope = "user_global"
    tags: tuple[str, ...] = ()
    key: str | None = None
    section: Section | None = None
    durability: Durability | None = None
    event_time: datetime | None = None
    rests_on: tuple[str, ...] = ()
    corrects: bool = False
    forgets: bool = False


@dataclass(frozen=True)
class Decision:
    """A decision about a candidate. `targets` contains the ids of the memories that change.

    ADD adds the candidate. UPDATE closes `targets` and adds the new text under the target's key. DELETE closes `targets` and
    adds the candidate if it has content. NOOP changes nothing. FORGET closes `targets` and erases their texts.
    """

    candidate: Candidate
    operation: Decided
    targets: tuple[str, ...] = ()
    content: str | None = None
    why: str = ""
    outdated_by: Memory | None = None

    @property
    def says(self) -> str:
        """The text to store, which is the decision's content or, if it has none, the candidate's content."""
        return self.content or self.candidate.content


class MemoryView(Protocol):
    """The memories as a reader sees them, which are the stored memories with the run's planned changes applied."""

    def similar(self, content: str, limit: int = 10) -> list[Memory]:
        """Return current memories about the same subject, nearest first."""

    def get(self, memory_ids: Sequence[str]) -> list[Memory]:
        """Return the current memories that have one of these ids."""

    def restated(self, content: str) -> list[str]:
        """Return the ids of current memories that have the same meaning as `content`, judged by vectors."""

    def holder(self, key: str) -> Memory | None:
        """Return the current memory with this key, or None."""

    def in_section(self, section: Section, limit: int = 20) -> list[Memory]:
        """Return current memories in a section, most important first, then newest first."""


@dataclass(frozen=True)
class Reading:
    """The result of reading a day. `unread` interactions stay pending. `notes` are added to the run's report."""

    decisions: tuple[Decision, ...]
    dropped: tuple[Dropped, ...] = ()
    candidates: int = 0
    unread: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0


class Reader(Protocol):
    """A reader, which reads a day's messages and decides how they change the memories."""

    def read(self, day: Day, view: MemoryView) -> Reading:
        """Read one day and return the decisions about the memories."""
