"""Everything that a use case may reach, in one bundle."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from commonplace.ports.aliases import Aliases
from commonplace.ports.all_records import AllRecords
from commonplace.ports.embedder import Embedder
from commonplace.ports.erased_ids import ErasedIds
from commonplace.ports.feedback import Feedback
from commonplace.ports.index_contents import IndexContents
from commonplace.ports.kept_files import KeptFiles
from commonplace.ports.language_model import LanguageModel
from commonplace.ports.memory_index import MemoryIndex
from commonplace.ports.memory_records import MemoryRecords
from commonplace.ports.operations import Operations
from commonplace.ports.pending_writes import PendingWrites
from commonplace.ports.raw_records import RawRecords
from commonplace.ports.reembedding import Reembedding
from commonplace.ports.search_log import SearchLog
from commonplace.ports.statement_reader import StatementReader
from commonplace.ports.tag_rows import TagRows
from commonplace.ports.usage_log import UsageLog
from commonplace.ports.user_facts import UserFacts
from commonplace.ports.word_model import WordModel

if TYPE_CHECKING:  # with all that a run reads and tells: most calls have no use for it
    from commonplace.ports.nightly_bundle import NightPorts


@dataclass(frozen=True)
class Upkeep:
    """What holds the index against the records. `contents`: None without an index; `pending`: what it may not have yet."""

    everything: AllRecords
    contents: IndexContents | None = None
    pending: PendingWrites | None = None


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
    older: "Ports | None" = None
    """The same with the embedding model before this one, for users who are on their way to this one."""

    def of(self, user_id: str) -> "Ports":
        """These ports with the embedding model that the user's searches compare by."""
        if self.older is None or self.reembedding is None or self.reembedding.has_switched(user_id):
            return self
        return self.older
