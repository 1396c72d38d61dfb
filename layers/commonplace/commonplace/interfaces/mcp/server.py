"""Build an MCP server for a memory, and dispatch the protocol's requests."""

from typing import Any, cast, get_args

import mcp_types as types
from mcp.server import Server, ServerRequestContext
from mcp.shared.exceptions import MCPError

from commonplace import __version__
from commonplace.contract.manifest import ShownTier
from commonplace.interfaces.mcp import prompts, resources
from commonplace.interfaces.mcp.opened import UserMemory, of_request
from commonplace.interfaces.mcp.tiers import Tools

_Page = types.PaginatedRequestParams | None


class _Server(Server):
    """A server that announces changes only to its list of tools, and only if it serves subscriptions."""

    def get_capabilities(self, *args: Any, **named: Any) -> types.ServerCapabilities:
        capabilities, serves = super().get_capabilities(*args, **named), "subscriptions/listen" in self._request_handlers
        tools, prompts = types.ToolsCapability(list_changed=serves), types.PromptsCapability(list_changed=False)
        resources = types.ResourcesCapability(subscribe=False, list_changed=False)
        return capabilities.model_copy(update={"tools": tools, "prompts": prompts, "resources": resources})


def server_over(memory: UserMemory, tier: ShownTier | None = None, keeps_lists: bool = True) -> Server:
    """Return a server that lists the tools of `tier`. The memory is opened by the first tool call or resource read.

    `keeps_lists` is True if one process answers all requests of a client. Only then can the list of tools change.
    """
    tools = Tools(memory, keeps_lists)

    async def list_tools(context: ServerRequestContext, _: _Page) -> types.ListToolsResult:
        return types.ListToolsResult(tools=tools.shown(_parse_tier(context) or tier, context))

    async def call(context: ServerRequestContext, params: types.CallToolRequestParams) -> types.CallToolResult:
        return await tools.call(_parse_tier(context) or tier, context, params)

    async def list_resources(_context: ServerRequestContext, _: _Page) -> types.ListResourcesResult:
        return resources.LISTED

    async def list_templates(_context: ServerRequestContext, _: _Page) -> types.ListResourceTemplatesResult:
        return resources.TEMPLATES

    async def read(context: ServerRequestContext, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        result = await tools.in_thread(lambda: resources.read(params.uri, of_request(memory, context.request)))
        assert isinstance(result, types.ReadResourceResult)
        return result

    async def list_prompts(_context: ServerRequestContext, _: _Page) -> types.ListPromptsResult:
        return prompts.LISTED

    async def get_prompt(context: ServerRequestContext, params: types.GetPromptRequestParams) -> types.GetPromptResult:
        return prompts.prompt(params, [tool.name for tool in tools.shown(_parse_tier(context) or tier, context)])

    return _Server(
        "commonplace", version=__version__, title="Commonplace", instructions=prompts.INSTRUCTIONS,
        on_list_tools=list_tools, on_call_tool=call, on_list_resources=list_resources,
        on_list_resource_templates=list_templates, on_read_resource=read, on_list_prompts=list_prompts,
        on_get_prompt=get_prompt, on_subscriptions_listen=tools.listen if keeps_lists else None,
    )  # fmt: skip


def _parse_tier(context: ServerRequestContext) -> ShownTier | None:
    named: str | None = None if context.request is None else context.request.query_params.get("tier")
    if named is not None and named not in get_args(ShownTier):
        raise MCPError(types.INVALID_PARAMS, f"tier: must be one of {', '.join(get_args(ShownTier))}")
    return cast(ShownTier | None, named)
