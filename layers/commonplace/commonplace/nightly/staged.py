"""The shelf as it will be once what was decided is done: what closes is not on it any more."""

from collections.abc import Iterable, Sequence

from commonplace.extraction.candidate import Decision, Shelf
from commonplace.models.memory import Memory
from commonplace.taxonomy import Section


class Staged:
    """A shelf without the targets of some decisions. What they add is not on it: it has no id yet."""

    def __init__(self, shelf: Shelf, decisions: Iterable[Decision]) -> None:
        self._shelf = shelf
        self._closed = {target for decision in decisions for target in decision.targets if decision.operation != "NOOP"}

    def similar(self, content: str, limit: int = 10) -> list[Memory]:
        return self._open(self._shelf.similar(content, limit + len(self._closed)))[:limit]

    def get(self, memory_ids: Sequence[str]) -> list[Memory]:
        return self._open(self._shelf.get(memory_ids))

    def holder(self, key: str) -> Memory | None:
        found = self._shelf.holder(key)
        return found if found is not None and found.memory_id not in self._closed else None

    def under(self, section: Section, limit: int = 20) -> list[Memory]:
        return self._open(self._shelf.under(section, limit + len(self._closed)))[:limit]

    def _open(self, memories: list[Memory]) -> list[Memory]:
        return [memory for memory in memories if memory.memory_id not in self._closed]
