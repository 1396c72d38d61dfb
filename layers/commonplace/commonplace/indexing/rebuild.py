"""Rebuilds the index from the records beside the one in use."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from commonplace.domain.batching import in_batches
from commonplace.domain.errors import CommonplaceError, ErrorCode
from commonplace.memories.enrich import PrecomputedEmbedder
from commonplace.ports.index import IndexRebuild
from commonplace.ports.models import Embedder
from commonplace.ports.records import AllRecords, MemoryRecords
from commonplace.ports.values import Audit, Clock, IndexOutcome, IndexUnavailable, Stored

_BATCH = 500
_TRIES = 8
_FIRST_WAIT = 0.25  # seconds; twice as long at each further try


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
