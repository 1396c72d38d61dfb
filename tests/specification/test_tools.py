"""The definitions of the tools as the specification gives them, and the size of what an agent first sees of them."""

from typing import Any

import pytest

from commonplace.contract.manifest import rows
from tests.specification.rows import Row, check, rows_of


@pytest.mark.parametrize("tool", rows_of("tools"))
def test_a_tool_takes_what_its_definition_says(tool: Row) -> None:
    found: dict[str, Any] = next(row for row in rows() if row["name"] == tool["name"])["input_schema"]  # type: ignore[assignment]
    check(found["properties"], tool["properties"])
    assert set(found.get("required", ())) <= set(tool["required"])
