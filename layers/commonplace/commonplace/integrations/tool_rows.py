"""The tools of a memory, as the frameworks here take them: from the rows of the manifest, called as a model's call."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from commonplace.client.memory import Commonplace
from commonplace.contract.manifest import ShownTier, shown_rows
from commonplace.contract.registry import tool_named
from commonplace.contract.sent import as_declared
from commonplace.domain.errors import CommonplaceError
from commonplace.use_cases.dispatch import internal_error


@dataclass(frozen=True)
class ModelTool:
    """A tool over a memory. `schema`: the JSON schema of its arguments."""

    name: str
    description: str
    schema: dict[str, Any]
    memory: Commonplace

    def call(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Its answer; raises `CommonplaceError`, also for a mistake of ours, which it then says nothing else of."""
        try:
            return self.memory.call(self.name, as_declared(tool_named(self.name).request, arguments), admin=False)
        except CommonplaceError:
            raise
        except Exception as error:  # noqa: BLE001 - a model gets a code and an id, never the words of an unknown failure
            raise internal_error(error) from None


def model_tools(memory: Commonplace, tier: ShownTier | None = None) -> list[ModelTool]:
    """The tools of a tier (`primary`, `core` with those, or `all`); without one those that are shown by default.

    Any of them takes one user's memory: a tool's arguments never say whose. What brings all memories out or in is planned
    and not applied: a model asks.
    """
    rows = cast(Sequence[dict[str, Any]], shown_rows(tier))
    return [ModelTool(row["name"], row["description"], row["input_schema"], memory) for row in rows]
