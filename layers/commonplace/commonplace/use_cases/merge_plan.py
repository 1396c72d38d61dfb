"""Plan a merge of memories by building the new memory, or find the reason to refuse the merge."""

import functools
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain, combinations

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
    """The memories to merge, with their vectors, oldest first."""

    stored: tuple[Stored, ...]
    caller: Caller
    ports: Ports

    @classmethod
    def of(cls, stored: Iterable[Stored], caller: Caller, ports: Ports) -> "Sources":
        """Create an instance from memories in any order. The memories are sorted by `happened_at` and id, but not checked."""
        return cls(tuple(sorted(stored, key=lambda item: (item.memory.happened_at, item.memory.memory_id))), caller, ports)

    @property
    def memories(self) -> list[Memory]:
        """The memories, oldest first."""
        return [record.memory for record in self.stored]

    @functools.cached_property
    def text(self) -> str:
        """The merged text. Relative dates become absolute if the memories are from different days."""
        own = "raw_text" if all(memory.indexed == "raw_text" for memory in self.memories) else "normalized_text"
        texts = [(getattr(memory, own) or memory.content, memory.happened_at) for memory in self.memories]
        same_day = len({at.date() for _, at in texts}) == 1
        return merged_text([text if same_day else with_dates(text, at) for text, at in texts])

    @functools.cached_property
    def refusal(self) -> str | None:
        """The reason why the memories can't be merged, or None if they can."""
        return self._explain_difference() or self._explain_link() or self._explain_contradiction() or self._explain_length()

    def planned(self, why: str) -> PlannedOperation:
        """Plan the operation that merges the memories, for the reason `why`."""
        now, operation_id = self.caller.now, new_operation_id(self.caller.now)
        new, opens = self._build_merged_memory()
        audit = Audit("supersede", now, {"by": new.memory_id, "operation_id": operation_id})
        closes = [Change(superseded(memory, new.memory_id, now), audit, before=memory) for memory in self.memories]
        operation = RunOperation(
            operation_id=operation_id, kind="UPDATE", outcome="planned", memory_id=new.memory_id,
            closed=tuple(memory.memory_id for memory in self.memories), why=why,
        )  # fmt: skip
        return PlannedOperation(
            told=operation, at=now, opens=PlannedChange.of(opens), closes=tuple(PlannedChange.of(change) for change in closes)
        )

    def _build_merged_memory(self) -> tuple[Memory, Change]:
        """Build the merged memory from the oldest source, but with the type and category of the most important source."""
        now, memories = self.caller.now, self.memories
        statement = enrich(self.text, self.ports.words, self.ports.embedder, self.ports.facts.tags(self.caller.user_id))
        most = max(memories, key=lambda memory: memory.importance)
        times = ("event_time", "last_accessed", "expires_at", "purge_at")
        latest = {name: max(filter(None, (getattr(item, name) for item in memories)), default=None) for name in times}
        new = memories[0].model_copy(update={
            "memory_id": new_memory_id(now), "key": next((memory.key for memory in memories if memory.key), None),
            "raw_text": self.text, "normalized_text": statement.normalized, "indexed": "raw_text",
            "memory_type": most.memory_type, "category": most.category, "importance": most.importance,
            "tags": tuple(dict.fromkeys(tag for memory in memories for tag in memory.tags)),
            "concepts": tuple(dict.fromkeys(chain(*(memory.concepts for memory in memories), statement.concepts))),
            "confidence": min(memory.confidence for memory in memories), "emotion": most.emotion,
            "source": next((memory.source for memory in memories if memory.source != "user"), "user"),
            "evidence": _join_texts(memory.evidence for memory in memories),
            "user_note": _join_texts(memory.user_note for memory in memories),
            "access_count": sum(memory.access_count for memory in memories), **latest,
            "created_at": now, "updated_at": now, "version": 1, "supersedes": memories[0].memory_id,
            "embedding_model": self.ports.embedder.name if statement.vector is not None else None,
        })  # fmt: skip
        detail = {"tool": TOOL, MERGED: [memory.memory_id for memory in memories]}
        return new, Change(new, Audit("store", now, detail), statement.vector)

    def _explain_difference(self) -> str | None:
        seen = visibility_of(self.caller)
        closed = next((memory.memory_id for memory in self.memories if not is_visible(seen, memory)), None)
        if closed is not None:
            return f"{closed} is not active, or has expired"
        for name, kinds in _ALIKE.items():
            if len({getattr(memory, name) for memory in self.memories}) > 1:
                return f"they are of different {kinds}"
        keys = sorted({memory.key for memory in self.memories if memory.key})
        return f"they have different keys: {', '.join(keys)}" if len(keys) > 1 else None

    def _explain_link(self) -> str | None:
        ids = {memory.memory_id for memory in self.memories}
        linked = next((memory for memory in self.memories if {memory.supersedes, memory.superseded_by} & ids), None)
        return f"{linked.memory_id} took the place of another of them" if linked else None

    def _explain_contradiction(self) -> str | None:
        for old, new in combinations(self.stored, 2):
            why = contradiction(old.memory.content, new.memory.content) or self._find_difference(old, new)
            if why is not None:
                return f"{new.memory.memory_id} may leave {old.memory.memory_id} untrue: {why}"
        return None

    def _find_difference(self, old: Stored, new: Stored) -> str | None:
        """Describe how the newer memory changes the older one, or return None if it doesn't."""
        if old.vector is None or new.vector is None:
            return None
        from commonplace.text.paraphrase.judge import Candidate, is_paraphrase, judge_candidates  # deferred: loads numpy
        from commonplace.text.paraphrase.pair_features import difference

        model = self.ports.embedder.name if new.memory.embedding_model == self.ports.embedder.name else ""
        texts = old.memory.content, new.memory.content
        (verdict,) = judge_candidates(texts[1], new.vector, [Candidate(texts[0], old.vector)], model)
        # When a memory is stored, it is judged together with several others. A pair judged on its own may look like a change.
        if not verdict.change or is_paraphrase(*texts, old.vector, new.vector, self.ports.least_similarity):
            return None
        return difference(*texts)

    def _explain_length(self) -> str | None:
        over = len(self.text) > MAX_TEXT
        return f"together they have {len(self.text):,} characters; a memory has {MAX_TEXT:,} at the most" if over else None


def _join_texts(texts: Iterable[str | None]) -> str | None:
    return "\n".join(dict.fromkeys(filter(None, texts))) or None
