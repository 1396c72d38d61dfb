"""The ports that every use case receives, bundled in one dataclass."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, Protocol, TypeVar

from commonplace.domain.taxonomy import SIMILARITIES
from commonplace.ports.documents import Documents, StoredFiles
from commonplace.ports.index import IndexContents, MemoryIndex, PendingWrites
from commonplace.ports.models import Embedder, LanguageModel, StatementReader, WordModel
from commonplace.ports.records import (
    Aliases,
    AllRecords,
    ErasedIds,
    MemoryRecords,
    Operations,
    RawRecords,
    TagRows,
    UserFacts,
)
from commonplace.ports.usage import Feedback, SearchLog, UsageLog
from commonplace.ports.values import OutOfTime, Weights

if TYPE_CHECKING:  # deferred, because few calls start a run
    from commonplace.ports.night import NightPorts


@dataclass(frozen=True)
class Upkeep:
    """The ports for checking the index. `contents` is None if there is no index. `pending` lists unconfirmed writes."""

    everything: AllRecords
    contents: IndexContents | None = None
    pending: PendingWrites | None = None


_MOST_PENDING = 200
_BETWEEN = 25  # how many changes are made between two checks of the pending writes
_PAUSE = 30  # seconds
_T = TypeVar("_T")


class NightQueue(Protocol):
    """A message queue for workers. Each message identifies a user whose nightly run is due, or a run that ran out of time."""

    def send(self, user_ids: Iterable[str]) -> int:
        """Queue a nightly run for each user, and return how many. Calls may be repeated. Raises `STORAGE_UNAVAILABLE`."""

    def send_run(self, user_id: str, run_id: str, seconds: int = 0) -> None:
        """Queue the rest of a run to start in `seconds`, at most 900. Calls may be repeated. Raises `STORAGE_UNAVAILABLE`."""


@dataclass(frozen=True)
class Relay:
    """Hands long work over to a worker. `pending` lists writes that the index may lack, and is None if there is no index."""

    in_time: Callable[[], bool]
    queue: NightQueue
    pending: PendingWrites | None = None

    def may_go_on(self, user_id: str, done: int) -> bool:
        """Return whether the run has time left and at most 200 of the user's writes are waiting for the index."""
        return self.in_time() and not (done % _BETWEEN == 0 and self._is_crowded(user_id))

    def hand_over(self, user_id: str, run_id: str) -> None:
        """Send a run to the worker. If over 200 writes are waiting for the index, the worker starts 30 seconds later."""
        self.queue.send_run(user_id, run_id, _PAUSE if self._is_crowded(user_id) else 0)

    def _is_crowded(self, user_id: str) -> bool:
        """Return whether more than 200 of the user's writes are waiting for the index."""
        return self.pending is not None and self.pending.has_more_than(_MOST_PENDING, user_id)


@dataclass(frozen=True)
class BackupStorage:
    """The limits on backups. `most` is the maximum number per user, and `days` is how long each backup is kept."""

    most: int = 10
    days: int = 90


@dataclass(frozen=True)
class Ports:
    """All the ports that a use case may need."""

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
    """A fast model that averages word vectors for the classifier and the tags, but not for memories."""
    reader: StatementReader | None = None
    summarizer: LanguageModel | None = None
    summary_seconds: float = 20.0
    """The time limit for a summary including retries, in seconds."""
    fallback: MemoryIndex | None = None
    """The index that searches the records directly while the main index is unavailable."""
    profile: Literal["window", "classic"] = "window"
    weights: Weights = field(default_factory=Weights)
    least_similarity: float = SIMILARITIES["balanced"]
    """The minimum similarity at which a merge of two memories is suggested."""
    category_confidence: float = 0.5
    """The confidence below which a store reports the two likeliest categories."""
    night: "Callable[[], NightPorts] | None" = None
    """Returns the ports for tools that change many memories in one run. The first call creates the ports."""
    files: StoredFiles | None = None
    """The storage of exports, uploads and backups, or None if this interface stores no files."""
    backups: BackupStorage = BackupStorage()
    upkeep: Callable[[], Upkeep] | None = None
    """Returns the ports for checking and repairing the index. The first call creates the ports."""
    relay: Relay | None = None
    """The relay that hands long-running work to a worker, or None if each call finishes its own work."""
    progress: Callable[[int, int | None], None] | None = None
    """A callback that receives the number of finished items and the total number, which is None while unknown."""

    def in_time(self, things: Iterable[_T]) -> Iterator[_T]:
        """Yield each of the `things`. Raises `OutOfTime` if the call has no time left for the next one."""
        for thing in things:
            if self.relay is not None and not self.relay.in_time():
                raise OutOfTime
            yield thing
