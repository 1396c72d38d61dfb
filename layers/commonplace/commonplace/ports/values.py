"""The values that ports share: the caller, visibility, filters, what models answer, and the contents of record and index."""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Literal

from commonplace.domain.memory import GLOBAL_AGENT, Memory
from commonplace.domain.taxonomy import Category, ContentType, Emotion, MemoryType, Section, StatementType

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    from pydantic import JsonValue

    from commonplace.domain.runs import OperationKind

    Vector = npt.NDArray[np.float32]
else:
    Vector = object  # who only hands vectors on does not pay for numpy

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
    vector: Vector | None = None


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


COMPARED = "compared"
"""The detail of a store's audit row that is false where nobody waited for what is similar."""


@dataclass(frozen=True)
class Audit:
    """One audited change of a record: what was done, when, and details."""

    operation: str
    at: datetime
    detail: Mapping[str, object]


@dataclass(frozen=True)
class Entry:
    """A new memory with what the index gets of it."""

    memory: Memory
    vector: Vector | None
    audit: Audit


@dataclass(frozen=True)
class Alias:
    """An id that a memory had elsewhere, and the run that made it known; `withdrawn`: that run was taken back."""

    name: str
    memory_id: str
    run_id: str | None = None
    withdrawn: bool = False


@dataclass(frozen=True)
class Stored:
    """A record as it is kept, with its vector."""

    memory: Memory
    vector: Vector | None


@dataclass(frozen=True)
class RawRecord:
    """A record as the bytes that are kept, and as it is read (None: it can't be); its audit rows by the version each made."""

    memory_id: str
    record: bytes
    memory: Memory | None
    audits: Mapping[int, Audit]


@dataclass(frozen=True)
class Change:
    """A record as it is to be written. `before`: as it was read, None for a new one.

    `erases`: its older words go too, from the details of its audit rows; the record itself holds none any more.
    """

    memory: Memory
    audit: Audit
    vector: Vector | None = None
    before: Memory | None = None
    erases: bool = False


@dataclass(frozen=True)
class Fence:
    """A lease on a user's runs; its number rises with each lease, and writes under an older one are refused."""

    user_id: str
    number: int


@dataclass(frozen=True)
class Operation:
    """Changes that are made together or not at all, and that can be undone by their id.

    `opens`: the one memory that is added or comes back; it takes the key and the content of those that close.
    """

    operation_id: str
    user_id: str
    kind: "OperationKind"
    at: datetime
    opens: Change | None = None
    closes: tuple[Change, ...] = ()
    run_id: str | None = None

    @property
    def changes(self) -> tuple[Change, ...]:
        """All changes, those that close first."""
        return (*self.closes, *((self.opens,) if self.opens else ()))


@dataclass(frozen=True)
class AppliedChange:
    """An applied change: the version it made, and the fields that it replaced with their old JSON values.

    `before` is None where the memory is new; `erased`: its words are gone and can't be brought back. An operation changes
    words only to erase them, and its own version, time and usage come with each write: none of these is among the fields.
    `by_model`: when a model closed the memory without a new value, ISO 8601.
    """

    memory_id: str
    version: int
    before: Mapping[str, object] | None
    erased: bool = False
    by_model: str | None = None


@dataclass(frozen=True)
class Applied:
    """An applied operation. It keeps no memory's words."""

    operation_id: str
    kind: "OperationKind"
    at: datetime
    run_id: str | None
    made: tuple[AppliedChange, ...]


@dataclass(frozen=True)
class Tombstone:
    """A record that is purged, and the last version it had."""

    user_id: str
    memory_id: str
    version: int


IndexChange = Stored | Tombstone


@dataclass(frozen=True)
class IndexOutcome:
    """The result of a change: done (the index holds it or a newer one), to be tried again, or never to be taken.

    `reason` names what went wrong, without a word of the memory.
    """

    state: Literal["done", "retry", "failed"]
    reason: str = ""


@dataclass(frozen=True)
class IndexedDocument:
    """A document of the index, as far as it is compared: `digest` is of the content, "" for a tombstone."""

    user_id: str
    memory_id: str
    version: int
    digest: str


@dataclass(frozen=True)
class StreamRecord:
    """One record of the stream. `change` is None where it can't be read; `trouble` says why, without quoting it."""

    sequence: str
    user_id: str
    item: str
    at: datetime
    change: IndexChange | None
    trouble: str = ""


@dataclass(frozen=True)
class DeadLetter:
    """A change that was set aside: key of its record, place in the stream, and reason. Never a word of it."""

    user_id: str
    item: str
    sequence: str | None
    reason: str
