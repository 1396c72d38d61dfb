"""What a schema asks for, in words: for formats whose schemas can't say it."""

import json
from collections.abc import Mapping
from typing import Any

Schema = Mapping[str, Any]


def described(schema: Schema) -> str:
    """A field's description with its limits and its default behind it, unless it says them already."""
    said: str = schema.get("description", "")
    clauses = [clause for clause in _clauses(schema) if clause.casefold() not in said.casefold()]
    limits = "; ".join(clauses)
    return f"{said} {limits[0].upper()}{limits[1:]}.".strip() if limits else said


def shape(schema: Schema) -> str:
    """A value's shape in a line: `{key: a|b, level?: integer 1-5, tags?: [string]}`."""
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
    return f"{kind} {_range(schema)}" if _range(schema) else str(kind)


def _clauses(schema: Schema) -> list[str]:
    clauses = []
    if "enum" in schema:
        clauses.append("one of " + ", ".join(schema["enum"]))
    if _range(schema):
        clauses.append(_range(schema))
    if schema.get("format") == "date-time":
        clauses.append("ISO 8601")
    if "maxLength" in schema:
        clauses.append(f"up to {schema['maxLength']:,} characters")
    if "maxItems" in schema:
        clauses.append(f"up to {schema['maxItems']:,} items")
    if schema.get("default") not in (None, []):
        clauses.append(f"{json.dumps(schema['default'])} when left out")
    return clauses


def _range(schema: Schema) -> str:
    return f"{schema['minimum']:g}-{schema['maximum']:.10g}" if {"minimum", "maximum"} <= set(schema) else ""
