"""Offer the tools of a memory to pydantic-ai agents."""

from typing import TYPE_CHECKING, Any

from commonplace.client.memory import Commonplace
from commonplace.contract.manifest import ShownTier
from commonplace.domain.errors import CommonplaceError, require_extra
from commonplace.integrations.tool_rows import ModelTool, model_tools

if TYPE_CHECKING:
    from pydantic_ai import Tool


def memory_tools(memory: Commonplace, tier: ShownTier | None = None) -> "list[Tool[Any]]":
    """Return the tools for `Agent(model, tools=memory_tools(memory))`. For `tier`, see `model_tools`.

    If a call fails because of its arguments, the model is asked to retry. Any other failure ends the call, but not the run.
    """
    require_extra("pydantic-ai", "tools for pydantic-ai are asked for")
    return [_build_tool(tool) for tool in model_tools(memory, tier)]


def _build_tool(tool: ModelTool) -> "Tool[Any]":
    from pydantic_ai import ModelRetry, Tool, ToolFailed

    def call(**arguments: Any) -> dict[str, Any]:
        try:
            return tool.call(arguments)
        except CommonplaceError as error:
            raise (ModelRetry if error.code.status == 400 else ToolFailed)(str(error)) from error

    return Tool.from_schema(call, name=tool.name, description=tool.description, json_schema=tool.schema)
