"""Views of the memories during a run, which include changes that are planned but not yet applied."""

from collections.abc import Iterable, Sequence
from itertools import chain, zip_longest

from commonplace.domain.memory import DEFAULT_COLLECTION, Memory
from commonplace.domain.taxonomy import SIMILARITIES, Section
from commonplace.extraction.candidate import Decision, MemoryView
from commonplace.ports.index import MemoryIndex
from commonplace.ports.values import Filter, Vector
from commonplace.retrieval.engine import most_important, with_fallback
from commonplace.retrieval.record_scan import is_visible, visibility_of
from commonplace.runs.apply import PlannedOperation, RunContext, decode_vector
from commonplace.text.foundation import tokenizer

_NEAR = 0.33  # a lower cosine is not informative
_SHARED = 0.25  # the minimum share of common words
_COMPARED = 8  # how many memories are compared by words, and how many by vector, as when a memory is stored


class RunMemoryView:
    """The stored memories as changed by a run's staged operations."""

    def __init__(self, context: RunContext) -> None:
        self._context = context
        self._ports = context.ports
        self._seen = visibility_of(context.caller)
        self._staged: dict[str, tuple[Memory, Vector | None]] = {}
        self._terms: dict[str, frozenset[str]] = {}  # the terms of each staged memory

    def copy(self) -> "RunMemoryView":
        """Return a copy that includes the staged operations."""
        view = RunMemoryView(self._context)
        view._staged, view._terms = dict(self._staged), dict(self._terms)
        return view

    def stage(self, operations: Iterable[PlannedOperation]) -> None:
        """Treat operations as applied in this view, without writing anything."""
        for operation in operations:
            for change in (*operation.closes, *((operation.opens,) if operation.opens else ())):
                memory = change.memory
                self._staged[memory.memory_id] = (memory, decode_vector(change.vector))
                self._terms[memory.memory_id] = frozenset(tokenizer.terms(memory.content))

    def similar(self, content: str, limit: int = 10) -> list[Memory]:
        """Return current memories about the same subject. Staged memories come first, and then stored ones."""
        vector, terms = self._ports.embedder.embed(content), tokenizer.terms(content)
        ids, _ = with_fallback(lambda index: self._find_nearest_stored(index, terms, vector, limit), self._ports)
        return [*self._find_nearest_staged(terms, vector), *self.get(ids)][:limit]

    def get(self, memory_ids: Sequence[str]) -> list[Memory]:
        memories = self._ports.records.get(self._context.user_id, list(memory_ids))
        now = {memory.memory_id: memory for memory in memories}
        now |= {memory_id: self._staged[memory_id][0] for memory_id in memory_ids if memory_id in self._staged}
        return self._select_visible(now[memory_id] for memory_id in memory_ids if memory_id in now)

    def restated(self, content: str) -> list[str]:
        embedder, terms = self._ports.embedder, tokenizer.terms(content)
        vector = embedder.embed(content)
        if vector is None:
            return []
        from commonplace.text.paraphrase.judge import LEAST_COSINE, Candidate, judge_candidates  # loads numpy

        nearest, _ = with_fallback(lambda index: index.similar(self._seen, terms, vector, _COMPARED), self._ports)
        compared = [
            (near.memory_id, Candidate(near.content, embedder.embed(near.content) if near.vector is None else near.vector))
            for near in nearest
            if near.memory_id not in self._staged
        ]
        for memory, other in self._staged.values():  # only a memory with a near vector can have the same meaning
            known = embedder.embed(memory.content) if other is None else other
            if known is not None and float(known @ vector) > LEAST_COSINE and is_visible(self._seen, memory):
                compared.append((memory.memory_id, Candidate(memory.content, known)))
        candidates = [candidate for _, candidate in compared]
        verdicts = judge_candidates(content, vector, candidates, embedder.name, SIMILARITIES["conservative"])
        same = [memory_id for (memory_id, _), verdict in zip(compared, verdicts, strict=True) if verdict.same]
        return [memory.memory_id for memory in self.get(same) if not memory.is_passage]

    def closed(self) -> list[Memory]:
        """Return the inactive memories. Active records are read one by one and not kept in RAM."""
        items = (memory for memory in self._ports.records.all(self._context.user_id) if memory.memory_id not in self._staged)
        staged = (memory for memory, _ in self._staged.values())
        return [memory for memory in chain(items, staged) if memory.status != "active"]

    def holder(self, key: str) -> Memory | None:
        staged = self._select_visible(memory for memory, _ in self._staged.values() if memory.key == key)
        if staged:
            return staged[0]
        now = self._context.caller.now
        memory = self._ports.operations.holder(self._context.user_id, DEFAULT_COLLECTION, key, now)
        return memory if memory is not None and self.get([memory.memory_id]) else None

    def in_section(self, section: Section, limit: int = 20) -> list[Memory]:
        wanted = Filter(collection=DEFAULT_COLLECTION, section=section)
        memories = most_important(self._context.caller, self._ports, wanted, limit).memories
        staged = self._select_visible(memory for memory, _ in self._staged.values() if memory.section == section)
        ids = dict.fromkeys(memory.memory_id for memory in (*staged, *memories))
        return self.get(list(ids))[:limit]

    def _find_nearest_stored(self, index: MemoryIndex, terms: Sequence[str], vector: Vector | None, limit: int) -> list[str]:
        """Return the ids of stored memories near a text, alternately by similarity and by vector alone. None is staged."""
        worded = [similar.memory_id for similar in index.similar(self._seen, terms, vector, limit)]
        near: list[str] = []
        if vector is not None:
            candidates = index.find(self._seen, Filter(), (), vector).candidates
            order = (-candidates.cosines).argsort()[:limit]
            near = [candidates.ids[row] for row in order if candidates.cosines[row] >= _NEAR]
        both = chain.from_iterable(zip_longest(worded, near))
        staged = self._staged.keys()
        return [fromkey for fromkey in dict.fromkeys(both) if fromkey is not None and fromkey not in staged][: 2 * limit]

    def _find_nearest_staged(self, terms: Sequence[str], vector: Vector | None) -> list[Memory]:
        """Return the visible staged memories that share enough words or meaning with a text, nearest first."""
        scored, words = [], frozenset(terms)
        for memory, other in self._staged.values():
            own = self._terms[memory.memory_id]
            shared = len(own & words) / max(1, min(len(own), len(words)))
            cosine = 0.0 if vector is None or other is None else float(vector @ other)
            if shared >= _SHARED or cosine >= _NEAR:
                scored.append((-shared - cosine, memory))
        return self._select_visible(memory for _, memory in sorted(scored, key=lambda pair: pair[0]))

    def _select_visible(self, memories: Iterable[Memory]) -> list[Memory]:
        return [memory for memory in memories if is_visible(self._seen, memory)]


class StagedView:
    """A view without the targets of `decisions`. Memories that the decisions add are missing because they have no id yet."""

    def __init__(self, view: MemoryView, decisions: Iterable[Decision]) -> None:
        self._view = view
        self._closed = {target for decision in decisions for target in decision.targets if decision.operation != "NOOP"}

    def similar(self, content: str, limit: int = 10) -> list[Memory]:
        return self._select_open(self._view.similar(content, limit + len(self._closed)))[:limit]

    def get(self, memory_ids: Sequence[str]) -> list[Memory]:
        return self._select_open(self._view.get(memory_ids))

    def restated(self, content: str) -> list[str]:
        return [memory_id for memory_id in self._view.restated(content) if memory_id not in self._closed]

    def holder(self, key: str) -> Memory | None:
        memory = self._view.holder(key)
        return memory if memory is not None and memory.memory_id not in self._closed else None

    def in_section(self, section: Section, limit: int = 20) -> list[Memory]:
        return self._select_open(self._view.in_section(section, limit + len(self._closed)))[:limit]

    def _select_open(self, memories: list[Memory]) -> list[Memory]:
        return [memory for memory in memories if memory.memory_id not in self._closed]
