"""A memory file of its own with a clock set by hand: people tell it facts on their days, conversations are imported."""

import tempfile
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from benchmarks.conversations import Asked, Conversation
from benchmarks.persons import Person
from commonplace import Commonplace
from commonplace.settings import Settings


@dataclass(frozen=True)
class Search:
    """One search: the names of each hit, best first, the probability told of each, and whether the best one lay below .3."""

    hits: list[frozenset[str]]
    told: list[float | None]
    below: bool = False


@dataclass(frozen=True)
class Answer:
    """A question, searched for at the default and at `min_relevance` 0."""

    asked: Asked
    at_default: Search
    at_zero: Search


@dataclass
class Store:
    """The memory, its clock, and the names in the sets of what each memory holds: equal facts become one memory."""

    memory: Commonplace
    clock: list[datetime]
    names: defaultdict[str, set[str]] = field(default_factory=lambda: defaultdict(set))

    def tell(self, person: Person) -> None:
        """Stores every fact on its day, and stops the clock at the day of the questions."""
        for fact in person.facts:
            self.clock[0] = fact.at
            stored = self.memory.call("store_memory", {"content": fact.text})
            self.names[stored["memory_id"]].add(fact.name)
        self.clock[0] = person.asks_at

    def hold(self, conversation: Conversation) -> None:
        """Imports every turn with its place."""
        ids = self.memory.import_turns([turn.given() for turn in conversation.turns]).ids
        for turn, memory_id in zip(conversation.turns, ids, strict=True):
            if memory_id:
                self.names[memory_id].add(turn.name)

    def answer(self, asked: Asked) -> Answer:
        """Searches twice for one question."""
        return Answer(asked, self.search(asked.question), self.search(asked.question, min_relevance=0.0))

    def search(self, question: str, **relevance: float) -> Search:
        """The first ten."""
        given = {"query": question, "options": {"limit": 10, **relevance}}
        hits = self.memory.call("search_memory", given)["results"]
        return Search(
            hits=[frozenset(self.names[hit["id"]]) for hit in hits],
            told=[hit.get("probability") for hit in hits],
            below=any(hit.get("below_threshold") for hit in hits),
        )


@contextmanager
def opened() -> Iterator[Store]:
    """A fresh store by rules, whatever the environment says."""
    clock = [datetime.now(UTC)]
    settings = Settings.model_validate({"timezone": "UTC"})
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "memory.db"
        with Commonplace(path, user_id="bench", settings=settings, now=lambda: clock[0]) as memory:
            yield Store(memory, clock)
