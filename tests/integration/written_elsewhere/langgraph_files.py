"""Writes `langgraph.json`: the items of LangGraph's `InMemoryStore`, got and searched for, as `Item.dict()` gives them."""

import json

import langgraph.store.memory
from langgraph.store.memory import InMemoryStore

from tests.integration.written_elsewhere.script import MADE, Clock, vector

_SIZE = 8


def main() -> None:
    """Puts what agents put there: LangMem's memories and profiles, values of one's own, one that was changed."""
    langgraph.store.memory.datetime = Clock
    store = InMemoryStore(index={"dims": _SIZE, "embed": lambda texts: [vector(text, _SIZE) for text in texts]})
    memories, profiles = ("memories", "ana"), ("profiles",)
    store.put(memories, "m1", {"kind": "Memory", "content": {"content": "Ana works from Porto on Fridays."}})
    store.put(memories, "m2", {"content": "Ana is allergic to peanuts."})
    store.put(memories, "m3", {"text": "Ana drinks oat milk.", "tags": ["food", "drinks"], "rating": 5})
    store.put(memories, "m3", {"text": "Ana drinks soy milk.", "tags": ["food", "drinks"], "rating": 4})
    store.put(memories, "m4", {"text": "Ana keeps bees."})
    store.delete(memories, "m4")
    store.put(profiles, "ana", {"language": "Portuguese", "time zone": "Europe/Lisbon", "children": ["Rui", "Eva"]})
    store.put(("sessions", "2025-03", "ana"), "state", {"steps": []})
    got = [store.get(memories, "m1"), store.get(memories, "m2")]
    found = [*store.search(memories, query="milk"), *store.search(profiles), *store.search(("sessions",))]
    once = {(*one.namespace, one.key): one.dict() for one in [*found, *(one for one in got if one is not None)]}
    items = [once[name] for name in sorted(once)]
    (MADE / "langgraph.json").write_text(json.dumps(items, indent=1, ensure_ascii=False) + "\n", "utf-8")


if __name__ == "__main__":
    main()
