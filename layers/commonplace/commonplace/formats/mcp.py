"""Model Context Protocol: the answer to `tools/list`."""

from collections.abc import Sequence
from typing import Any

from commonplace.formats import Row


def write(rows: Sequence[Row]) -> dict[str, Any]:
    """`{tools: [{name, title, description, inputSchema, outputSchema, annotations}]}`."""
    return {"tools": [_tool(row) for row in rows]}


def _tool(row: Row) -> dict[str, Any]:
    return {
        "name": row["name"],
        "title": row["title"],
        "description": row["description"],
        "inputSchema": row["input_schema"],
        "outputSchema": row["output_schema"],
        "annotations": {
            "title": row["title"],
            "readOnlyHint": row["hints"]["read_only"],
            "destructiveHint": row["hints"]["destructive"],
            "idempotentHint": row["hints"]["idempotent"],
            "openWorldHint": False,  # a memory holds what was put into it
        },
    }
