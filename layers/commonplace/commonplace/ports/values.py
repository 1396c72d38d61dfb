"""Values that several ports use, such as the caller, filters, model replies, records and changes."""

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
    Vector = object  # so that only code that computes with vectors imports numpy

MOST_TAGS = 500
"""How many of a user's tags are read at once. The most used tags come first."""
MOST_RATINGS = 500
"""The maximum number of ratings stored per user. Each search reads all of them."""
SEARCH_TTL = RATING_TTL = timedelta(days=90)
Clock = Callable[[], datetime]
"""Returns the current time, timezone-aware, in the user's zone."""


@dataclass(frozen=True)
class Normalized:
    """A normalized statement."""

    text: str
    type: StatementType
    tags: tuple[str, ...]


@dataclass(frozen=True)
class Reply:
    """A model's answer. `blocks` and `stop_reason` have the format of the Messages API, with plain JSON values."""

    blocks: tuple[Mapping[str, Any], ...]
    stop_reason: str | None
    input_tokens: int
    output_tokens: int

    @property
    def text(self) -> str:
        """The joined text blocks of the answer."""
        texts = (block.get("text") for block in self.blocks if block.get("type") == "text")
        return "".join(text for text in texts if isinstance(text, str))


class ModelUnavailable(Exception):  # noqa: N818 - a state that notes report
    """The model gave no usable answer. The message contains the reason. `misconfigured` means a 4xx status other than 429."""

    def __init__(self, why: str, misconfigured: bool = False) -> None:
        super().__init__(why)
        self.misconfigured = misconfigured


@dataclass(frozen=True)
class Visibility:
    """The user, agents and time that determine which memories are visible."""

    user_id: str
    agents: tuple[str, ...]
    now: datetime
    include_expired: bool = False


@dataclass(frozen=True)
class Filter:
    """A filter for visible memories. Fields that are None match every memory."""

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
        """The required value of each filtered field, by field name. Every index uses these field names."""
        names = ("collection", "category", "section", "content_type", "subject", "emotion")
        return {name: value for name in names if (value := getattr(self, name)) is not None}


@dataclass(frozen=True)
class Weights:
    """The most that importance, recency and usage can each add to a score, to order equally good matches."""

    importance: float = 0.02
    recency: float = 0.02
    usage: float = 0.01


@dataclass(frozen=True)
class Similar:
    """A similar older memory. `cosine` is None unless both memories have vectors from the index's model.

    `other_model` is True if the memory has a vector from another model.
    """

    memory_id: str
    content: str
    cosine: float | None
    vector: Vector | None = None
    other_model: bool = False


@dataclass(frozen=True)
class Statistics:
    """Counts of a user's active memories, and of memories that need maintenance.

    `expired` counts only durable memories, because daily notes are meant to expire. If only the newest memories were counted,
    `of_newest` is their number.
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
    """A stored search. Secrets are removed from the query, which is cut to 200 characters. `found` is the number of hits."""

    query: str
    found: int
    at: datetime


@dataclass(frozen=True)
class Rating:
    """A user's rating of a memory for a query. Secrets are removed from the query, which is cut to 200 characters."""

    memory_id: str
    query: str
    useful: bool
    at: datetime

    @property
    def query_hash(self) -> str:
        """A hash of the case-folded query."""
        return hashlib.blake2b(self.query.casefold().encode(), digest_size=16).hexdigest()


class IndexUnavailable(Exception):  # noqa: N818 - a state that notes report
    """The index is down, slow or broken, and `Ports.fallback` answers instead. The message is for the log."""


class OutOfTime(Exception):  # noqa: N818 - a state from which a run is made
    """The call has no time left, so a worker will continue. `so_far` contains the progress as JSON."""

    def __init__(self, so_far: "dict[str, JsonValue] | None" = None) -> None:
        super().__init__("out of time")
        self.so_far = so_far


@dataclass(frozen=True)
class Caller:
    """The verified user and agent that make a call. `now` is the time of the call in the user's time zone."""

    user_id: str
    now: datetime
    agent_id: str = GLOBAL_AGENT
    redacted: tuple[str, ...] = ()
    """Kinds of secrets that were removed from the request."""
    admin: bool = True
    """Whether the caller is a person or a program. Models, for which this is False, may not export or import all memories."""
    waits: bool = True
    """Whether a new memory is compared with similar memories immediately. Otherwise `history` compares them on demand."""
    counts: bool = True
    """Whether `search_memory` counts the hits as used and stores the query. False while a person is still typing."""
    goes_on: str | None = None
    """The id of the run that a worker continues with this call, if any."""


COMPARED = "compared"
"""The field in a stored memory's audit row that is false if the caller did not wait for similar memories."""


@dataclass(frozen=True)
class Audit:
    """An audited change of a record, with its operation, time and details."""

    operation: str
    at: datetime
    detail: Mapping[str, object]


@dataclass(frozen=True)
class Entry:
    """A new memory with its vector."""

    memory: Memory
    vector: Vector | None
    audit: Audit


@dataclass(frozen=True)
class Alias:
    """The id of a memory in another system, and the run that added it. `withdrawn` means that the run was undone."""

    name: str
    memory_id: str
    run_id: str | None = None
    withdrawn: bool = False


@dataclass(frozen=True)
class Stored:
    """A stored record with its vector."""

    memory: Memory
    vector: Vector | None


@dataclass(frozen=True)
class RawRecord:
    """A stored record. `memory` is None if the record is unreadable. `audits` maps each version to its audit row."""

    memory_id: str
    record: bytes
    memory: Memory | None
    audits: Mapping[int, Audit]


@dataclass(frozen=True)
class Change:
    """A record to write, and its state `before`. If `erases` is true, the words are also removed from its audit rows."""

    memory: Memory
    audit: Audit
    vector: Vector | None = None
    before: Memory | None = None
    erases: bool = False


@dataclass(frozen=True)
class Fence:
    """A lease on a user's runs. Each new lease has a higher number. Writes under a lease with a lower number are refused."""

    user_id: str
    number: int


@dataclass(frozen=True)
class Operation:
    """Changes that are applied atomically. `opens` is a new or restored memory, which may replace those in `closes`."""

    operation_id: str
    user_id: str
    kind: "OperationKind"
    at: datetime
    opens: Change | None = None
    closes: tuple[Change, ...] = ()
    run_id: str | None = None

    @property
    def changes(self) -> tuple[Change, ...]:
        """All changes, with those of the closed memories first."""
        return (*self.closes, *((self.opens,) if self.opens else ()))


@dataclass(frozen=True)
class AppliedChange:
    """An applied change. `version` is the new version, and `before` contains the old JSON values of replaced fields.

    `before` is None if the memory is new. It never contains version, time and usage, which change with each write, or words,
    which change only when they are erased. If a model closed the memory without a new value, `by_model` is the ISO 8601 time
    of the change.
    """

    memory_id: str
    version: int
    before: Mapping[str, object] | None
    erased: bool = False
    by_model: str | None = None


@dataclass(frozen=True)
class Applied:
    """An applied operation, without the words of any memory."""

    operation_id: str
    kind: "OperationKind"
    at: datetime
    run_id: str | None
    made: tuple[AppliedChange, ...]


@dataclass(frozen=True)
class Tombstone:
    """The ids and the last version of a purged record."""

    user_id: str
    memory_id: str
    version: int


IndexChange = Stored | Tombstone


@dataclass(frozen=True)
class IndexOutcome:
    """The outcome of a change. "done" means that this version or a newer one is indexed. `reason` quotes no user text."""

    state: Literal["done", "retry", "failed"]
    reason: str = ""


@dataclass(frozen=True)
class IndexedDocument:
    """The fields of an index document that a check compares. `digest` is a hash of the content, or "" for a tombstone."""

    user_id: str
    memory_id: str
    version: int
    digest: str


@dataclass(frozen=True)
class StreamRecord:
    """A change from the stream. If it is unreadable, `change` is None, and `trouble` gives the reason without quoting it."""

    sequence: str
    user_id: str
    item: str
    at: datetime
    change: IndexChange | None
    trouble: str = ""


@dataclass(frozen=True)
class DeadLetter:
    """A change that the index rejected. `item` is the record's key, and `sequence` is its position in the stream."""

    user_id: str
    item: str
    sequence: str | None
    reason: str
