"""The local server where MCP is installed: uvicorn, ended as the other one is."""

import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Thread

import uvicorn
from mcp.server import Server

from commonplace.client.memory import Commonplace
from commonplace.interfaces.http.app import Page
from commonplace.interfaces.http.by_token import Household, address_of, names_over
from commonplace.interfaces.http.callers import url_of
from commonplace.interfaces.http.listen import LAST_ANSWERS, bind
from commonplace.interfaces.logs import log_without_texts
from commonplace.interfaces.mcp.connections import Connection
from commonplace.interfaces.mcp.opened import OpenedLater
from commonplace.interfaces.mcp.server import server_over
from commonplace.interfaces.mcp.web import application

_ENDING = (signal.SIGINT, signal.SIGTERM)
_KEPT_ALIVE = 120  # seconds between two requests
_CLOSING = 2.0  # seconds for connections to be closed
_TICK = 0.1  # seconds


def listen(
    served: Commonplace | Household, host: str, port: int, ready: Callable[[str], None],
    ending: Callable[[int], None] = lambda _: None, page: Callable[[int], Page] | None = None,
    over: Callable[[OpenedLater], Server] = server_over,
) -> None:  # fmt: skip
    """Serves one memory, or those of a household, as `interfaces.http.listen` does, with `/mcp`; `over`: what that serves."""
    log_without_texts()
    door = bind(address_of(served, host), port)
    bound, port = door.getsockname()[:2]
    names = names_over(served, host, bound)
    config = uvicorn.Config(
        lambda: application(served, names, port, lambda: server.began, page, over), factory=True, http=Connection,
        ws="none", loop="asyncio", log_config=None, log_level="error", access_log=False, server_header=False,
        headers=[("Server", "commonplace")], proxy_headers=False, timeout_keep_alive=_KEPT_ALIVE,
        timeout_graceful_shutdown=1, lifespan="on",
    )  # fmt: skip
    config.load()  # here, and not in the thread, so that what is wrong with it is raised
    server = _Server(config, ending)
    ready(url_of(bound, port, names))
    # Threads for requests are as this one is. They are daemons: nobody waits for those that run when it has to end.
    serving = Thread(target=server.run, args=([door],), daemon=True)
    with _told_of_signals(server.end):
        serving.start()
        while serving.is_alive() and not server.is_over():
            serving.join(_TICK)


@contextmanager
def _told_of_signals(end: Callable[[], None]) -> Iterator[None]:
    before = {number: signal.signal(number, lambda *_: end()) for number in _ENDING}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


class _Server(uvicorn.Server):
    """Lets running requests end, within a minute. `began`: when its end was asked for (monotonic seconds), None before."""

    def __init__(self, config: uvicorn.Config, told: Callable[[int], None]) -> None:
        super().__init__(config)
        self.began: float | None = None
        self._told: Callable[[int], None] | None = told
        self._at_once = False

    def end(self) -> None:
        """Begins the end; asked for again, it comes at once."""
        self._at_once = self.began is not None
        self.began = self.began or time.monotonic()

    def is_over(self) -> bool:
        """Whether nobody waits for it any more, though it may still run."""
        return self._at_once or (self.began is not None and time.monotonic() - self.began > LAST_ANSWERS + _CLOSING)

    def _connections(self) -> list[Connection]:
        return [one for one in self.server_state.connections if isinstance(one, Connection)]

    async def on_tick(self, counter: int) -> bool:
        """Ten times a second: whether it shuts down."""
        for connection in self._connections():
            connection.cut_off_if_late()
        if self.began is not None:
            self._end_if_nothing_runs(self.began)
        return await super().on_tick(counter)

    def _end_if_nothing_runs(self, began: float) -> None:
        running = sum(one.runs for one in self._connections())
        if running and self._told is not None:
            self._told(running)
        self._told = None
        if not running or time.monotonic() - began > LAST_ANSWERS:
            for connection in self._connections():
                if not connection.runs:
                    connection.transport.close()
            self.should_exit = True
