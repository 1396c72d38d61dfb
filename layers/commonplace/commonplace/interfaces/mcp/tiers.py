"""Which tools a client is shown: those of a tier, and each that it asked `discover_memory_tools` for.

Any tool can be called by its name, whatever is shown.
"""

import functools
import time
from collections.abc import Collection

from mcp.server import ServerRequestContext
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler
from mcp.shared.subscriptions import ToolsListChanged
from mcp_types import (
    ListToolsResult,
    SubscriptionsListenRequestParams,
    SubscriptionsListenResult,
    Tool,
    ToolListChangedNotification,
)
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from commonplace.contract.formats.model_apis import mcp
from commonplace.contract.manifest import ShownTier, shown_rows
from commonplace.contract.registry import TOOLS
from commonplace.interfaces.mcp.opened import Asked, of_request

DISCOVER = "discover_memory_tools"
_KEPT = 3_600.0  # seconds that an added tool stays in a list over HTTP after its last use
_BY_A_PERSON = (
    "a person can start this server with `--tier core` (everyday tools) or `--tier all`; over HTTP its address then ends in "
    "`?tier=core` or `?tier=all`"
)


def shown_tools(tier: ShownTier | None, added: Collection[str] = ()) -> list[Tool]:
    """The tools of a tier, or those that are shown where none is named, and the added ones, in the order of the manifest."""
    return list(_tools(tier, frozenset(added)))


@functools.lru_cache(maxsize=64)
def _tools(tier: ShownTier | None, added: frozenset[str]) -> tuple[Tool, ...]:
    return tuple(ListToolsResult.model_validate(mcp(shown_rows(tier, added))).tools)


class _OfOneUser:
    """What the clients of one user added to their list, and when each was last used; and who listens for changes."""

    def __init__(self) -> None:
        self.used: dict[str, float] = {}
        self.bus = InMemorySubscriptionBus()
        self.listen = ListenHandler(self.bus)


class ToolLists:
    """The lists of one server's clients.

    On stdio there is one client. Over HTTP no request knows the one before it, so the clients of a user share what any of
    them added, for an hour after its last use. `keeps`: whether this process answers the next request, too.
    """

    def __init__(self, memory: Asked, keeps: bool = True) -> None:
        self._memory, self.keeps = memory, keeps
        self._users: dict[Asked, _OfOneUser] = {}

    def shown(self, tier: ShownTier | None, context: ServerRequestContext) -> list[Tool]:
        """The tools that a request for the list is answered with."""
        now, used = time.monotonic(), self._of(context).used
        return shown_tools(tier, [name for name, at in used.items() if context.request is None or now - at < _KEPT])

    async def listen(
        self, context: ServerRequestContext, asked: SubscriptionsListenRequestParams
    ) -> SubscriptionsListenResult:
        """Tells a client of changes for as long as it listens (protocol of 2026-07-28)."""
        return await self._of(context).listen(context, asked)

    def note_use(self, name: str, context: ServerRequestContext) -> None:
        """Keeps a tool that was added in the list for longer."""
        used = self._of(context).used
        if name in used:
            used[name] = time.monotonic()

    async def discovered(self, name: str | None, tier: ShownTier | None, context: ServerRequestContext) -> str:
        """Adds a tool to the list and tells the client; returns what the answer says of the list."""
        listed = {tool.name for tool in self.shown(tier, context)}
        if name is None:
            rest = [tool.name for tool in TOOLS if tool.tier == "core" and tool.name not in listed]
            return f"everyday tools that are not in your list: {', '.join(rest) or 'none'}; call {DISCOVER} with tool for one"
        if name in listed:
            return f"{name} is in your list of tools; if your client does not offer it, {_BY_A_PERSON}"
        if not self.keeps:
            return f"call {name} by its name; the list of tools can't change here, so if your client refuses, {_BY_A_PERSON}"
        user = self._of(context)
        user.used[name] = time.monotonic()
        await user.bus.publish(ToolsListChanged())
        if context.protocol_version not in MODERN_PROTOCOL_VERSIONS:  # with the answer: no other way leads back over HTTP
            await context.session.send_notification(ToolListChangedNotification(), related_request_id=context.request_id)
        return f"{name} is in your list of tools now; if your client does not offer it, {_BY_A_PERSON}"

    def _of(self, context: ServerRequestContext) -> _OfOneUser:
        return self._users.setdefault(of_request(self._memory, context.request), _OfOneUser())
