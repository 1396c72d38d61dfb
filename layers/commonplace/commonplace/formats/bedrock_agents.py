"""Amazon Bedrock Agents, action groups of functions: arguments of `create_agent_action_group`.

An action group is served by one Lambda function, which serves its own tools only. A function of it has five parameters
at most and none of them is an object: the required ones come first, and a nested object keeps its name and travels as one
string of JSON. Of more than five the optional ones that find no room travel together, as `options`.
"""

from collections.abc import Sequence
from typing import Any

from commonplace.formats import Row
from commonplace.formats.functions import by_function
from commonplace.formats.wording import Schema, described, shape

MOST_PARAMETERS = 5
REST = "options"
"""The parameter of a tool with more than five: a JSON object in a string, of the fields that found no room."""


def write(rows: Sequence[Row]) -> dict[str, dict[str, Any]]:
    """`{function: {actionGroupName, description, functionSchema}}`; agent, version and executor are the caller's to add."""
    return {
        function: {**group(function, own), "functionSchema": {"functions": [_function(row) for row in own]}}
        for function, own in by_function(rows).items()
    }


def group(function: str, rows: Sequence[Row]) -> dict[str, str]:
    """The name and the description of a function's action group."""
    titles = "; ".join(row["title"] for row in rows)
    return {"actionGroupName": f"commonplace-{function}", "description": f"Long-term memory. {titles}."}


def confirmation(row: Row) -> str:
    """Whether the agent asks the user before it calls the tool: only where a call can destroy something."""
    return "ENABLED" if row["hints"]["destructive"] else "DISABLED"


def parameter(schema: Schema) -> dict[str, Any]:
    """A field's type and description as the agent sees them."""
    if schema["type"] == "object":
        return {"type": "string", "description": f"{schema['description']} A JSON object in a string: {shape(schema)}"}
    return {"type": schema["type"], "description": described(schema)}


def _function(row: Row) -> dict[str, Any]:
    required = row["input_schema"].get("required", ())
    fields = _fields(sorted(row["input_schema"]["properties"].items(), key=lambda field: field[0] not in required))
    return {
        "name": row["name"],
        "description": row["description"],
        "parameters": {name: {**parameter(field), "required": name in required} for name, field in fields},
        "requireConfirmation": confirmation(row),
    }


def _fields(fields: list[tuple[str, Schema]]) -> list[tuple[str, Schema]]:
    if len(fields) <= MOST_PARAMETERS:
        return fields
    room = MOST_PARAMETERS - 1
    rest = {"type": "object", "description": "What else can be said.", "properties": dict(fields[room:])}
    return [*fields[:room], (REST, rest)]
