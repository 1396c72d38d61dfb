"""List the tools that a client sees, and call tools in threads that can report progress.

A client sees the tools of its tier and those it requested from `discover_memory_tools`, but it may call any tool.
"""

import functools
import json
import time
from collections.abc import Callable, Collection
from typing import Any

from anyio import CapacityLimiter, from_thread, to_thread
from mcp.server import ServerRequestContext
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler
from mcp.shared.exceptions import MCPError
from mcp.shared.subscriptions import ToolsListChanged
from mcp_types import (
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    TextContent,
    Tool,
    ToolListChangedNotification,
)
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from commonplace.contract.formats.model_apis import mcp
from commonplace.contract.manifest import ShownTier, shown_rows
from commonplace.contract.registry import TOOLS, tool_named
from commonplace.contract.sent import as_declared
from commonplace.interfaces.mcp.opened import UserMemory, of_request
from commonplace.use_cases.dispatch import status_and_body

_NAMES = {tool.name for tool in TOOLS}
_DISCOVER = "discover_memory_tools"
_PAUSE = 0.1  # seconds between two progress reports
_THREADS = 8
_LISTED_FOR = 3_600.0  # seconds that an added tool stays in the list of an HTTP client after its last use
_BY_A_PERSON = (
    "if your client does not offer it, a person can start this server with `--tier core` (everyday tools) or `--tier all`; "
    "over HTTP its address ends in `?tier=core` or `?tier=all`"
)


def shown_tools(tier: ShownTier | None, added: Collection[str] = ()) -> list[Tool]:
    """Return the tools of a tier and the added tools, in manifest order. If `tier` is None, the default tools are used."""
    return list(_list_tools(tier, frozenset(added)))


@functools.lru_cache(maxsize=64)
def _list_tools(tier: ShownTier | None, added: frozenset[str]) -> tuple[Tool, ...]:
    return tuple(ListToolsResult.model_validate(mcp(shown_rows(tier, added))).tools)


class Tools:
    """The tools for the clients of one server. At most eight calls run at a time.

    On stdio, there is one client. Over HTTP, all clients of a user share the added tools until an hour after their last use.
    `keeps_lists` is True if this process also receives each client's next requests.
    """

    def __init__(self, memory: UserMemory, keeps_lists: bool) -> None:
        self._memory, self._keeps_lists, self._limiter = memory, keeps_lists, CapacityLimiter(_THREADS)
        self._used: dict[UserMemory, dict[str, float]] = {}
        """Maps each user's memory to its added tools, with the monotonic time in seconds when each was last used."""
        self._changes = InMemorySubscriptionBus()
        self.listen = ListenHandler(self._changes)
        """The handler that notifies subscribed clients of changes, as protocol version 2026-07-28 defines it."""

    async def in_thread(self, work: Callable[[], Any]) -> Any:
        """Run blocking work in a thread."""
        return await to_thread.run_sync(work, limiter=self._limiter)

    def shown(self, tier: ShownTier | None, context: ServerRequestContext) -> list[Tool]:
        """Return the tools that a client sees, which are the tools of `tier` and the added tools."""
        added = self._used.get(of_request(self._memory, context.request), {}).items()
        return shown_tools(
            tier, [name for name, at in added if context.request is None or time.monotonic() - at < _LISTED_FOR]
        )

    async def call(
        self, tier: ShownTier | None, context: ServerRequestContext, params: CallToolRequestParams
    ) -> CallToolResult:
        """Call a tool. If the call fails, the answer contains the error. Raises a protocol error for an unknown tool.

        `tier` is the tier that the client sees. A call to `discover_memory_tools` can add a tool.
        """
        if params.name not in _NAMES:
            raise MCPError(INVALID_PARAMS, "there is no tool of this name; discover_memory_tools lists the tools")
        report, memory = _build_reporter(context), of_request(self._memory, context.request)

        def work() -> dict[str, Any]:
            arguments = as_declared(tool_named(params.name).request, params.arguments or {})
            return memory.call(params.name, arguments, report)

        status, body = await self.in_thread(lambda: status_and_body(work))
        added = self._used.setdefault(memory, {})
        if params.name in added:
            added[params.name] = time.monotonic()
        if params.name == _DISCOVER and status == 200:
            named = (body.get("tool_schema") or {}).get("name")
            body = {**body, "tool_list": await self._add_to_list(named, added, tier, context)}
        text = [TextContent(type="text", text=json.dumps(body, ensure_ascii=False))]
        if status != 200:  # without structured content, which clients validate against the output schema
            return CallToolResult(content=text, is_error=True)
        return CallToolResult(content=text, structured_content=body)

    async def _add_to_list(
        self, name: str | None, added: dict[str, float], tier: ShownTier | None, context: ServerRequestContext
    ) -> str:
        """Add a tool to the client's list if possible. Returns a sentence that describes the list to the model."""
        listed = {tool.name for tool in self.shown(tier, context)}
        if name is None:
            hidden = [tool.name for tool in TOOLS if tool.tier == "core" and tool.name not in listed]
            return (
                f"everyday tools that are not in your list: {', '.join(hidden) or 'none'}; call {_DISCOVER} with tool for one"
            )
        if name in listed:
            return f"{name} is in your list of tools; {_BY_A_PERSON}"
        if not self._keeps_lists:
            return f"call {name} by its name, because the list can't change here; {_BY_A_PERSON}"
        added[name] = time.monotonic()
        await self._changes.publish(ToolsListChanged())
        # send this before the answer, because over HTTP no message can follow the answer
        if context.protocol_version not in MODERN_PROTOCOL_VERSIONS:
            await context.session.send_notification(ToolListChangedNotification(), related_request_id=context.request_id)
        return f"{name} is in your list of tools now; {_BY_A_PERSON}"


def _build_reporter(context: ServerRequestContext) -> Callable[[int, int | None], None]:
    """Return a function that reports progress to the client. Only increases are reported, at a limited rate."""
    reported, at = 0, time.monotonic()

    def report(done: int, of: int | None) -> None:
        nonlocal reported, at
        if done > reported and (time.monotonic() - at > _PAUSE or done == of):
            reported, at = done, time.monotonic()
            from_thread.run(context.session.report_progress, done, of)

    return report
