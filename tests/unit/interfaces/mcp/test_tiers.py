import json

import pytest

from commonplace.contract.registry import TOOLS
from commonplace.interfaces.mcp.tiers import shown_tools

MOST_TOKENS = 1_800


def test_what_is_shown_without_a_tier_costs_little() -> None:
    """By the usual rule of four characters to a token; what comes back is not handed to a model."""
    read = [{"name": one.name, "description": one.description, "input_schema": one.input_schema} for one in shown_tools(None)]
    assert len(json.dumps(read, ensure_ascii=False, separators=(",", ":"))) / 4 <= MOST_TOKENS


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_a_tool_is_shown_as_its_row_says(tool: object) -> None:
    row = next(one for one in TOOLS if one is tool)
    (shown,) = [one for one in shown_tools("all") if one.name == row.name]
    assert (shown.title, shown.description) == (row.title, row.description)
    assert shown.annotations is not None
    assert shown.annotations.read_only_hint == row.hints.read_only
    assert shown.annotations.destructive_hint == row.hints.destructive
    assert shown.annotations.idempotent_hint == row.hints.idempotent
    assert set(shown.input_schema["properties"]) == set(row.request.model_fields)


def test_each_tier_holds_the_one_before() -> None:
    primary, core, everything = ([one.name for one in shown_tools(tier)] for tier in ("primary", "core", "all"))
    assert set(primary) < set(core) < set(everything) == {tool.name for tool in TOOLS}
