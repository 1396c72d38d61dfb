"""The result of merging memories: one new memory, or the reason against it."""

import functools
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations

from commonplace.domain.fields import MAX_TEXT
from commonplace.domain.ids import new_memory_id, new_operation_id
from commonplace.domain.memory import Memory
from commonplace.domain.runs import RunOperation
from commonplace.extraction.absolute_dates import with_dates
from commonplace.extraction.merging import contradiction, merged_text
from commonplace.memories.enrich import enrich
from commonplace.memories.lineage import MERGED
from commonplace.memories.transitions import superseded
from commonplace.ports.bundle import Ports
from commonplace.ports.values import Audit, Caller, Change, Stored
from commonplace.retrieval.record_scan import is_visible, visibility_of
from commonplace.runs.apply import PlannedChange, PlannedOperation

TOOL = "merge_memories"
_ALIKE = {
    "agent_id": "agents", "collection": "collections", "section": "sections", "scope": "scopes", "scope_ref": "scopes",
    "speaker": "speakers", "subject": "subjects", "durability": "durabilities",
}  # fmt: skip


@dataclass(frozen=True)
class Sources:
    """The memories to merge with their vectors, oldest first."""

    stored: tuple[Stored, ...]
    caller: Caller
    ports: Ports

    @classmethod
    def of(cls, stored: Iterable[Stored], caller: Caller, ports: Ports) -> "Sources":
        """Create from memories in any order."""
        return cls(tuple(sorted(stored, key=lambda one: (one.memory.happened_at, one.memory.memory_id))), caller, ports)

    @property
    def memories(self) -> list[Memory]:
        """The memories, oldest first."""
        return [one.memory for one in self.stored]

    @functools.cached_property
    def text(self) -> str:
        """The merged text. Relative dates become absolute if the memories are from several days."""
        own = "raw_text" if all(one.indexed == "raw_text" for one in self.memories) else "normalized_text"
        said = [(getattr(one, own) or one.content, one.happened_at) for one in self.memories]
        one_day = len({at.date() for _, at in said}) == 1
        return merged_text([text if one_day else with_dates(text, at) for text, at in said])

    @functools.cached_property
    def refusal(self) -> str | None:
        """Why they can't be merged, or None."""
        return self._unlike() or self._linked() or self._untrue() or self._too_long()

    def planned(self, why: str) -> PlannedOperation:
        """Return the operation that merges them."""
        now, operation_id = self.caller.now, new_operation_id(self.caller.now)
        new, opens = self._merged()
        audit = Audit("supersede", now, {"by": new.memory_id, "operation_id": operation_id})
        closes = [Change(superseded(one, new.memory_id, now), audit, before=one) for one in self.memories]
        told = RunOperation(
            operation_id=operation_id, kind="UPDATE", outcome="planned", memory_id=new.memory_id,
            closed=tuple(one.memory_id for one in self.memories), why=why,
        )  # fmt: skip
        return PlannedOperation(
            told=told, at=now, opens=PlannedChange.of(opens), closes=tuple(PlannedChange.of(one) for one in closes)
        )

    def _merged(self) -> tuple[Memory, Change]:
        now, all_ = self.caller.now, self.memories
        statement = enrich(self.text, self.ports.words, self.ports.embedder, self.ports.facts.tags(self.caller.user_id))
        most = max(all_, key=lambda one: one.importance)
        times = [one.event_time for one in all_ if one.event_time]
        used = [one.last_accessed for one in all_ if one.last_accessed]
        ends = [one.expires_at for one in all_ if one.expires_at]
        purges = [one.purge_at for one in all_ if one.purge_at]
        new = all_[0].model_copy(update={
            "memory_id": new_memory_id(now), "key": next((one.key for one in all_ if one.key), None),
            "raw_text": self.text, "normalized_text": statement.normalized, "indexed": "raw_text",
            "memory_type": most.memory_type, "category": most.category, "importance": most.importance,
            "tags": _unique(tag for one in all_ for tag in one.tags),
            "concepts": _unique((*(name for one in all_ for name in one.concepts), *statement.concepts)),
            "confidence": min(one.confidence for one in all_), "emotion": most.emotion,
            "source": next((one.source for one in all_ if one.source != "user"), "user"),
            "evidence": _joined(one.evidence for one in all_), "user_note": _joined(one.user_note for one in all_),
            "event_time": max(times, default=None), "created_at": now, "updated_at": now, "version": 1,
            "expires_at": max(ends, default=None), "purge_at": max(purges, default=None),
            "access_count": sum(one.access_count for one in all_), "last_accessed": max(used, default=None),
            "supersedes": all_[0].memory_id,
            "embedding_model": self.ports.embedder.name if statement.vector is not None else None,
        })  # fmt: skip
        detail = {"tool": TOOL, MERGED: [one.memory_id for one in all_]}
        return new, Change(new, Audit("store", now, detail), statement.vector)

    def _unlike(self) -> str | None:
        seen = visibility_of(self.caller)
        closed = next((one.memory_id for one in self.memories if not is_visible(seen, one)), None)
        if closed is not None:
            return f"{closed} is not active, or has expired"
        for name, kinds in _ALIKE.items():
            if len({getattr(one, name) for one in self.memories}) > 1:
                return f"they are of different {kinds}"
        keys = sorted({one.key for one in self.memories if one.key})
        return f"they have different keys: {', '.join(keys)}" if len(keys) > 1 else None

    def _linked(self) -> str | None:
        ids = {one.memory_id for one in self.memories}
        linked = next((one for one in self.memories if {one.supersedes, one.superseded_by} & ids), None)
        return f"{linked.memory_id} took the place of another of them" if linked else None

    def _untrue(self) -> str | None:
        for old, new in combinations(self.stored, 2):
            why = contradiction(old.memory.content, new.memory.content) or self._changed(old, new)
            if why is not None:
                return f"{new.memory.memory_id} may leave {old.memory.memory_id} untrue: {why}"
        return None

    def _changed(self, old: Stored, new: Stored) -> str | None:
        if old.vector is None or new.vector is None:
            return None
        from commonplace.text.paraphrase.pair_model import difference, judged  # deferred: loads numpy

        model = self.ports.embedder.name if new.memory.embedding_model == self.ports.embedder.name else ""
        texts = old.memory.content, new.memory.content
        return difference(*texts) if judged(*texts, old.vector, new.vector, model).change else None

    def _too_long(self) -> str | None:
        over = len(self.text) > MAX_TEXT
        return f"together they have {len(self.text):,} characters; a memory has {MAX_TEXT:,} at the most" if over else None


def _unique(words: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(words))


def _joined(texts: Iterable[str | None]) -> str | None:
    return "\n".join(dict.fromkeys(filter(None, texts))) or None
