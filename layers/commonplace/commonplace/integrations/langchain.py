"""Offer the tools of a memory to LangChain and LangGraph agents."""

from typing import TYPE_CHECKING, Any

from commonplace.client.memory import Commonplace
from commonplace.contract.manifest import ShownTier
from commonplace.domain.errors import CommonplaceError, require_extra
from commonplace.integrations.tool_rows import ModelTool, model_tools

if TYPE_CHECKING:
    from langchain_core.tools import StructuredTool


def memory_tools(memory: Commonplace, tier: ShownTier | None = None) -> "list[StructuredTool]":
    """Return the tools for `create_agent(model, tools=memory_tools(memory))`. For `tier`, see `model_tools`.

    A failed call becomes a tool message with the status `error`, and the agent continues.
    """
    require_extra("langchain", "tools for LangChain are asked for")
    return [_build_tool(tool) for tool in model_tools(memory, tier)]


def _build_tool(tool: ModelTool) -> "StructuredTool":
    from langchain_core.tools import StructuredTool, ToolException

    def call(**arguments: Any) -> dict[str, Any]:
        try:
            return tool.call(arguments)
        except CommonplaceError as error:
            raise ToolException(str(error)) from error

    return StructuredTool(
        name=tool.name, description=tool.description, args_schema=tool.schema, func=call, handle_tool_error=True
    )
