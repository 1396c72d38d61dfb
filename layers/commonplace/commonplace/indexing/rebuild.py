"""Rebuild the index from the records while the live index stays in use."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from commonplace.domain.batching import in_batches
from commonplace.domain.errors import CommonplaceError, ErrorCode
from commonplace.memories.enrich import PrecomputedEmbedder
from commonplace.memories.vectors import rounded
from commonplace.ports.index import IndexRebuild
from commonplace.ports.models import Embedder
from commonplace.ports.records import AllRecords, MemoryRecords
from commonplace.ports.values import Audit, Clock, IndexOutcome, IndexUnavailable, Stored

_BATCH = 500
_EMBEDDED_AT_ONCE = 32
_TRIES = 8
_FIRST_WAIT = 0.25  # seconds; the wait doubles with each retry


@dataclass(frozen=True)
class RebuildResult:
    """The numbers of indexed and of re-embedded records, and the ids of refused records with the reasons."""

    records: int
    embedded: int
    refused: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class EmbeddingRenewal:
    """Embeds records again with the current model, and updates the record store."""

    records: MemoryRecords
    embedder: Embedder
    clock: Clock

    def renewed(self, batch: Sequence[Stored]) -> list[Stored]:
        """Return the records with vectors from the current model. Concurrently changed records are returned unchanged."""
        old = [stored.memory.content for stored in batch if not self.is_current(stored)]
        embedder = PrecomputedEmbedder.of(old, self.embedder)
        return [stored if self.is_current(stored) else self._renew_vector(stored, embedder) for stored in batch]

    def is_current(self, stored: Stored) -> bool:
        """Return whether the record has a vector from the current model."""
        return stored.vector is not None and stored.memory.embedding_model == self.embedder.name

    def _renew_vector(self, stored: Stored, embedder: Embedder) -> Stored:
        """Embed a record again and store the vector. A concurrently changed record is returned unchanged."""
        memory, vector = stored.memory, rounded(embedder.embed(stored.memory.content))
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


def embed_stale(user_id: str, everything: AllRecords, renewal: EmbeddingRenewal, progress: Callable[[int, int], None]) -> int:
    """Embed a user's memories that have no vector from the current model. Returns the number of new vectors.

    Call again to continue after an interruption. `progress` receives the number of processed memories and their total.
    """
    old = [stored.memory.memory_id for stored in everything.of_user(user_id) if not renewal.is_current(stored)]
    done = embedded = 0
    for ids in in_batches(old, _EMBEDDED_AT_ONCE):
        batch = renewal.records.stored(user_id, ids)
        embedded += sum(new is not before for new, before in zip(renewal.renewed(batch), batch, strict=True))
        done += len(ids)
        progress(done, len(old))
    return embedded


def reindex(
    everything: AllRecords, rebuild: IndexRebuild, renewal: EmbeddingRenewal, progress: Callable[[int], None],
    wait: Callable[[float], None] = time.sleep, move: bool = False,
) -> RebuildResult:  # fmt: skip
    """Rebuild the index of all users. The new index replaces the old index at the end.

    During the rebuild, each write goes to both indexes, so that none is missed. A rebuild also applies a new layout. If
    `move` is true, the rebuild changes the embedding model and rewrites every record. `progress` receives the number of
    indexed records. Call again to continue after an interruption. If the new index keeps refusing records, `IndexUnavailable`
    is raised and the old index stays live.
    """
    if not move:
        _refuse_another_model(rebuild, renewal.embedder.name)
    rebuild.begin()
    records = embedded = 0
    refused: list[tuple[str, str]] = []
    for batch in in_batches(everything.every(), _BATCH):
        current = renewal.renewed(batch)
        embedded += sum(new is not old for new, old in zip(current, batch, strict=True))
        for stored, outcome in zip(current, _fill_index(rebuild, current, wait), strict=True):
            if outcome.state == "done":
                records += 1
            else:
                refused.append((stored.memory.memory_id, outcome.reason))
        progress(records)
    rebuild.finish()
    return RebuildResult(records, embedded, tuple(refused))


def _refuse_another_model(rebuild: IndexRebuild, name: str) -> None:
    """Raise an error if the live index has another model's vectors, so that no version accidentally re-embeds everything."""
    live = rebuild.model()
    if live not in (None, name):
        raise CommonplaceError(
            ErrorCode.INVALID_ARGUMENT,
            f"the index holds vectors of {live}, and this would write every record anew with those of {name}: run the"
            " version that is deployed, or say --move-to-model",
            "--move-to-model",
        )


def _fill_index(rebuild: IndexRebuild, records: Sequence[Stored], wait: Callable[[float], None]) -> list[IndexOutcome]:
    """Write records to the new index. Records that the index can't accept yet are sent again after a pause."""
    outcomes = rebuild.fill(records)
    for number in range(_TRIES):
        retried = [at for at, outcome in enumerate(outcomes) if outcome.state == "retry"]
        if not retried:
            break
        wait(_FIRST_WAIT * 2**number)
        for at, outcome in zip(retried, rebuild.fill([records[at] for at in retried]), strict=True):
            outcomes[at] = outcome
    if any(outcome.state == "retry" for outcome in outcomes):
        raise IndexUnavailable("the index takes no more")
    return outcomes
