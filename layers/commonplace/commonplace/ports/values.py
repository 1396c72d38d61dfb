"""The values that ports share: the caller, visibility, filters and what models answer."""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from commonplace.domain.memory import GLOBAL_AGENT
from commonplace.domain.taxonomy import Category, ContentType, Emotion, MemoryType, Section, StatementType

if TYPE_CHECKING:
    from pydantic import JsonValue

    from commonplace.ports.record_values import Vector

MOST_TAGS = 500
"""How many tags of a user a store is shown, the most used ones."""
MOST_RATINGS = 500
"""How many ratings of a user are kept, the newest ones: each search reads them."""
SEARCHES_KEPT = RATINGS_KEPT = timedelta(days=90)

Clock = Callable[[], datetime]
"""Tells the time, aware, in the user's zone."""


@dataclass(frozen=True)
class Normalized:
    """A statement made clean."""

    text: str
    type: StatementType
    tags: tuple[str, ...]


@dataclass(frozen=True)
class Reply:
    """A model's answer. `blocks`: its content as the Messages API has it, plain JSON values; `stop_reason` as there."""

    blocks: tuple[Mapping[str, Any], ...]
    stop_reason: str | None
    input_tokens: int
    output_tokens: int

    @property
    def text(self) -> str:
        """The words of the answer, without other blocks."""
        texts = (block.get("text") for block in self.blocks if block.get("type") == "text")
        return "".join(text for text in texts if isinstance(text, str))


class ModelUnavailable(Exception):  # noqa: N818 - a state, told in the notes
    """The model gave no usable answer; the message says why. `misconfigured`: a 4xx other than 429."""

    def __init__(self, why: str, misconfigured: bool = False) -> None:
        super().__init__(why)
        self.misconfigured = misconfigured


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
        """The fields that must be equal, by the name that every index has for them."""
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
class Weights:
    """What importance, recency and use add to a score at the most, to order what matches alike."""

    importance: float = 0.02
    recency: float = 0.02
    usage: float = 0.01


@dataclass(frozen=True)
class Similar:
    """An older memory that shares words with a new one, or is near to it by vector.

    `cosine` is None where either has no vector of the index's model; `vector`: where the index has it at hand.
    """

    memory_id: str
    content: str
    cosine: float | None
    vector: "Vector | None" = None


@dataclass(frozen=True)
class Statistics:
    """A measured state: memories that can be found, and those of them, or of the rest, that could be tidied.

    `expired`: durable memories whose time is over; daily notes end by design. `of_newest`: how many memories were looked
    at, where these are not all.
    """

    active: int
    expired: int
    unused: int
    without_vector: int
    other_embedding: int
    tags: int
    single_tags: int
    of_newest: int | None = None


@dataclass(frozen=True)
class LoggedSearch:
    """A search as it is kept: what was asked, without secrets and cut to 200 characters, how many were found, and when."""

    query: str
    found: int
    at: datetime


@dataclass(frozen=True)
class Rating:
    """Whether a memory was useful for a query, which is without secrets and cut to 200 characters, and when that was said."""

    memory_id: str
    query: str
    useful: bool
    at: datetime

    @property
    def asked(self) -> str:
        """The same for the same query, in capitals or not."""
        return hashlib.blake2b(self.query.casefold().encode(), digest_size=16).hexdigest()


class IndexUnavailable(Exception):  # noqa: N818 - a state, told in the notes
    """The index is down, slow or broken; the message says why, for the log. `Ports.fallback` answers instead."""


class OutOfTime(Exception):  # noqa: N818 - a state, of which a run is made
    """The call has no time left for this piece of work; a worker goes on with it. `so_far`: what was done of it, as JSON."""

    def __init__(self, so_far: "dict[str, JsonValue] | None" = None) -> None:
        super().__init__("out of time")
        self.so_far = so_far


@dataclass(frozen=True)
class Caller:
    """Who asks: the user from their identity, the agent, and the time in the user's zone."""

    user_id: str
    now: datetime
    agent_id: str = GLOBAL_AGENT
    redacted: tuple[str, ...] = ()
    """Kinds of secrets that were taken out of the request."""
    admin: bool = True
    """Whether a person or a program asks, who may bring all memories out and in; a model, or who speaks for one, may not."""
    waits: bool = True
    """Whether a store also tells what the new memory should be compared with; else `history` tells it when it is asked."""
    counts: bool = True
    """Whether what `search_memory` finds counts as used, and its question is kept; not while a person still types it."""
    goes_on: str | None = None
    """The run that a worker goes on with by this call."""
