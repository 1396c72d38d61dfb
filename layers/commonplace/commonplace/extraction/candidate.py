"""What a reader proposes to remember, and what it wants done about what is remembered already."""

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
    """A memory that a reader proposes. None: code derives it.

    `evidence`: a span of the user's own words of that message, up to 300 characters. `rests_on`: all interactions that it
    rests on, if more than one. `corrects`: its words say that something earlier was wrong or is over. `forgets`: the user
    wants what `content` says forgotten; nothing is added.
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
    """What is to be done about a candidate.

    ADD adds it. UPDATE closes `targets` and adds `content` (else the candidate's) under the target's key. DELETE closes
    `targets` and adds the candidate, if it says anything. NOOP does nothing. FORGET closes `targets` and erases their words.
    """

    candidate: Candidate
    operation: Decided
    targets: tuple[str, ...] = ()
    content: str | None = None
    why: str = ""
    outdated_by: Memory | None = None

    @property
    def says(self) -> str:
        """What it adds, if it adds anything: its own content, else the candidate's."""
        return self.content or self.candidate.content


class MemoryView(Protocol):
    """What is remembered, as this run sees it: the record and what the run is going to do."""

    def similar(self, content: str, limit: int = 10) -> list[Memory]:
        """Current memories on the same subject, nearest first."""

    def get(self, memory_ids: Sequence[str]) -> list[Memory]:
        """The current memories among the ids."""

    def holder(self, key: str) -> Memory | None:
        """The current memory that holds a key."""

    def in_section(self, section: Section, limit: int = 20) -> list[Memory]:
        """Current memories of a section, most important and newest first."""


@dataclass(frozen=True)
class Reading:
    """What a mode made of a day. `unread`: interactions that could not be read and stay pending; `notes`: what to tell."""

    decisions: tuple[Decision, ...]
    dropped: tuple[Dropped, ...] = ()
    candidates: int = 0
    unread: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0


class Reader(Protocol):
    """A mode of reading: rules, pipeline or agent."""

    def read(self, day: Day, view: MemoryView) -> Reading:
        """What is to be done about the memories after this day."""
