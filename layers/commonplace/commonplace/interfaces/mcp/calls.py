"""One call of a tool: in a thread of its own, as a model's call, with its progress told."""

import json
import time
from collections.abc import Callable
from typing import Any

from anyio import CapacityLimiter, from_thread, to_thread
from mcp.server import ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS, CallToolRequestParams, CallToolResult, TextContent

from commonplace.contract.manifest import ShownTier
from commonplace.contract.registry import TOOLS
from commonplace.interfaces.mcp.opened import Asked, of_request
from commonplace.interfaces.mcp.tiers import DISCOVER, ToolLists
from commonplace.use_cases.dispatch import status_and_body

_NAMES = {tool.name for tool in TOOLS}
_PAUSE = 0.1  # seconds between two notes of progress
_THREADS = 8


class Calls:
    """The calls of one server, eight at a time."""

    def __init__(self, memory: Asked, lists: ToolLists) -> None:
        self._memory, self._lists, self._limiter = memory, lists, CapacityLimiter(_THREADS)

    async def in_thread(self, work: Callable[[], Any]) -> Any:
        """Does a piece of work of which others need not wait."""
        return await to_thread.run_sync(work, limiter=self._limiter)

    async def call(
        self, context: ServerRequestContext, asked: CallToolRequestParams, tier: ShownTier | None
    ) -> CallToolResult:
        """The answer of a tool, or what is wrong with the call, which is an answer too; raises for no such tool.

        `tier`: what the client is shown; the tool that it discovers joins that list.
        """
        if asked.name not in _NAMES:
            raise MCPError(INVALID_PARAMS, "there is no tool of this name; discover_memory_tools names those that there are")
        report = _reporting(context)

        def work() -> dict[str, Any]:
            return of_request(self._memory, context.request).call(asked.name, asked.arguments or {}, report)

        status, body = await self.in_thread(lambda: status_and_body(work))
        self._lists.note_use(asked.name, context)
        if asked.name == DISCOVER and status == 200:
            named = (body.get("tool_schema") or {}).get("name")
            body = {**body, "tool_list": await self._lists.discovered(named, tier, context)}
        text = [TextContent(type="text", text=json.dumps(body, ensure_ascii=False))]
        if status != 200:  # without structured content, which clients hold against the schema of what comes back
            return CallToolResult(content=text, is_error=True)
        return CallToolResult(content=text, structured_content=body)


def _reporting(context: ServerRequestContext) -> Callable[[int, int | None], None]:
    """Tells the client how far it is, where that asked for it: more each time, and not more often than it can be read."""
    told, at = 0, time.monotonic()

    def report(done: int, of: int | None) -> None:
        nonlocal told, at
        if done > told and (time.monotonic() - at > _PAUSE or done == of):
            told, at = done, time.monotonic()
            from_thread.run(context.session.report_progress, done, of)

    return report
