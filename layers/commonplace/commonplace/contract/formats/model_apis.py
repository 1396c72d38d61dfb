"""The tools for a model API: Anthropic Messages, OpenAI Chat Completions, Bedrock Converse, Model Context Protocol."""

from collections.abc import Sequence
from typing import Any

from commonplace.contract.manifest import Row

_AT_THE_TOP = ("type", "properties", "required")  # all that Amazon Nova takes there; other models miss nothing


def mcp(rows: Sequence[Row]) -> dict[str, Any]:
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


def openai(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """`[{type, function: {name, description, parameters, strict}}]`, the schemas as they are."""
    return [{"type": "function", "function": _function(row)} for row in rows]


def _function(row: Row) -> dict[str, Any]:
    return {"name": row["name"], "description": row["description"], "parameters": row["input_schema"], "strict": False}


def anthropic(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """`[{name, description, input_schema}]`, the schemas as they are."""
    return [{name: row[name] for name in ("name", "description", "input_schema")} for row in rows]


def bedrock_converse(rows: Sequence[Row]) -> dict[str, Any]:
    """`{tools: [{toolSpec: {name, description, inputSchema: {json}}}]}`."""
    return {"tools": [{"toolSpec": _specification(row)} for row in rows]}


def _specification(row: Row) -> dict[str, Any]:
    schema = {name: row["input_schema"][name] for name in _AT_THE_TOP if name in row["input_schema"]}
    return {"name": row["name"], "description": row["description"], "inputSchema": {"json": schema}}
