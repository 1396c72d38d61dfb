"""What a scripted model calls in every framework, and what it must have been told: the frameworks differ, the tools don't."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from commonplace import Commonplace
from commonplace.contract.manifest import shown_rows

MIA = "My daughter Mia is allergic to peanuts."
CALLS: list[tuple[str, dict[str, Any]]] = [
    ("store_memory", {"content": MIA}),
    ("search_memory", {"query": "is anybody allergic?"}),
    ("search_memory", {"question": "is anybody allergic?"}),
    ("get_memory", {"memory_id": "mem_01ARZ3NDEKTSV4RRFFQ69G5FAV"}),
    ("export_memories", {}),
]
PRIMARY = ["store_memory", "search_memory", "discover_memory_tools"]
LAST = "Mia is allergic to peanuts."


PAGE = Path(__file__).parents[2] / "docs" / "agents.md"


def answer_of_the_page(title: str, model: Any) -> str:
    """Runs the code of a section of docs/agents.md, where this process is, with a model; what the agent answers."""
    (section,) = re.findall(rf"^### {title}\n(.*?)(?=^##)", PAGE.read_text("utf-8"), re.DOTALL | re.MULTILINE)
    (code,) = re.findall(r"^```python\n(.*?)^```", section, re.DOTALL | re.MULTILINE)
    names = {"model": model}
    exec(compile(code, "docs/agents.md", "exec"), names)
    return str(names["answer"])


@dataclass
class Script:
    """The talk of a model: a call each time it is asked, and words at the end; what it was shown and told is kept."""

    calls: Sequence[tuple[str, dict[str, Any]]] = tuple(CALLS)
    shown: dict[str, tuple[str, Mapping[str, Any]]] = field(default_factory=dict)
    told: list[str] = field(default_factory=list)

    def next_call(self) -> tuple[str, dict[str, Any]] | None:
        """The next call, after what was told; None at the end."""
        return self.calls[len(self.told)] if len(self.told) < len(self.calls) else None

    def check(self, memory: Commonplace, answer: object) -> None:
        """The model saw the rows of the manifest, its calls did what they say, and errors named what is wrong."""
        shown = {name: (description, _plain(schema)["properties"]) for name, (description, schema) in self.shown.items()}
        rows = {row["name"]: (row["description"], _plain(row["input_schema"])["properties"]) for row in shown_rows("all")}
        assert shown == rows
        assert len(self.told) == len(CALLS)
        stored, found, wrong, unknown, planned = self.told
        assert [record["raw_text"] for record in memory.export()] == [MIA]
        assert json.loads(stored)["memory_id"] == next(memory.export())["memory_id"]
        assert [hit["content"] for hit in json.loads(found)["results"]] == [MIA]
        assert "query: is required" in wrong
        assert "not_found" in unknown
        assert json.loads(planned)["status"] == "needs_review"  # a model plans, and people apply
        assert LAST in str(answer)


def _plain(schema: Any) -> Any:
    """A schema without the empty lists that some frameworks put in."""
    if isinstance(schema, Mapping):
        return {name: _plain(part) for name, part in schema.items() if not (name == "required" and not part)}
    return schema
