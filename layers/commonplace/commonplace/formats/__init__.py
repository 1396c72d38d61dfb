"""The tools as each agent framework loads them: a module per format, each a pure function of the manifest's rows."""

import json
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any

Row = Mapping[str, Any]  # a tool in the manifest

NAMES = (
    "anthropic", "openai", "bedrock-converse", "bedrock-agents", "bedrock-agents-api", "agentcore", "mcp", "openapi",
)  # fmt: skip


def written(name: str, rows: Sequence[Row]) -> Any:
    """The tools of these rows in one of `NAMES`, as plain JSON values."""
    return import_module(f"commonplace.formats.{name.replace('-', '_')}").write(rows)


def text(name: str, rows: Sequence[Row]) -> str:
    """The same as a file's text."""
    return json.dumps(written(name, rows), indent=2, ensure_ascii=False) + "\n"
