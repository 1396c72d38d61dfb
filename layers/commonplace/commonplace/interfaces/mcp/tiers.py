"""Which tools a client is shown, as the protocol has them. Any tool can be called by its name, whatever is shown."""

from typing import Literal

from mcp_types import ListToolsResult, Tool

from commonplace.contract.formats.model_apis import mcp
from commonplace.contract.manifest import row
from commonplace.contract.registry import TOOLS

ShownTier = Literal["primary", "core", "all"]
_SHOWN = {"primary": ("primary",), "core": ("primary", "core"), "all": ("primary", "core", "advanced")}
_BESIDE = ("get_memory_context",)
"""Beside the primary ones where nobody chose: most agents ask for it at the beginning of a talk."""


def shown_tools(tier: ShownTier | None) -> list[Tool]:
    """The tools of a tier, or those that are shown where none is named; the same at each call."""
    tiers, beside = _SHOWN[tier or "primary"], () if tier else _BESIDE
    rows = [row(tool) for tool in TOOLS if tool.tier in tiers or tool.name in beside]
    return ListToolsResult.model_validate(mcp(rows)).tools
