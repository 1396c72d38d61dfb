"""Offer the tools of a memory to agents of the OpenAI Agents SDK."""

import asyncio
import json
from typing import TYPE_CHECKING, Any

from commonplace.client.memory import Commonplace
from commonplace.contract.manifest import ShownTier
from commonplace.domain.errors import CommonplaceError, require_extra
from commonplace.domain.strict_json import read_object
from commonplace.integrations.tool_rows import ModelTool, model_tools

if TYPE_CHECKING:
    from agents import FunctionTool


def memory_tools(memory: Commonplace, tier: ShownTier | None = None) -> "list[FunctionTool]":
    """Return the tools for `Agent(tools=memory_tools(memory))`. For `tier`, see `model_tools`.

    A failed call is reported to the model as JSON, `{"error": {...}}`, and the run continues.
    """
    require_extra("openai-agents", "tools for the OpenAI Agents SDK are asked for")
    return [_build_tool(tool) for tool in model_tools(memory, tier)]


def _build_tool(tool: ModelTool) -> "FunctionTool":
    from agents import FunctionTool

    def call(arguments: str) -> str:
        try:
            answer: dict[str, Any] = tool.call(read_object(arguments or "{}"))
        except CommonplaceError as error:
            answer = error.body()
        return json.dumps(answer, ensure_ascii=False)

    async def invoked(_context: Any, arguments: str) -> str:
        return await asyncio.to_thread(call, arguments)

    return FunctionTool(
        name=tool.name, description=tool.description, params_json_schema=tool.schema, on_invoke_tool=invoked,
        strict_json_schema=False,
    )  # fmt: skip
