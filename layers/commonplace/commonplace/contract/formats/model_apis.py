"""Renders the tools for Anthropic Messages, OpenAI Chat Completions, Bedrock Converse, Gemini, and MCP."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from commonplace.contract.manifest import Row

# the only keywords that Amazon Nova accepts at the top level; no other model needs more
_AT_THE_TOP = ("type", "properties", "required")
_OF_GEMINI = frozenset(
    "type format description enum default nullable anyOf properties required items pattern minimum maximum minLength"
    " maxLength minItems maxItems minProperties maxProperties".split()
)
"""The keywords of Gemini's `Schema`. Gemini refuses a request with any other keyword."""


def mcp(rows: Sequence[Row]) -> dict[str, Any]:
    """Return `{tools: [{name, title, description, inputSchema, outputSchema, annotations}]}`."""
    return {"tools": [_build_tool(row) for row in rows]}


def _build_tool(row: Row) -> dict[str, Any]:
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
            "openWorldHint": False,  # the tools access only stored memories
        },
    }


def openai(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """Return `[{type, function: {name, description, parameters, strict}}]` with unchanged schemas."""
    return [{"type": "function", "function": _build_openai_function(row)} for row in rows]


def _build_openai_function(row: Row) -> dict[str, Any]:
    return {"name": row["name"], "description": row["description"], "parameters": row["input_schema"], "strict": False}


def anthropic(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """Return `[{name, description, input_schema}]` with unchanged schemas."""
    return [{name: row[name] for name in ("name", "description", "input_schema")} for row in rows]


def bedrock_converse(rows: Sequence[Row]) -> dict[str, Any]:
    """Return `{tools: [{toolSpec: {name, description, inputSchema: {json}}}]}`."""
    return {"tools": [{"toolSpec": _build_specification(row)} for row in rows]}


def _build_specification(row: Row) -> dict[str, Any]:
    schema = {name: value for name, value in row["input_schema"].items() if name in _AT_THE_TOP}
    schema = _reduce_schema(schema, lambda keyword: keyword != "additionalProperties")
    return {"name": row["name"], "description": row["description"], "inputSchema": {"json": schema}}


def gemini(rows: Sequence[Row]) -> dict[str, Any]:
    """Return `{functionDeclarations: [{name, description, parameters}]}`, an item of `tools` in a Gemini request."""
    return {"functionDeclarations": [_build_declaration(row) for row in rows]}


def _build_declaration(row: Row) -> dict[str, Any]:
    parameters = _reduce_schema(row["input_schema"], _OF_GEMINI.__contains__)
    return {"name": row["name"], "description": row["description"], "parameters": parameters}


def _reduce_schema(schema: Mapping[str, Any], takes: Callable[[str], bool]) -> dict[str, Any]:
    """Return a schema with only the keywords that `takes` accepts, at every level."""
    reduced = {keyword: value for keyword, value in schema.items() if takes(keyword)}
    if "properties" in reduced:
        reduced["properties"] = {name: _reduce_schema(field, takes) for name, field in reduced["properties"].items()}
    if "items" in reduced:
        reduced["items"] = _reduce_schema(reduced["items"], takes)
    if "anyOf" in reduced:
        reduced["anyOf"] = [_reduce_schema(choice, takes) for choice in reduced["anyOf"]]
    return reduced
