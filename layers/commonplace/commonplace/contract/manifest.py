"""Renders the tools as JSON that any agent framework can load (`tool_manifest.json`)."""

import functools
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
_WITHIN: Mapping[Tier, tuple[Tier, ...]] = {"primary": ("primary",), "core": ("primary", "core"), "advanced": ("advanced",)}
ShownTier = Literal["primary", "core", "all"]
"""The sets of tools that can be shown to an agent, which may also call hidden tools."""
_SHOWN: Mapping[ShownTier, tuple[Tier, ...]] = {
    "primary": ("primary",), "core": ("primary", "core"), "all": ("primary", "core", "advanced"),
}  # fmt: skip
_ALWAYS_SHOWN = ("get_memory_context", "update_memory", "delete_memory")
"""The tools shown with the primary tools by default, so that an agent can start a conversation and correct memories."""
_ANSWERS = ("output_schema", "errors")
_LEFT_OUT = ("additionalProperties", "pattern", "minLength")
"""The keywords that are omitted from the schemas shown to a model, because error messages explain them."""
Row = Mapping[str, Any]  # a tool in the manifest


def manifest(tier: Tier | None = None) -> dict[str, JsonValue]:
    """Return the tools of one tier, or all tools, with their schemas, hints, examples and errors.

    For the primary tier, the descriptions of results and errors are omitted, because a model can call a tool without them.
    """
    tools = rows(tier)
    if tier == "primary":
        tools = [without_answers(row) for row in tools]
    return {"name": "commonplace", "version": VERSION, "tools": list(tools)}


def manifest_text(tier: Tier | None = None) -> str:
    """Return the text of the manifest file. The primary tier is minified, because agents load it whenever they start."""
    if tier == "primary":
        return json.dumps(manifest(tier), ensure_ascii=False, separators=(",", ":")) + "\n"
    return json.dumps(manifest(tier), indent=2, ensure_ascii=False) + "\n"


def rows(tier: Tier | None = None) -> Sequence[dict[str, JsonValue]]:
    """Return the manifest's rows for one tier, or all rows. The tier `core` includes the primary tools."""
    return [row(tool) for tool in TOOLS if tier is None or tool.tier in _WITHIN[tier]]


def shown_rows(tier: ShownTier | None, added: Collection[str] = ()) -> Sequence[dict[str, JsonValue]]:
    """Return the tools of a tier and those in `added`, as a model sees them. By default, return primary and a few more.

    Descriptions don't mention hidden tools. Results are described only in the manifest.
    """
    tiers, extra = _SHOWN[tier or "primary"], (*added, *(() if tier else _ALWAYS_SHOWN))
    shown = [tool for tool in TOOLS if tool.tier in tiers or tool.name in extra]
    hidden = [tool.name for tool in TOOLS if tool not in shown]
    # A name without an underscore may be an ordinary word, so it counts as a mention only in backticks.
    names = "|".join(rf"\b{name}\b" if "_" in name else f"`{name}`" for name in hidden)
    return [_build_shown_row(row(tool), re.compile(names or "(?!)")) for tool in shown]


def _build_shown_row(whole: dict[str, JsonValue], hidden: re.Pattern[str]) -> dict[str, JsonValue]:
    """Return a tool's row with shortened schemas and without mentions of hidden tools."""
    arguments = _shorten_schema(whole["input_schema"], hidden)
    del arguments["description"]  # the tool's own description suffices
    return {
        **whole,
        "description": without_mentions(str(whole["description"]), hidden),
        "input_schema": {**arguments, "additionalProperties": False},
        "output_schema": _shorten_schema(whole["output_schema"], None),
    }


def _shorten_schema(node: Any, hidden: re.Pattern[str] | None) -> Any:
    """Return a schema without the keywords in `_LEFT_OUT`, to save tokens. If `hidden` is None, omit all descriptions."""
    if isinstance(node, list):
        return [_shorten_schema(item, hidden) for item in node]
    if not isinstance(node, dict):
        return node
    brief = {}
    for name, part in node.items():
        if name == "description" and isinstance(part, str):  # a field may also be called "description"
            part = hidden and without_mentions(part, hidden)
        if part is not None and (name not in _LEFT_OUT or isinstance(part, dict)):
            brief[name] = _shorten_schema(part, hidden)
    return brief


def without_mentions(text: str, hidden: re.Pattern[str]) -> str:
    """Return a text without the clauses that mention hidden tools. A clause ends at a period or semicolon."""
    sentences = []
    for sentence in re.split(r"(?<=\.) (?=[A-Z`])", text):
        shown = "; ".join(clause for clause in sentence.rstrip(".").split("; ") if not hidden.search(clause))
        if shown:
            sentences.append(f"{shown[0].upper() if sentence[0].isupper() else shown[0]}{shown[1:]}.")
    return " ".join(sentences)


def without_answers(row: Row) -> dict[str, JsonValue]:
    """Return a tool's row without the parts that describe results and errors."""
    return {name: part for name, part in row.items() if name not in _ANSWERS}


def row(tool: Tool) -> dict[str, JsonValue]:
    """Return the manifest's row for one tool."""
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
    """Return a model's JSON schema without references and titles. In requests, optional fields are not nullable."""
    built: dict[str, JsonValue] = json.loads(_build_schema(model, mode))  # a new copy, because callers change it
    return built


@functools.cache
def _build_schema(model: type[BaseModel], mode: Any) -> str:
    """Return the schema as JSON. Building a schema takes many times as long as reading it."""
    return json.dumps(flat(model.model_json_schema(mode=mode), nullable=mode == "serialization"))


def flat(whole: dict[str, Any], nullable: bool) -> dict[str, JsonValue]:
    """Return an existing schema without references and titles. If `nullable` is true, null remains a possible value."""
    flat = _flatten(whole, whole.get("$defs", {}), nullable)
    assert isinstance(flat, dict)
    flat.pop("$defs", None)
    return flat


def _flatten(node: Any, definitions: dict[str, Any], nullable: bool) -> Any:
    """Return part of a schema without titles, and with each reference replaced by its definition."""
    if isinstance(node, list):
        return [_flatten(item, definitions, nullable) for item in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        referred = definitions[node["$ref"].rsplit("/", 1)[1]]
        node = {**referred, **{key: value for key, value in node.items() if key != "$ref"}}
    # a discriminator refers to definitions that were inlined
    node = {key: value for key, value in node.items() if key != "discriminator"}
    if not nullable and "anyOf" in node:
        node = _remove_null(node)
        if "anyOf" not in node:
            return _flatten(node, definitions, nullable)
    if "properties" in node:
        rest = {
            key: _flatten(value, definitions, nullable) for key, value in node.items() if key not in ("title", "properties")
        }
        properties = {
            name: _remove_title(_flatten(inner, definitions, nullable)) for name, inner in node["properties"].items()
        }
        return {**rest, "properties": properties}
    return {key: _flatten(value, definitions, nullable) for key, value in node.items()}


def _remove_title(node: Any) -> Any:
    return {key: value for key, value in node.items() if key != "title"} if isinstance(node, dict) else node


def _remove_null(node: dict[str, Any]) -> dict[str, Any]:
    """Remove null from the choices of an `anyOf`. If a single choice remains, it replaces the `anyOf`."""
    choices = [choice for choice in node["anyOf"] if choice.get("type") != "null"]
    fields = {key: value for key, value in node.items() if key != "anyOf" and not (key == "default" and value is None)}
    return {**choices[0], **fields} if len(choices) == 1 else {**fields, "anyOf": choices}
