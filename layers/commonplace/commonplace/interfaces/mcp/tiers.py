"""Which tools a client is shown, as the protocol has them. Any tool can be called by its name, whatever is shown."""

from mcp_types import ListToolsResult, Tool

from commonplace.contract.formats.model_apis import mcp
from commonplace.contract.manifest import ShownTier, shown_rows


def shown_tools(tier: ShownTier | None) -> list[Tool]:
    """The tools of a tier, or those that are shown where none is named; the same at each call."""
    return ListToolsResult.model_validate(mcp(shown_rows(tier))).tools
