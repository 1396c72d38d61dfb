"""OpenAI Chat Completions, and the many servers that speak it: the list for `tools`.

`strict` is off: in strict mode every field is required and an absent one comes as null, so that what the model writes would
not be what the tools take. The tools check everything themselves and name the field at fault.
"""

from collections.abc import Sequence
from typing import Any

from commonplace.formats import Row


def write(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """`[{type, function: {name, description, parameters, strict}}]`, the schemas as they are."""
    return [{"type": "function", "function": _function(row)} for row in rows]


def _function(row: Row) -> dict[str, Any]:
    return {"name": row["name"], "description": row["description"], "parameters": row["input_schema"], "strict": False}
