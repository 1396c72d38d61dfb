"""Anthropic Messages API: the list for `tools`. Amazon Bedrock's and Google's own endpoints of it take the same."""

from collections.abc import Sequence
from typing import Any

from commonplace.formats import Row


def write(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """`[{name, description, input_schema}]`, the schemas as they are."""
    return [{name: row[name] for name in ("name", "description", "input_schema")} for row in rows]
