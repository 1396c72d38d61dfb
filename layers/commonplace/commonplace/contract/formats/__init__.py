"""Renders the tools in the formats of agent frameworks. Each format is a pure function of the manifest's rows."""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from commonplace.contract.manifest import Row

NAMES = (
    "anthropic", "openai", "gemini", "bedrock-converse", "bedrock-agents", "bedrock-agents-api", "agentcore", "mcp",
    "openapi",
)  # fmt: skip


def rendered(name: str, rows: Sequence["Row"]) -> Any:
    """Render the tools in `rows` as JSON values. `name` is a format from `NAMES`."""
    from commonplace.contract.formats import aws_agents, model_apis, openapi

    renderers: Mapping[str, Callable[[Sequence[Row]], Any]] = {
        "anthropic": model_apis.anthropic,
        "openai": model_apis.openai,
        "bedrock-converse": model_apis.bedrock_converse,
        "gemini": model_apis.gemini,
        "mcp": model_apis.mcp,
        "bedrock-agents": aws_agents.bedrock_agents,
        "bedrock-agents-api": aws_agents.bedrock_agents_api,
        "agentcore": aws_agents.agentcore,
        "openapi": openapi.write,
    }
    return renderers[name](rows)


def text(name: str, rows: Sequence["Row"]) -> str:
    """Return the rendered tools as JSON text for a file."""
    return json.dumps(rendered(name, rows), indent=2, ensure_ascii=False) + "\n"
