"""The local server where MCP is installed: uvicorn, ended as the other one is."""

import signal
import time
from collections.abc import Callable
from types import FrameType

import uvicorn
from mcp.server import Server

from commonplace.client.memory import Commonplace
from commonplace.interfaces.http.app import Page, loopback
from commonplace.interfaces.http.listen import LAST_ANSWERS, bind
from commonplace.interfaces.logs import log_without_texts
from commonplace.interfaces.mcp.connections import Connection
from commonplace.interfaces.mcp.opened import OpenedLater
from commonplace.interfaces.mcp.server import server_over
from commonplace.interfaces.mcp.web import application

_KEPT_ALIVE = 120  # seconds between two requests


def listen(
    memory: Commonplace, host: str, port: int, ready: Callable[[str], None], ending: Callable[[int], None] = lambda _: None,
    page: Callable[[int], Page] | None = None, over: Callable[[OpenedLater], Server] = server_over,
) -> None:  # fmt: skip
    """Serves one memory, with `/mcp`, as `interfaces.http.listen` does without; `over`: what `/mcp` serves of it."""
    log_without_texts()
    door = bind(loopback(host), port)
    name, port = door.getsockname()[:2]
    config = uvicorn.Config(
        lambda: application(memory, port, lambda: server.began, page and page(port), over), factory=True, http=Connection,
        ws="none", loop="asyncio", log_config=None, log_level="error", access_log=False, server_header=False,
        headers=[("Server", "commonplace")], proxy_headers=False, timeout_keep_alive=_KEPT_ALIVE,
        timeout_graceful_shutdown=1, lifespan="on",
    )  # fmt: skip
    server = _Server(config, ending)
    ready(f"http://[{name}]:{port}" if ":" in name else f"http://{name}:{port}")
    server.run([door])


class _Server(uvicorn.Server):
    """Lets running requests end, within a minute. `began`: when its end was asked for (monotonic seconds), None before."""

    def __init__(self, config: uvicorn.Config, told: Callable[[int], None]) -> None:
        super().__init__(config)
        self.began: float | None = None
        self._told = told

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:  # noqa: ARG002
        signal.signal(sig, signal.SIG_DFL)  # asked for again, it comes at once
        self.began = time.monotonic()
        if running := self._running():
            self._told(running)

    def _connections(self) -> list[Connection]:
        return [one for one in self.server_state.connections if isinstance(one, Connection)]

    def _running(self) -> int:
        return sum(one.runs for one in self._connections())

    async def on_tick(self, counter: int) -> bool:
        """Ten times a second: whether it is over."""
        for connection in self._connections():
            connection.cut_off_if_late()
        if self.began is not None and (not self._running() or time.monotonic() - self.began > LAST_ANSWERS):
            for connection in self._connections():
                if not connection.runs:
                    connection.transport.close()
            self.should_exit = True
        return await super().on_tick(counter)
