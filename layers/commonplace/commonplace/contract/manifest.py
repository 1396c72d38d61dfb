"""The tools as JSON that any agent framework can load: `tool_manifest.json`."""

import json
import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Literal

from pydantic import BaseModel, JsonValue

from commonplace.contract.registry import TOOLS, Tier, Tool
from commonplace.domain.errors import ErrorCode

VERSION = 1
_ALWAYS = (
    ErrorCode.INVALID_ARGUMENT, ErrorCode.UNKNOWN_FIELD, ErrorCode.MISSING_FIELD, ErrorCode.STORAGE_UNAVAILABLE,
    ErrorCode.INTERNAL,
)  # fmt: skip
_WITHIN: Mapping[Tier, tuple[Tier, ...]] = {
    "primary": ("primary",), "core": ("primary", "core"), "advanced": ("advanced",),
}  # fmt: skip
ShownTier = Literal["primary", "core", "all"]
"""Which tools an agent is shown; it may call any."""
_SHOWN: Mapping[ShownTier, tuple[Tier, ...]] = {
    "primary": ("primary",), "core": ("primary", "core"), "all": ("primary", "core", "advanced"),
}  # fmt: skip
_BESIDE = ("get_memory_context", "update_memory", "delete_memory")
"""Beside the primary ones where nobody chose: with them an agent begins a conversation and corrects what it stored."""
_ANSWERS = ("output_schema", "errors")
_LEFT_OUT = ("additionalProperties", "pattern", "minLength")
"""Of the schemas that a model is shown: an error says as much."""
Row = Mapping[str, Any]  # a tool in the manifest


def manifest(tier: Tier | None = None) -> dict[str, JsonValue]:
    """The tools, up to one tier or all, with their schemas, hints, examples and errors.

    Of the primary tier what a model needs for a call: not what comes back, which says what it is.
    """
    tools = rows(tier)
    if tier == "primary":
        tools = [without_answers(row) for row in tools]
    return {"name": "commonplace", "version": VERSION, "tools": list(tools)}


def manifest_text(tier: Tier | None = None) -> str:
    """The manifest as it is committed; that of the primary tier without a blank, for it is read at each start of an agent."""
    if tier == "primary":
        return json.dumps(manifest(tier), ensure_ascii=False, separators=(",", ":")) + "\n"
    return json.dumps(manifest(tier), indent=2, ensure_ascii=False) + "\n"


def rows(tier: Tier | None = None) -> Sequence[dict[str, JsonValue]]:
    """The manifest's part of each tool: `primary` ones, `core` ones with those in them, `advanced` ones alone, or all."""
    return [row(tool) for tool in TOOLS if tier is None or tool.tier in _WITHIN[tier]]


def shown_rows(tier: ShownTier | None, added: Collection[str] = ()) -> Sequence[dict[str, JsonValue]]:
    """The tools that a model is shown: of a tier, or where nobody chose, and the `added` ones.

    It reads nothing there of tools that it is not shown. What comes back is described in the manifest alone.
    """
    tiers, beside = _SHOWN[tier or "primary"], (*added, *(() if tier else _BESIDE))
    shown = [tool for tool in TOOLS if tool.tier in tiers or tool.name in beside]
    hidden = [tool.name for tool in TOOLS if tool not in shown]
    # A name that is a word as well is a tool's only in backticks.
    names = "|".join(rf"\b{name}\b" if "_" in name else f"`{name}`" for name in hidden)
    return [_shown_row(row(tool), re.compile(names or "(?!)")) for tool in shown]


def _shown_row(whole: dict[str, JsonValue], hidden: re.Pattern[str]) -> dict[str, JsonValue]:
    arguments = _brief(whole["input_schema"], hidden)
    del arguments["description"]  # the tool's own says it
    return {
        **whole,
        "description": without_mentions(str(whole["description"]), hidden),
        "input_schema": {**arguments, "additionalProperties": False},
        "output_schema": _brief(whole["output_schema"], None),
    }


def _brief(node: Any, hidden: re.Pattern[str] | None) -> Any:
    """A schema without what costs tokens and that errors tell; `hidden`: None for one without descriptions."""
    if isinstance(node, list):
        return [_brief(one, hidden) for one in node]
    if not isinstance(node, dict):
        return node
    found = {}
    for name, part in node.items():
        if name == "description" and isinstance(part, str):  # a field may have that name, too
            part = hidden and without_mentions(part, hidden)
        if part is not None and (name not in _LEFT_OUT or isinstance(part, dict)):
            found[name] = _brief(part, hidden)
    return found


def without_mentions(text: str, hidden: re.Pattern[str]) -> str:
    """A text without the clauses that mention what is hidden; they stand between full stops or semicolons."""
    sentences = []
    for sentence in re.split(r"(?<=\.) (?=[A-Z`])", text):
        kept = "; ".join(clause for clause in sentence.rstrip(".").split("; ") if not hidden.search(clause))
        if kept:
            sentences.append(f"{kept[0].upper() if sentence[0].isupper() else kept[0]}{kept[1:]}.")
    return " ".join(sentences)


def without_answers(row: Row) -> dict[str, JsonValue]:
    """A tool's part as far as a model needs it for a call."""
    return {name: part for name, part in row.items() if name not in _ANSWERS}


def row(tool: Tool) -> dict[str, JsonValue]:
    """One tool's part of the manifest."""
    return {
        "name": tool.name,
        "title": tool.title,
        "description": tool.description,
        "tier": tool.tier,
        "input_schema": schema(tool.request, "validation"),
        "output_schema": schema(tool.result, "serialization"),
        "hints": {
            "read_only": tool.hints.read_only,
            "destructive": tool.hints.destructive,
            "idempotent": tool.hints.idempotent,
        },
        "examples": list(tool.examples),
        "errors": [
            {"code": code.label, "status": code.status, "retryable": code.retryable}
            for code in sorted({*tool.errors, *_ALWAYS}, key=lambda code: (code.status, code.label))
        ],
    }


def schema(model: type[BaseModel], mode: Any) -> dict[str, JsonValue]:
    """A model's JSON schema, flat: no `$ref`, no titles, and a field that may be absent instead of one that may be null."""
    return flat(model.model_json_schema(mode=mode), nullable=mode == "serialization")


def flat(whole: dict[str, Any], nullable: bool) -> dict[str, JsonValue]:
    """The same of a schema that is there already; `nullable`: what may be null says so."""
    found = _flat(whole, whole.get("$defs", {}), nullable)
    assert isinstance(found, dict)
    found.pop("$defs", None)
    return found


def _flat(node: Any, definitions: dict[str, Any], nullable: bool) -> Any:
    if isinstance(node, list):
        return [_flat(item, definitions, nullable) for item in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        referred = definitions[node["$ref"].rsplit("/", 1)[1]]
        node = {**referred, **{key: value for key, value in node.items() if key != "$ref"}}
    node = {key: value for key, value in node.items() if key != "discriminator"}  # its names lead to what is no more there
    if not nullable and "anyOf" in node:
        node = _without_null(node)
        if "anyOf" not in node:
            return _flat(node, definitions, nullable)
    if "properties" in node:
        node = {key: value for key, value in node.items() if key != "title"}
        properties = {name: _untitled(_flat(inner, definitions, nullable)) for name, inner in node["properties"].items()}
        return {
            **{k: _flat(v, definitions, nullable) for k, v in node.items() if k != "properties"},
            "properties": properties,
        }
    return {key: _flat(value, definitions, nullable) for key, value in node.items()}


def _untitled(node: Any) -> Any:
    return {key: value for key, value in node.items() if key != "title"} if isinstance(node, dict) else node


def _without_null(node: dict[str, Any]) -> dict[str, Any]:
    """`X | None` as X: whoever has nothing to say leaves the field out."""
    choices = [choice for choice in node["anyOf"] if choice.get("type") != "null"]
    rest = {key: value for key, value in node.items() if key != "anyOf" and not (key == "default" and value is None)}
    return {**choices[0], **rest} if len(choices) == 1 else {**rest, "anyOf": choices}
