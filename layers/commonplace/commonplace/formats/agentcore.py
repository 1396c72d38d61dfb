"""Amazon Bedrock AgentCore Gateway: for each Lambda target the list for `toolSchema.inlinePayload`, or for a file on S3.

A target is one function, and a function serves its own tools only. The schemas know type, properties, required, items and
description; everything else is said in the descriptions.
There is no `outputSchema`: it could not say that a field may be null, nor what an error looks like.
"""

from collections.abc import Sequence
from typing import Any

from commonplace.formats import Row
from commonplace.formats.functions import by_function
from commonplace.formats.wording import Schema, described


def write(rows: Sequence[Row]) -> dict[str, list[dict[str, Any]]]:
    """`{function: [{name, description, inputSchema}]}`; the gateway adds `<target>___` before each name."""
    return {function: [_tool(row) for row in own] for function, own in by_function(rows).items()}


def _tool(row: Row) -> dict[str, Any]:
    return {"name": row["name"], "description": row["description"], "inputSchema": _reduced(row["input_schema"])}


def _reduced(schema: Schema) -> dict[str, Any]:
    reduced: dict[str, Any] = {"type": schema["type"]}
    if described(schema):
        reduced["description"] = described(schema)
    if "properties" in schema:
        reduced["properties"] = {name: _reduced(field) for name, field in schema["properties"].items()}
    if "required" in schema:
        reduced["required"] = list(schema["required"])
    if "items" in schema:
        reduced["items"] = _reduced(schema["items"])
    return reduced
