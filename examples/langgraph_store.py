"""A LangGraph graph with memory: one thread stores, another finds. Needs no model."""

import sys
from typing import TypedDict

try:
    from langgraph.graph import START, StateGraph
    from langgraph.store.base import BaseStore
except ImportError:
    sys.exit("LangGraph is not installed: run .venv/bin/pip install '.[langgraph]' in this repository")

from commonplace import Commonplace
from commonplace.integrations.langgraph import CommonplaceStore


class State(TypedDict):
    """The message of a thread, and the memories about it."""

    said: str
    known: list[str]


def remember(state: State, *, store: BaseStore) -> dict[str, list[str]]:
    """Store the message and search for related memories."""
    known = store.search(("ana", "facts"), query=state["said"], limit=2)
    store.put(("ana", "facts"), state["said"][:40], {"text": state["said"]})
    return {"known": [item.value["text"] for item in known]}


def main() -> None:
    """Run two threads on one memory file."""
    graph = StateGraph(State)
    graph.add_node("remember", remember)
    graph.add_edge(START, "remember")
    with Commonplace(sys.argv[1] if len(sys.argv) > 1 else "memory.db") as memory:
        app = graph.compile(store=CommonplaceStore(memory))
        app.invoke({"said": "I am allergic to peanuts.", "known": []})
        print(app.invoke({"said": "What must I not eat?", "known": []})["known"])


if __name__ == "__main__":
    main()
