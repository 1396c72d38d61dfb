"""Run the HTTP server in a thread, with a shutdown that lets running requests finish."""

import errno
import signal
import socket
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from threading import Thread
from typing import TYPE_CHECKING, Any

import uvicorn
from mcp.server import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.routing import Router

from commonplace.client.memory import Commonplace
from commonplace.domain.errors import CommonplaceError, ErrorCode, invalid
from commonplace.interfaces.http.access import Household
from commonplace.interfaces.http.app import App
from commonplace.interfaces.http.callers import loopback, names_of, url_of
from commonplace.interfaces.http.connections import LOG, MOST_OPEN, Connection, close_late
from commonplace.interfaces.http.routing import MAX_BODY
from commonplace.interfaces.logs import log_without_texts
from commonplace.interfaces.mcp.opened import OpenedLater
from commonplace.interfaces.mcp.server import server_over

if TYPE_CHECKING:
    from commonplace.interfaces.ui.page import Page

LAST_ANSWERS = 60.0  # seconds that running requests have to finish at shutdown
_ENDING = (signal.SIGINT, signal.SIGTERM)
_KEEP_ALIVE = 120  # maximum seconds between two requests on one connection
_CLOSING = 2.0  # seconds that connections have to close
_TICK = 0.1  # seconds


def listen(
    served: Commonplace | Household, host: str, port: int, ready: Callable[[str], None],
    ending: Callable[[int], None] = lambda _: None, page: "Callable[[int], Page] | None" = None,
    over: Callable[[OpenedLater], Server] = server_over,
) -> None:  # fmt: skip
    """Serve the memories of one user or of a household until SIGINT or SIGTERM. `ready` is called with the base URL.

    After a signal, new requests are refused, and running requests have a minute to finish. If any requests are running,
    `ending` receives how many. A second signal ends the server at once. Port 0 stands for any free port. `page` takes the
    port and builds the pages for people. `over` builds the MCP server for `/mcp`. Raises `INVALID_ARGUMENT` for a forbidden
    host, and `CONFLICT` if the port is in use.
    """
    log_without_texts()
    if isinstance(served, Household):
        served.tokens.holders()  # raises if the file is invalid
        names_of(host, served.names)
    listener = bind(host.strip("[]") if isinstance(served, Household) else loopback(host), port)
    bound, port = listener.getsockname()[:2]
    names = names_of(host, served.names, bound) if isinstance(served, Household) else ()

    def application() -> Router:
        memory = OpenedLater(_refuse_access if isinstance(served, Household) else lambda: served)
        manager = StreamableHTTPSessionManager(over(memory), stateless=True, max_request_body_size=MAX_BODY)

        app = App(served, port, names, lambda: server.began, page and page(port), manager.handle_request)

        @asynccontextmanager
        async def running(_: object) -> AsyncIterator[dict[str, Any]]:
            async with manager.run():
                yield {LOG: app.log}

        return Router(default=app, lifespan=running, redirect_slashes=False)

    config = uvicorn.Config(
        application, factory=True, http=Connection, ws="none", loop="asyncio", log_config=None, log_level="error",
        access_log=False, backlog=MOST_OPEN, server_header=False, headers=[("Server", "commonplace")], proxy_headers=False,
        timeout_keep_alive=_KEEP_ALIVE, timeout_graceful_shutdown=1, lifespan="on",
    )  # fmt: skip
    config.load()  # import here, not in the thread, so that errors are raised to the caller
    server = _Server(config, ending)
    ready(url_of(bound, port, names))
    # Request threads inherit the daemon flag of this thread, so that the shutdown need not wait for them.
    serving = Thread(target=server.run, args=([listener],), daemon=True)
    with _handle_signals(server.end):
        serving.start()
        while serving.is_alive() and not server.should_abandon():
            serving.join(_TICK)


def bind(address: str, port: int) -> socket.socket:
    """Return a socket that listens on an address and port. Raises `CONFLICT` if the port is in use."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    try:
        listener = socket.create_server((address, port), family=family, backlog=MOST_OPEN)
        # Accepted connections inherit TCP_NODELAY. Without this option, the end of an answer is held back 40 ms until the
        # client acknowledges the beginning. asyncio sets the option only for sockets that name their protocol.
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return listener
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise CommonplaceError(
                ErrorCode.CONFLICT, f"port: {port} is in use; give another port with --port", "port"
            ) from error
        raise invalid("port", f"{port} can't be had: {error.strerror}") from error


def _refuse_access() -> Commonplace:
    """Raise `UNAUTHORIZED`. Nothing calls this function, as each admitted request of a household has its own memories."""
    raise CommonplaceError(ErrorCode.UNAUTHORIZED, "send a token of this server")


@contextmanager
def _handle_signals(end: Callable[[], None]) -> Iterator[None]:
    """Call `end` on SIGINT and SIGTERM while the block runs."""
    before = {number: signal.signal(number, lambda *_: end()) for number in _ENDING}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


class _Server(uvicorn.Server):
    """A server that lets running requests finish. `began` is the start of the shutdown in monotonic seconds, or None."""

    def __init__(self, config: uvicorn.Config, notify: Callable[[int], None]) -> None:
        super().__init__(config)
        self.began: float | None = None
        self._notify: Callable[[int], None] | None = notify
        self._at_once = False

    def end(self) -> None:
        """Begin the shutdown. A second call ends the server at once."""
        self._at_once = self.began is not None
        self.began = self.began or time.monotonic()

    def should_abandon(self) -> bool:
        """Return whether to stop waiting: after a second signal, or when the time for a shutdown has passed."""
        return self._at_once or (self.began is not None and time.monotonic() - self.began > LAST_ANSWERS + _CLOSING)

    async def on_tick(self, counter: int) -> bool:
        """Return whether to shut down. Uvicorn calls this method ten times a second."""
        connections = [connection for connection in self.server_state.connections if isinstance(connection, Connection)]
        close_late(connections)
        if self.began is not None:
            running = sum(connection.runs for connection in connections)
            if running and self._notify is not None:
                self._notify(running)
            self._notify = None
            if not running or time.monotonic() - self.began > LAST_ANSWERS:
                for connection in connections:
                    if not connection.runs:
                        connection.transport.close()
                self.should_exit = True
        return await super().on_tick(counter)
