"""Build the tools for agent frameworks from the rows of the manifest."""

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
    """A tool of a memory. `schema` is the JSON schema of the tool's arguments."""

    name: str
    description: str
    schema: dict[str, Any]
    memory: Commonplace

    def call(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Call the tool and return its answer. Every error raises a `CommonplaceError` without internal details."""
        try:
            return self.memory.call(self.name, as_declared(tool_named(self.name).request, arguments), admin=False)
        except CommonplaceError:
            raise
        except Exception as error:  # noqa: BLE001 - a model gets a code and an id, but never the text of an unknown failure
            raise internal_error(error) from None


def model_tools(memory: Commonplace, tier: ShownTier | None = None) -> list[ModelTool]:
    """Return the tools of a tier: `primary`, `core` (includes primary) or `all`. By default, return the tools that MCP shows.

    Each tool acts on one user's memory, so arguments never name the user. Because the caller is a model, exports only count
    memories, and imports and restores are dry runs.
    """
    rows = cast(Sequence[dict[str, Any]], shown_rows(tier))
    return [ModelTool(row["name"], row["description"], row["input_schema"], memory) for row in rows]
