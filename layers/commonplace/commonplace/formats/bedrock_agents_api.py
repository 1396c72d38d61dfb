"""Amazon Bedrock Agents, action groups of API operations: arguments of `create_agent_action_group`.

The agent reads OpenAPI 3.0.0 without `enum`. A tool has all its parameters here; a nested object travels as one string of
JSON as in `bedrock-agents`, so that one reader serves both kinds.
"""

import json
from collections.abc import Sequence
from typing import Any

from commonplace.formats import Row
from commonplace.formats.bedrock_agents import confirmation, group, parameter
from commonplace.formats.functions import by_function
from commonplace.formats.wording import Schema

_ANSWER = {"description": "The answer, a JSON object.", "content": {"application/json": {"schema": {"type": "object"}}}}


def write(rows: Sequence[Row]) -> dict[str, dict[str, Any]]:
    """`{function: {actionGroupName, description, apiSchema: {payload}}}`, the payload an OpenAPI document as text."""
    return {
        function: {**group(function, own), "apiSchema": {"payload": json.dumps(_document(own), ensure_ascii=False)}}
        for function, own in by_function(rows).items()
    }


def _document(rows: Sequence[Row]) -> dict[str, Any]:
    return {
        "openapi": "3.0.0",
        "info": {"title": "Commonplace", "version": "1"},
        "paths": {f"/tools/{row['name']}": {"post": _operation(row)} for row in rows},
    }


def _operation(row: Row) -> dict[str, Any]:
    schema = {
        "type": "object",
        "properties": {name: _field(field) for name, field in row["input_schema"]["properties"].items()},
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


def _field(schema: Schema) -> dict[str, Any]:
    items = {"items": {"type": schema["items"]["type"]}} if schema["type"] == "array" else {}
    return {**parameter(schema), **items}
