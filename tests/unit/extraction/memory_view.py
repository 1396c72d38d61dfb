"""A memory view for tests: some memories, similar where they share a word of content."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from commonplace.domain.memory import Memory
from commonplace.domain.taxonomy import Section
from commonplace.text.foundation import tokenizer

EARLIER = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)


def memory(text: str, **more: Any) -> Memory:
    """A memory that says `text`; its id is made from it."""
    fields: dict[str, Any] = {
        "memory_id": f"mem_{text[:20]}",
        "user_id": "ana",
        "raw_text": text,
        "normalized_text": text,
        "memory_type": "fact",
        "category": "contexts",
        "section": "personal_context",
        "created_at": EARLIER,
        "updated_at": EARLIER,
        "event_time": EARLIER,
    }
    return Memory(**{**fields, **more})


class InMemoryView:
    """Memories in a list. All of them are similar to anything, those that share the most words first."""

    def __init__(self, memories: Sequence[Memory] = (), restated: Sequence[str] = ()) -> None:
        self._memories, self._restated = list(memories), list(restated)

    def similar(self, content: str, limit: int = 10) -> list[Memory]:
        wanted = set(tokenizer.terms(content))
        ranked = sorted(self._memories, key=lambda one: -len(wanted & set(tokenizer.terms(one.content))))
        return ranked[:limit]

    def get(self, memory_ids: Sequence[str]) -> list[Memory]:
        return [one for one in self._memories if one.memory_id in memory_ids]

    def holder(self, key: str) -> Memory | None:
        return next((one for one in self._memories if one.key == key), None)

    def restated(self, content: str) -> list[str]:
        return self._restated if content else []

    def in_section(self, section: Section, limit: int = 20) -> list[Memory]:
        return [one for one in self._memories if one.section == section][:limit]
