"""What the use cases need of the world, as protocols. `wiring.py` fills them; every adapter of one passes one suite."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol

from commonplace.candidates import Gathered
from commonplace.keeping import Applied as Applied
from commonplace.keeping import Audit as Audit
from commonplace.keeping import Change as Change
from commonplace.keeping import Entry as Entry
from commonplace.keeping import Fence as Fence
from commonplace.keeping import Made as Made
from commonplace.keeping import MemoryRecords as MemoryRecords
from commonplace.keeping import Operation as Operation
from commonplace.keeping import Operations as Operations
from commonplace.keeping import PendingWrites as PendingWrites
from commonplace.keeping import Stored as Stored
from commonplace.keeping import UserErasure as UserErasure
from commonplace.keeping import Vector as Vector
from commonplace.model_ports import Embedder as Embedder
from commonplace.model_ports import LanguageModel as LanguageModel
from commonplace.model_ports import ModelUnavailable as ModelUnavailable
from commonplace.model_ports import Normalized as Normalized
from commonplace.model_ports import StatementReader as StatementReader
from commonplace.model_ports import WordModel as WordModel
from commonplace.models.memory import GLOBAL_AGENT
from commonplace.taxonomy import Category, ContentType, Emotion, MemoryType, Section

Clock = Callable[[], datetime]
"""Tells the time, aware, in the user's zone."""


@dataclass(frozen=True)
class Visibility:
    """Whose memories may be seen at all, and at what moment; it holds for hits and for their neighbours alike."""

    user_id: str
    agents: tuple[str, ...]
    now: datetime
    include_expired: bool = False


@dataclass(frozen=True)
class Filter:
    """Which of the visible memories may be returned; None lets all pass."""

    collection: str | None = None
    types: tuple[MemoryType, ...] | None = None
    category: Category | None = None
    section: Section | None = None
    content_type: ContentType | None = None
    importance_min: float | None = None
    after: datetime | None = None
    before: datetime | None = None
    subject: str | None = None
    emotion: Emotion | None = None

    @property
    def equal(self) -> dict[str, str]:
        """What must be so, word for word, by the name that every index has for it."""
        named = {
            "collection": self.collection,
            "category": self.category,
            "section": self.section,
            "content_type": self.content_type,
            "subject": self.subject,
            "emotion": self.emotion,
        }
        return {name: value for name, value in named.items() if value is not None}


@dataclass(frozen=True)
class Similar:
    """An older memory that shares words with a new one. `cosine` is None where either has no vector."""

    memory_id: str
    content: str
    cosine: float | None


@dataclass(frozen=True)
class Statistics:
    """A measured state: memories that can be found, and those of them, or of the rest, that could be tidied.

    `of_newest`: how many memories were looked at, where these are not all.
    """

    active: int
    expired: int
    unused: int
    without_vector: int
    other_embedding: int
    tags: int
    single_tags: int
    of_newest: int | None = None


class UserFacts(Protocol):
    """What is known of a user's memories as a whole."""

    def tags(self, user_id: str) -> dict[str, int]:
        """The user's tags and how many active memories carry each, the most used first, 500 at most."""

    def statistics(self, user_id: str, now: datetime, embedding_model: str) -> Statistics:
        """The measured state."""


class MemoryIndex(Protocol):
    """A view of the record for finding. Each method raises `IndexUnavailable` when it can't be asked in time."""

    def find(self, seen: Visibility, wanted: Filter, terms: Sequence[str], vector: Vector | None) -> Gathered:
        """The best by words and the nearest by vector, their neighbours, and the counts that BM25 needs.

        A neighbour is a visible memory of the same session up to `scoring.REACH` positions away. Those of hits are ranked
        too if they pass the filter, so the window of each of them is handed over as well.
        """

    def similar(self, seen: Visibility, terms: Sequence[str], vector: Vector | None, limit: int) -> list[Similar]:
        """The memories that share the most and rarest words; its cost doesn't grow with the store."""

    def most_important(self, seen: Visibility, wanted: Filter, limit: int) -> tuple[list[str], bool]:
        """Ids of the visible memories that pass, most important first, then newest; and `Gathered.partial`."""


class IndexUnavailable(Exception):  # noqa: N818 - a state, told in the notes
    """The index is down, slow or broken; the message says why, for the log. `Ports.fallback` answers instead."""


class UsageLog(Protocol):
    """Counts which memories were found, without making the answer wait."""

    def found(self, user_id: str, memory_ids: Sequence[str], at: datetime) -> None:
        """Counts one finding of each; a count that can't be written now is written later. Never fails."""

    def fold(self, user_id: str) -> None:
        """Brings what was counted into the memories, where `MemoryRecords.get` and `all` show it.

        Each finding counts once, however often and by however many at once this is called.
        """

    def unfolded(self, before: datetime) -> Iterator[str]:
        """Users with findings from before then that are not in their memories yet."""


@dataclass(frozen=True)
class Caller:
    """Who asks: the user from their identity, the agent, and the time in the user's zone."""

    user_id: str
    now: datetime
    agent_id: str = GLOBAL_AGENT
    redacted: tuple[str, ...] = ()
    """Kinds of secrets that were taken out of the request."""


@dataclass(frozen=True)
class Ports:
    """Everything a use case may reach."""

    records: MemoryRecords
    facts: UserFacts
    index: MemoryIndex
    usage: UsageLog
    embedder: Embedder
    operations: Operations
    words: WordModel
    """The static model, whatever the memories are embedded by: the classifier was trained on it, and a store asks it for
    some dozens of words."""
    reader: StatementReader | None = None
    summarizer: LanguageModel | None = None
    summary_seconds: float = 20.0
    """How long it may take, retries included."""
    fallback: MemoryIndex | None = None
    """Answers from the records when the index is unavailable."""
    profile: Literal["window", "classic"] = "window"
