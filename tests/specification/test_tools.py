"""The definitions of the tools as the specification gives them, and the size of what an agent first sees of them."""

from typing import Any

import pytest

from commonplace.contract.manifest import manifest, manifest_text, rows
from tests.specification.rows import Row, check, rows_of


@pytest.mark.parametrize("tool", rows_of("tools"))
def test_a_tool_takes_what_its_definition_says(tool: Row) -> None:
    found: dict[str, Any] = next(row for row in rows() if row["name"] == tool["name"])["input_schema"]  # type: ignore[assignment]
    check(found["properties"], tool["properties"])
    assert set(found.get("required", ())) <= set(tool["required"])


def test_the_primary_tools_are_three_of_six_kilobytes_at_most() -> None:
    tools: list[dict[str, Any]] = manifest("primary")["tools"]  # type: ignore[assignment]
    assert sorted(tool["name"] for tool in tools) == ["discover_memory_tools", "search_memory", "store_memory"]
    assert all(tool["description"] and tool["input_schema"] and tool["examples"] for tool in tools)
    assert len(manifest_text("primary").encode()) <= 6_000
