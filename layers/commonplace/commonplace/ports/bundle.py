"""Everything that a use case may reach, in one bundle."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, Protocol, TypeVar

from commonplace.domain.taxonomy import SIMILARITIES
from commonplace.ports.documents import Documents, KeptFiles
from commonplace.ports.index import IndexContents, MemoryIndex, PendingWrites
from commonplace.ports.models import Embedder, LanguageModel, StatementReader, WordModel
from commonplace.ports.records import (
    Aliases,
    AllRecords,
    ErasedIds,
    MemoryRecords,
    Operations,
    RawRecords,
    Reembedding,
    TagRows,
    UserFacts,
)
from commonplace.ports.usage import Feedback, SearchLog, UsageLog
from commonplace.ports.values import OutOfTime, Weights

if TYPE_CHECKING:  # with all that a run reads and tells: most calls have no use for it
    from commonplace.ports.night import NightPorts


@dataclass(frozen=True)
class Upkeep:
    """What holds the index against the records. `contents`: None without an index; `pending`: what it may not have yet."""

    everything: AllRecords
    contents: IndexContents | None = None
    pending: PendingWrites | None = None


_MOST_PENDING = 200
_BETWEEN = 25  # changes between two looks at what waits for the index
_PAUSE = 30  # seconds
_T = TypeVar("_T")


class NightQueue(Protocol):
    """A queue with a message per user whose night is due, and per run that has no time left where it began."""

    def send(self, user_ids: Iterable[str]) -> int:
        """Queues a night of each user, returns how many; raises `STORAGE_UNAVAILABLE` if one can't be queued.

        A night that is asked for twice is harmless: one finds the other's lease, or nothing pending.
        """

    def send_run(self, user_id: str, run_id: str, seconds: int = 0) -> None:
        """Queues the rest of a run, to be gone on with after so many seconds, at most 900; raises as `send` does.

        A run that is sent twice is harmless: one finds the other's lease, or the run at its end.
        """


@dataclass(frozen=True)
class Relay:
    """How work is handed on that is longer than its call. `in_time`: whether this call may go on; `queue`: whose worker does.

    `pending`: what the index may not have yet; None without an index.
    """

    in_time: Callable[[], bool]
    queue: NightQueue
    pending: PendingWrites | None = None

    def may_go_on(self, user_id: str, done: int) -> bool:
        """Whether one more of a run's changes may be made, after so many: in time, and not while 200 wait for the index."""
        return self.in_time() and not (done % _BETWEEN == 0 and self._is_crowded(user_id))

    def hand_over(self, user_id: str, run_id: str) -> None:
        """Sends a run to the worker, at once or, where many of the user's writes wait for the index, after a pause."""
        self.queue.send_run(user_id, run_id, _PAUSE if self._is_crowded(user_id) else 0)

    def _is_crowded(self, user_id: str) -> bool:
        return self.pending is not None and self.pending.has_more_than(_MOST_PENDING, user_id)


@dataclass(frozen=True)
class BackupsKept:
    """How many backups are kept of a user, and for how many days each."""

    most: int = 10
    days: int = 90


@dataclass(frozen=True)
class Ports:
    """Everything a use case may reach."""

    records: MemoryRecords
    facts: UserFacts
    index: MemoryIndex
    usage: UsageLog
    embedder: Embedder
    operations: Operations
    aliases: Aliases
    erased: ErasedIds
    raw: RawRecords
    search_log: SearchLog
    tag_rows: TagRows
    feedback: Feedback
    documents: Documents
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
    weights: Weights = field(default_factory=Weights)
    least_similarity: float = SIMILARITIES["balanced"]
    """How surely two memories must say the same for a merge of them to be suggested."""
    category_confidence: float = 0.5
    """The confidence below which a store tells of the two likeliest categories."""
    reembedding: Reembedding | None = None
    night: "Callable[[], NightPorts] | None" = None
    """What a tool needs that changes many memories in one run, made on first use."""
    files: KeptFiles | None = None
    """Where exports, uploads and backups are kept; None where this way in has no place for them."""
    backups: BackupsKept = BackupsKept()
    upkeep: Callable[[], Upkeep] | None = None
    """What the index is checked and repaired by, made on first use."""
    relay: Relay | None = None
    """How work is handed on that is longer than its call; None where each call ends what it began."""
    progress: Callable[[int, int | None], None] | None = None
    """Told how much of a long work is done, and of how much if that is known; None where nobody watches."""
    older: "Ports | None" = None
    """The same with the embedding model before this one, for users who are on their way to this one."""

    def of(self, user_id: str) -> "Ports":
        """These ports with the embedding model that the user's searches compare by."""
        if self.older is None or self.reembedding is None or self.reembedding.has_switched(user_id):
            return self
        return self.older

    def in_time(self, things: Iterable[_T]) -> Iterator[_T]:
        """The same things one by one; raises `OutOfTime` before the first that the call has no time left for."""
        for thing in things:
            if self.relay is not None and not self.relay.in_time():
                raise OutOfTime
            yield thing
