"""Amazon Bedrock Converse: the object for `toolConfig`."""

from collections.abc import Sequence
from typing import Any

from commonplace.formats import Row

_AT_THE_TOP = ("type", "properties", "required")  # all that Amazon Nova takes there; other models miss nothing


def write(rows: Sequence[Row]) -> dict[str, Any]:
    """`{tools: [{toolSpec: {name, description, inputSchema: {json}}}]}`."""
    return {"tools": [{"toolSpec": _specification(row)} for row in rows]}


def _specification(row: Row) -> dict[str, Any]:
    schema = {name: row["input_schema"][name] for name in _AT_THE_TOP if name in row["input_schema"]}
    return {"name": row["name"], "description": row["description"], "inputSchema": {"json": schema}}
