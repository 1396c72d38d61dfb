"""Offer the tools of a memory to Strands agents."""

from typing import TYPE_CHECKING, Any

from commonplace.client.memory import Commonplace
from commonplace.contract.manifest import ShownTier
from commonplace.domain.errors import CommonplaceError, require_extra
from commonplace.integrations.tool_rows import ModelTool, model_tools

if TYPE_CHECKING:
    from strands.tools.tools import PythonAgentTool
    from strands.types.tools import ToolResult, ToolUse


def memory_tools(memory: Commonplace, tier: ShownTier | None = None) -> "list[PythonAgentTool]":
    """Return the tools for `Agent(tools=memory_tools(memory))`. For `tier`, see `model_tools`.

    A failed call becomes a tool result with the status `error`, and the agent continues.
    """
    require_extra("strands", "tools for Strands Agents are asked for")
    return [_build_tool(tool) for tool in model_tools(memory, tier)]


def _build_tool(tool: ModelTool) -> "PythonAgentTool":
    from strands.tools.tools import PythonAgentTool

    def call(use: "ToolUse", **_state: Any) -> "ToolResult":
        try:
            answer = tool.call(use["input"] or {})
        except CommonplaceError as error:
            return {"toolUseId": use["toolUseId"], "status": "error", "content": [{"text": str(error)}]}
        return {"toolUseId": use["toolUseId"], "status": "success", "content": [{"json": answer}]}

    spec: Any = {"name": tool.name, "description": tool.description, "inputSchema": {"json": tool.schema}}
    return PythonAgentTool(tool.name, spec, call)
