"""Rebuilds the index from the records beside the one in use, and checks index and records for consistency."""

import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Literal

from commonplace.domain.batching import in_batches
from commonplace.domain.errors import CommonplaceError, ErrorCode
from commonplace.domain.flaws import Flaws, gathered
from commonplace.memories.enrich import PrecomputedEmbedder
from commonplace.ports.all_records import AllRecords
from commonplace.ports.embedder import Embedder
from commonplace.ports.index_contents import IndexContents
from commonplace.ports.index_rebuild import IndexRebuild
from commonplace.ports.memory_records import MemoryRecords
from commonplace.ports.record_values import Audit, IndexChange, IndexedDocument, IndexOutcome, Stored, Tombstone
from commonplace.ports.values import Clock, IndexUnavailable
from commonplace.retrieval.documents import digest

_BATCH = 500
Inconsistency = Literal["missing", "behind", "ahead", "different", "orphaned"]

_TRIES = 8
_FIRST_WAIT = 0.25  # seconds; twice as long at each further try


@dataclass(frozen=True)
class ConsistencyReport:
    """How many records and documents there are, the inconsistencies by kind, how many were mended, and what can't be read.

    `missing`: a record without a document; `behind`, `ahead`: of an older or newer version; `different`: of the same
    version and another content; `orphaned`: a document without a record. What was written within the last seconds may be
    behind or missing without being ill. What is ahead (the records were restored from a backup) only a reindex mends.
    """

    records: int
    documents: int
    inconsistencies: Counter[Inconsistency]
    mended: int
    flaws: Flaws = field(default_factory=Flaws)


def check_consistency(
    everything: AllRecords, records: MemoryRecords, contents: IndexContents, repair: bool, progress: Callable[[int], None]
) -> ConsistencyReport:
    """Compares each record with its document, then each document with its record. Raises `IndexUnavailable`.

    `repair`: brings into the index what it lacks; safe while writes go on. `progress` is told how many were compared.
    """
    ills: Counter[Inconsistency] = Counter()
    seen = documents = mended = 0
    with gathered() as flaws:
        for batch in in_batches(everything.every(), _BATCH):
            found = list(_differing(batch, contents.look_up(batch)))
            ills.update(ill for ill, _ in found)
            mended += _mended(contents, [stored for ill, stored in found if ill != "ahead"]) if repair else 0
            seen += len(batch)
            progress(seen + documents)
    for held in in_batches(contents.every(), _BATCH):
        orphans = list(_orphans(held, records))
        ills["orphaned"] += len(orphans)
        mended += _mended(contents, orphans) if repair else 0
        documents += len(held)
        progress(seen + documents)
    return ConsistencyReport(seen, documents, +ills, mended, flaws)


def _differing(batch: Sequence[Stored], found: Sequence[IndexedDocument | None]) -> Iterator[tuple[Inconsistency, Stored]]:
    for stored, held in zip(batch, found, strict=True):
        if held is None or held.user_id != stored.memory.user_id:
            yield "missing", stored
        elif held.version != stored.memory.version:
            yield "behind" if held.version < stored.memory.version else "ahead", stored
        elif held.digest != digest(stored.memory):
            yield "different", stored


def _orphans(batch: Sequence[IndexedDocument], records: MemoryRecords) -> Iterator[Tombstone]:
    for user_id, group in groupby(batch, key=lambda held: held.user_id):
        held = {one.memory_id: one for one in group}
        with gathered() as flaws:  # what can't be read is there
            there = {memory.memory_id for memory in records.get(user_id, list(held))} | flaws.unreadable.keys()
        yield from (Tombstone(user_id, name, one.version) for name, one in held.items() if name not in there)


def _mended(contents: IndexContents, changes: Sequence[IndexChange]) -> int:
    return sum(outcome.state == "done" for outcome in contents.mend(changes)) if changes else 0


@dataclass(frozen=True)
class RebuildResult:
    """Records in the new version, records newly embedded, and the refused ones with the reason."""

    records: int
    embedded: int
    refused: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class EmbeddingRenewal:
    """Re-embeds records with the current model, in the record store first: it is the truth."""

    records: MemoryRecords
    embedder: Embedder
    clock: Clock

    def renewed(self, batch: Sequence[Stored]) -> list[Stored]:
        """The records with vectors of this model, re-embedded as new versions where they had none.

        A record that is changed by somebody else at this moment is left to them: their write is indexed as well.
        """
        old = [stored.memory.content for stored in batch if not self._is_current(stored)]
        embedder = PrecomputedEmbedder.of(old, self.embedder)
        return [stored if self._is_current(stored) else self._renewed(stored, embedder) for stored in batch]

    def _is_current(self, stored: Stored) -> bool:
        return stored.vector is not None and stored.memory.embedding_model == self.embedder.name

    def _renewed(self, stored: Stored, embedder: Embedder) -> Stored:
        memory, vector = stored.memory, embedder.embed(stored.memory.content)
        if vector is None and stored.vector is None:
            return stored
        now, name = self.clock(), self.embedder.name if vector is not None else None
        changed = memory.next_version(now, embedding_model=name)
        try:
            return Stored(self.records.update(changed, Audit("embed", now, {"model": name}), vector), vector)
        except CommonplaceError as error:
            if error.code not in (ErrorCode.CONFLICT, ErrorCode.NOT_FOUND):
                raise
            return stored


def reindex(
    everything: AllRecords, rebuild: IndexRebuild, renewal: EmbeddingRenewal, progress: Callable[[int], None],
    wait: Callable[[float], None] = time.sleep, move: bool = False,
) -> RebuildResult:  # fmt: skip
    """Rebuilds the index of all users, which replaces the old one at the end.

    From the beginning each write goes to both, so that none is missed, whatever the order. The same command moves to
    another layout, and to another embedding model if `move` says that this is meant: every record is written anew then.
    `progress` is told how many records are done so far. One broken off goes on when it is run again. Raises
    `IndexUnavailable` when the index can't take more in time; the old one is asked then as before.
    """
    if not move:
        _refuse_another_model(rebuild, renewal.embedder.name)
    rebuild.begin()
    records = embedded = 0
    refused: list[tuple[str, str]] = []
    for batch in in_batches(everything.every(), _BATCH):
        current = renewal.renewed(batch)
        embedded += sum(new is not old for new, old in zip(current, batch, strict=True))
        for stored, outcome in zip(current, _filled(rebuild, current, wait), strict=True):
            if outcome.state == "done":
                records += 1
            else:
                refused.append((stored.memory.memory_id, outcome.reason))
        progress(records)
    rebuild.finish()
    return RebuildResult(records, embedded, tuple(refused))


def _refuse_another_model(rebuild: IndexRebuild, name: str) -> None:
    """Refuses another model than the index has, lest a missing setting re-embeds every record."""
    live = rebuild.model()
    if live not in (None, name):
        raise CommonplaceError(
            ErrorCode.INVALID_ARGUMENT,
            f"the index holds vectors of {live}, and this would write every record anew with those of {name}: set"
            " COMMONPLACE_EMBEDDER as the deployment has it (its output Environment), or say --move-to-model",
            "COMMONPLACE_EMBEDDER",
        )


def _filled(rebuild: IndexRebuild, records: Sequence[Stored], wait: Callable[[float], None]) -> list[IndexOutcome]:
    """The last outcome of each record; those that may succeed later are tried again, with growing pauses."""
    outcomes = rebuild.fill(records)
    for number in range(_TRIES):
        again = [at for at, outcome in enumerate(outcomes) if outcome.state == "retry"]
        if not again:
            break
        wait(_FIRST_WAIT * 2**number)
        for at, outcome in zip(again, rebuild.fill([records[at] for at in again]), strict=True):
            outcomes[at] = outcome
    if any(outcome.state == "retry" for outcome in outcomes):
        raise IndexUnavailable("the index takes no more")
    return outcomes
