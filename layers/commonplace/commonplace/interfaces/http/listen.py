"""The HTTP server: its socket, its thread, and an end that lets running requests end."""

import errno
import signal
import socket
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from threading import Thread
from typing import TYPE_CHECKING

import uvicorn
from mcp.server import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.routing import Router

from commonplace.client.memory import Commonplace
from commonplace.domain.errors import CommonplaceError, ErrorCode
from commonplace.interfaces.http.access import Household
from commonplace.interfaces.http.app import App
from commonplace.interfaces.http.callers import loopback, names_of, url_of
from commonplace.interfaces.http.connections import MOST_OPEN, Connection, close_late
from commonplace.interfaces.http.routing import MAX_BODY
from commonplace.interfaces.logs import log_without_texts
from commonplace.interfaces.mcp.opened import OpenedLater
from commonplace.interfaces.mcp.server import server_over

if TYPE_CHECKING:
    from commonplace.interfaces.ui.page import Page

LAST_ANSWERS = 60.0  # seconds for what runs at the end
_ENDING = (signal.SIGINT, signal.SIGTERM)
_KEPT_ALIVE = 120  # seconds between two requests
_CLOSING = 2.0  # seconds for connections to be closed
_TICK = 0.1  # seconds


def listen(
    served: Commonplace | Household, host: str, port: int, ready: Callable[[str], None],
    ending: Callable[[int], None] = lambda _: None, page: "Callable[[int], Page] | None" = None,
    over: Callable[[OpenedLater], Server] = server_over,
) -> None:  # fmt: skip
    """Serves one memory, or those of a household, until SIGINT or SIGTERM. `ready` is told the base URL.

    Requests that run then may end, within a minute; who asks meanwhile is refused. `ending` is told how many run, where any
    do; a second signal ends it at once.

    Port 0 takes a free one. `page` makes the one for people, by the port; `over` makes what `/mcp` serves. Raises
    `INVALID_ARGUMENT` for a host that is not to be listened on, `CONFLICT` for a port in use.
    """
    log_without_texts()
    if isinstance(served, Household):
        served.tokens.holders()  # raises what is wrong with the file
        names_of(host, served.names)
    door = bind(host.strip("[]") if isinstance(served, Household) else loopback(host), port)
    bound, port = door.getsockname()[:2]
    names = names_of(host, served.names, bound) if isinstance(served, Household) else ()

    def application() -> Router:
        memory = OpenedLater(_nobodys if isinstance(served, Household) else lambda: served)
        manager = StreamableHTTPSessionManager(over(memory), stateless=True, max_request_body_size=MAX_BODY)

        @asynccontextmanager
        async def running(_: object) -> AsyncIterator[None]:
            async with manager.run():
                yield

        app = App(served, port, names, lambda: server.began, page and page(port), manager.handle_request)
        return Router(default=app, lifespan=running, redirect_slashes=False)

    config = uvicorn.Config(
        application, factory=True, http=Connection, ws="none", loop="asyncio", log_config=None, log_level="error",
        access_log=False, backlog=MOST_OPEN, server_header=False, headers=[("Server", "commonplace")], proxy_headers=False,
        timeout_keep_alive=_KEPT_ALIVE, timeout_graceful_shutdown=1, lifespan="on",
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


def bind(address: str, port: int) -> socket.socket:
    """A socket that listens there; `CONFLICT` for a port in use."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    try:
        door = socket.create_server((address, port), family=family, backlog=MOST_OPEN)
        # Each connection of it has this from it. Else the end of an answer waits until the client has told that the beginning
        # arrived, which takes it 40 ms: asyncio sets it only where a socket names its protocol.
        door.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return door
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise CommonplaceError(
                ErrorCode.CONFLICT, f"port: {port} is in use; take another one with --port", "port"
            ) from error
        raise CommonplaceError(ErrorCode.INVALID_ARGUMENT, f"port: {port} can't be had: {error.strerror}", "port") from error


def _nobodys() -> Commonplace:
    """Stands where a request of a household brings no memory of its own along, which none does that was let in."""
    raise CommonplaceError(ErrorCode.UNAUTHORIZED, "send a token of this server")


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

    async def on_tick(self, counter: int) -> bool:
        """Ten times a second: whether it shuts down."""
        connections = [one for one in self.server_state.connections if isinstance(one, Connection)]
        close_late(connections)
        if self.began is not None:
            running = sum(one.runs for one in connections)
            if running and self._told is not None:
                self._told(running)
            self._told = None
            if not running or time.monotonic() - self.began > LAST_ANSWERS:
                for connection in connections:
                    if not connection.runs:
                        connection.transport.close()
                self.should_exit = True
        return await super().on_tick(counter)
