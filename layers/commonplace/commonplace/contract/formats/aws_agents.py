"""Renders the tools for Amazon Bedrock Agents and AgentCore Gateway, with one Lambda function per group of tools."""

import json
import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

from commonplace.contract.manifest import Row
from commonplace.contract.registry import tool_named

Schema = Mapping[str, Any]
MOST_PARAMETERS = 5
"""The maximum number of parameters per function, which is the service's quota `parameters-per-function`."""
MOST_FUNCTIONS = 11
"""The maximum number of functions per action group, which equals an agent's default quota (`APIs per Agent`)."""
MOST_DESCRIBED = 200
"""The maximum length of an action group's description, in characters."""
EXTRA = "options"
"""The parameter for the fields that exceed the limit, as a JSON object in a string."""
_ANSWER = {"description": "The answer, a JSON object.", "content": {"application/json": {"schema": {"type": "object"}}}}


def described(schema: Schema) -> str:
    """Return a field's description, followed by its limits and its default if the description does not state them already."""
    description: str = schema.get("description", "")
    clauses = [clause for clause in _list_clauses(schema) if clause.casefold() not in description.casefold()]
    limits = "; ".join(clauses)
    return f"{description} {limits[0].upper()}{limits[1:]}.".strip() if limits else description


def shape(schema: Schema) -> str:
    """Return the shape of a schema's values on one line, for example `{key: a|b, level?: integer 1-5, tags?: [string]}`."""
    kind = schema["type"]
    if kind == "object":
        required = schema.get("required", ())
        fields = schema.get("properties", {}).items()
        return "{" + ", ".join(f"{name}{'' if name in required else '?'}: {shape(field)}" for name, field in fields) + "}"
    if kind == "array":
        return f"[{shape(schema['items'])}]"
    if "enum" in schema:
        return "|".join(schema["enum"])
    if schema.get("format") == "date-time":
        return "ISO 8601 time"
    return f"{kind} {_format_range(schema)}" if _format_range(schema) else str(kind)


def _list_clauses(schema: Schema) -> list[str]:
    """Return a clause for each limit of a field and for its default."""
    clauses = []
    if "enum" in schema:
        clauses.append("one of " + ", ".join(schema["enum"]))
    if _format_range(schema):
        clauses.append(_format_range(schema))
    if schema.get("format") == "date-time":
        clauses.append("ISO 8601")
    if "maxLength" in schema:
        clauses.append(f"up to {schema['maxLength']:,} characters")
    if "maxItems" in schema:
        clauses.append(f"up to {schema['maxItems']:,} items")
    if schema.get("default") not in (None, []):
        clauses.append(f"{json.dumps(schema['default'])} when left out")
    return clauses


def _format_range(schema: Schema) -> str:
    return f"{schema['minimum']:g}-{schema['maximum']:.10g}" if {"minimum", "maximum"} <= set(schema) else ""


def by_function(rows: Sequence[Row]) -> dict[str, list[Row]]:
    """Group the rows by function name, in manifest order."""
    groups: dict[str, list[Row]] = {}
    for row in rows:
        groups.setdefault(tool_named(row["name"]).function, []).append(row)
    return groups


def bedrock_agents(rows: Sequence[Row]) -> dict[str, dict[str, Any]]:
    """Return `{function: {actionGroupName, description, functionSchema}}`. Callers add the agent, version and executor."""
    return {
        function: {**group(function, own), "functionSchema": {"functions": [_build_function(row) for row in own]}}
        for function, own in by_function(rows).items()
    }


def group(function: str, rows: Sequence[Row]) -> dict[str, str]:
    """Return the name and description of a function's action group. Raises `ValueError` if there are too many tools."""
    if len(rows) > MOST_FUNCTIONS:
        raise ValueError(f"{function}: {len(rows)} tools, an action group has {MOST_FUNCTIONS} at most")
    titles = "; ".join(row["title"] for row in rows)
    described_as = textwrap.shorten(f"Long-term memory. {titles}.", MOST_DESCRIBED, placeholder=" ...")
    return {"actionGroupName": f"commonplace-{function}", "description": described_as}


def confirmation(row: Row) -> str:
    """Return `DISABLED` for a read-only tool, and `ENABLED` for a tool that the agent may call only after asking the user."""
    return "DISABLED" if row["hints"]["read_only"] else "ENABLED"


def parameter(schema: Schema) -> dict[str, Any]:
    """Return a field's type and description as the agent sees them."""
    if schema["type"] == "object":
        return {"type": "string", "description": f"{schema['description']} A JSON object in a string: {shape(schema)}"}
    return {"type": schema["type"], "description": described(schema)}


def _build_function(row: Row) -> dict[str, Any]:
    """Return a tool as a function. If it has over five fields, the last ones move into a JSON field for options."""
    required = row["input_schema"].get("required", ())
    fields = sorted(row["input_schema"]["properties"].items(), key=lambda field: field[0] not in required)
    if len(fields) > MOST_PARAMETERS:
        first, extra = fields[: MOST_PARAMETERS - 1], dict(fields[MOST_PARAMETERS - 1 :])
        fields = [*first, (EXTRA, {"type": "object", "description": "Further optional fields.", "properties": extra})]
    return {
        "name": row["name"],
        "description": row["description"],
        "parameters": {name: {**parameter(field), "required": name in required} for name, field in fields},
        "requireConfirmation": confirmation(row),
    }


def bedrock_agents_api(rows: Sequence[Row]) -> dict[str, dict[str, Any]]:
    """Return `{function: {actionGroupName, description, apiSchema: {payload}}}`. The payload is an OpenAPI document."""
    return {
        function: {**group(function, own), "apiSchema": {"payload": json.dumps(_build_document(own), ensure_ascii=False)}}
        for function, own in by_function(rows).items()
    }


def _build_document(rows: Sequence[Row]) -> dict[str, Any]:
    return {
        "openapi": "3.0.0",
        "info": {"title": "Commonplace", "version": "1"},
        "paths": {f"/tools/{row['name']}": {"post": _build_operation(row)} for row in rows},
    }


def _build_operation(row: Row) -> dict[str, Any]:
    schema = {
        "type": "object",
        "properties": {name: _build_field(field) for name, field in row["input_schema"]["properties"].items()},
    }
    if row["input_schema"].get("required"):
        schema["required"] = list(row["input_schema"]["required"])
    return {
        "operationId": row["name"],
        "description": row["description"],
        "x-requireConfirmation": confirmation(row),
        "requestBody": {"required": True, "content": {"application/json": {"schema": schema}}},
        "responses": {"200": _ANSWER},
    }


def _build_field(schema: Schema) -> dict[str, Any]:
    items = {"items": {"type": schema["items"]["type"]}} if schema["type"] == "array" else {}
    return {**parameter(schema), **items}


def agentcore(rows: Sequence[Row]) -> dict[str, list[dict[str, Any]]]:
    """Return `{function: [{name, description, inputSchema}]}`. The gateway prefixes each name with `<target>___`."""
    return {function: [_build_tool(row) for row in own] for function, own in by_function(rows).items()}


def _build_tool(row: Row) -> dict[str, Any]:
    return {"name": row["name"], "description": row["description"], "inputSchema": _reduce_schema(row["input_schema"])}


def _reduce_schema(schema: Schema) -> dict[str, Any]:
    """Return a schema with only the keywords that the gateway accepts, and with the limits stated in the descriptions."""
    reduced: dict[str, Any] = {"type": schema["type"]}
    if described(schema):
        reduced["description"] = described(schema)
    if "properties" in schema:
        reduced["properties"] = {name: _reduce_schema(field) for name, field in schema["properties"].items()}
    if "required" in schema:
        reduced["required"] = list(schema["required"])
    if "items" in schema:
        reduced["items"] = _reduce_schema(schema["items"])
    return reduced
