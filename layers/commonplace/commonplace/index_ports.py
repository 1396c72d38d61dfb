"""What keeping an index in step with the records needs of the world, as protocols."""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from commonplace.models.memory import Memory
from commonplace.ports import Stored


@dataclass(frozen=True)
class Purged:
    """A record that is gone for good, and the last version it had."""

    user_id: str
    memory_id: str
    version: int


Change = Stored | Purged


@dataclass(frozen=True)
class Outcome:
    """What became of one change: the index holds it or a newer one, it may be tried again, or it never will be taken.

    `reason` names what went wrong, without a word of the memory.
    """

    state: Literal["done", "retry", "failed"]
    reason: str = ""


@dataclass(frozen=True)
class Held:
    """What the index holds of a memory, as far as it is compared: `digest` is of the content, empty for a purged one."""

    user_id: str
    memory_id: str
    version: int
    digest: str


def digest(memory: Memory) -> str:
    """By which a document of another content is known."""
    return hashlib.blake2b(memory.content.encode(), digest_size=8).hexdigest()


class IndexWriter(Protocol):
    """Brings changes into the index, in any order and as often as wanted: the newest version stays."""

    def put(self, changes: Sequence[Change]) -> list[Outcome]:
        """One outcome per change; what is done is found by every search from now on. Raises nothing of the network."""


class IndexRebuild(Protocol):
    """A new version of the index is filled beside the one that is asked, and takes its place."""

    def model(self) -> str | None:
        """The model of the vectors in the index that is asked, or is to be; None where nothing was set up."""

    def begin(self) -> str:
        """Makes the new version and gives its name. From now on each change goes to both. Goes on with one begun earlier."""

    def fill(self, records: Sequence[Stored]) -> list[Outcome]:
        """Brings records into the new version only; a record of the same version is written over."""

    def finish(self) -> None:
        """The new version is asked from now on, in one step; the old one goes. All three raise `IndexUnavailable`."""


class IndexContents(Protocol):
    """What the index holds, to be compared with the records. Each method raises `IndexUnavailable`."""

    def look_up(self, records: Sequence[Stored]) -> list[Held | None]:
        """What it holds of each record, None where it holds nothing."""

    def every(self) -> Iterator[Held]:
        """All that it holds, of everybody, by user; purged ones left out."""

    def mend(self, changes: Sequence[Change]) -> list[Outcome]:
        """Like `IndexWriter.put`, and a record of the same version is written over."""


class AllRecords(Protocol):
    """Every user's records."""

    def every(self) -> Iterator[Stored]:
        """Every record of everybody, closed ones too, in any order; nothing that was there before the call is left out."""
