"""The bundle of ports that every use case receives."""

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

if TYPE_CHECKING:  # deferred: most calls start no run
    from commonplace.ports.night import NightPorts


@dataclass(frozen=True)
class Upkeep:
    """The ports that an index check needs. `contents` is None if there is no index. `pending` lists unconfirmed writes."""

    everything: AllRecords
    contents: IndexContents | None = None
    pending: PendingWrites | None = None


_MOST_PENDING = 200
_BETWEEN = 25  # changes between two checks of the pending writes
_PAUSE = 30  # seconds
_T = TypeVar("_T")


class NightQueue(Protocol):
    """A queue for workers. A message names a user whose nightly run is due, or a run that ran out of time."""

    def send(self, user_ids: Iterable[str]) -> int:
        """Queue a nightly run for each user, and return their number. Calls may be repeated. Raises `STORAGE_UNAVAILABLE`."""

    def send_run(self, user_id: str, run_id: str, seconds: int = 0) -> None:
        """Queue the rest of a run to start in `seconds`, at most 900. Calls may be repeated. Raises `STORAGE_UNAVAILABLE`."""


@dataclass(frozen=True)
class Relay:
    """Hands long work over to a worker. `pending` lists writes that the index may lack, and is None if there is no index."""

    in_time: Callable[[], bool]
    queue: NightQueue
    pending: PendingWrites | None = None

    def may_go_on(self, user_id: str, done: int) -> bool:
        """Return whether the run has time left and at most 200 of the user's writes wait for the index."""
        return self.in_time() and not (done % _BETWEEN == 0 and self._is_crowded(user_id))

    def hand_over(self, user_id: str, run_id: str) -> None:
        """Send a run to the worker. If many of the user's writes wait for the index, the worker pauses first."""
        self.queue.send_run(user_id, run_id, _PAUSE if self._is_crowded(user_id) else 0)

    def _is_crowded(self, user_id: str) -> bool:
        return self.pending is not None and self.pending.has_more_than(_MOST_PENDING, user_id)


@dataclass(frozen=True)
class BackupStorage:
    """Limits on backups. `most` is the maximum number per user, and `days` is how long each backup is stored."""

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
    """Searches the records while the index is unavailable."""
    profile: Literal["window", "classic"] = "window"
    weights: Weights = field(default_factory=Weights)
    least_similarity: float = SIMILARITIES["balanced"]
    """The minimum similarity of two memories that are suggested for a merge."""
    category_confidence: float = 0.5
    """The confidence below which a store reports the two likeliest categories."""
    night: "Callable[[], NightPorts] | None" = None
    """Returns the ports for tools that change many memories in one run, which are created by the first call."""
    files: StoredFiles | None = None
    """The storage of exports, uploads and backups, or None if this interface stores no files."""
    backups: BackupStorage = BackupStorage()
    upkeep: Callable[[], Upkeep] | None = None
    """Returns the ports that check and repair the index, which are created by the first call."""
    relay: Relay | None = None
    """The relay that hands long work to a worker, or None if each call finishes its own work."""
    progress: Callable[[int, int | None], None] | None = None
    """Receives the progress of a long task as the number of finished items and the total, which is None while unknown."""

    def in_time(self, things: Iterable[_T]) -> Iterator[_T]:
        """Yield the items. Raises `OutOfTime` if the call has no time left for the next item."""
        for thing in things:
            if self.relay is not None and not self.relay.in_time():
                raise OutOfTime
            yield thing
