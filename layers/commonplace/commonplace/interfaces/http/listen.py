"""The HTTP server: socket, threads, and an end that lets running requests end."""

import errno
import logging
import signal
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

from waitress.server import create_server
from waitress.wasyncore import close_all, dispatcher

from commonplace.client.memory import Commonplace
from commonplace.domain.errors import CommonplaceError, ErrorCode
from commonplace.interfaces.http.app import MOST_READ, Page
from commonplace.interfaces.http.by_token import Household, address_of, app_over, names_over
from commonplace.interfaces.http.callers import url_of
from commonplace.interfaces.http.connections import Channel
from commonplace.interfaces.logs import log_without_texts

_ENDING = (signal.SIGINT, signal.SIGTERM)
_THREADS = 8
LAST_ANSWERS = 60.0  # seconds for what runs at the end


def listen(
    served: Commonplace | Household, host: str, port: int, ready: Callable[[str], None],
    ending: Callable[[int], None] = lambda _: None, page: Callable[[int], Page] | None = None,
) -> None:  # fmt: skip
    """Serves one memory, or those of a household, until SIGINT or SIGTERM. `ready` is told the base URL.

    Requests that run then may end, within a minute; who asks meanwhile is refused. `ending` is told how many run, where any
    do; a second signal ends it at once.

    Port 0 takes a free one. `page` makes the one for people, by the port. Raises `INVALID_ARGUMENT` for a host that is not
    to be listened on, `CONFLICT` for a port in use.
    """
    log_without_texts()
    logging.getLogger("waitress.queue").setLevel(logging.ERROR)  # that requests wait for a thread is no news
    door = bind(address_of(served, host), port)
    bound, port = door.getsockname()[:2]
    names = names_over(served, host, bound)
    connections: dict[int, Any] = {}
    end = _End(ending)
    app = app_over(served, names, port, lambda: end.began, page)
    server = create_server(
        app, map=connections, sockets=[door], threads=_THREADS,
        ident="commonplace", max_request_body_size=MOST_READ, inbuf_overflow=MOST_READ, clear_untrusted_proxy_headers=True,
    )  # fmt: skip
    server.channel_class = partial(Channel, app.refusal)
    with _ended_by_signals(connections, end):
        ready(url_of(bound, port, names))
        server.run()
    close_all(connections)


def bind(address: str, port: int) -> socket.socket:
    """A socket that listens there; `CONFLICT` for a port in use."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    try:
        door = socket.create_server((address, port), family=family)
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


@dataclass
class _End:
    """The end of the server. `began`: when it was asked for (monotonic seconds), None before."""

    told: Callable[[int], None]
    began: float | None = None

    def ask(self, running: int) -> None:
        """Begins it; asked for again, it comes at once."""
        if self.began is not None:
            raise SystemExit
        self.began = time.monotonic()
        if running:
            self.told(running)

    def come(self, running: int) -> None:
        """Raises `SystemExit`, which waitress takes as the word to stop, where nothing runs any more or it took too long."""
        if self.began is not None and (not running or time.monotonic() - self.began > LAST_ANSWERS):
            raise SystemExit


class _SignalWaker(dispatcher):  # type: ignore[misc]
    """Rung by a signal, it is heard between two requests: an end that breaks in anywhere loses a half closed socket."""

    def __init__(self, heard: socket.socket, connections: dict[int, Any], end: _End) -> None:
        super().__init__(heard, connections)
        self._connections, self._end = connections, end

    def _running(self) -> int:
        channels = [one for one in self._connections.values() if isinstance(one, Channel)]
        return sum(bool(channel.requests or channel.total_outbufs_len) for channel in channels)

    def readable(self) -> bool:
        self._end.come(self._running())
        return True

    def writable(self) -> bool:
        return False

    def handle_read(self) -> None:
        if any(number in _ENDING for number in self.recv(64)):
            self._end.ask(self._running())


@contextmanager
def _ended_by_signals(connections: dict[int, Any], end: _End) -> Iterator[None]:
    heard, rung = socket.socketpair()
    heard.setblocking(False)
    rung.setblocking(False)
    _SignalWaker(heard, connections, end)
    fd = signal.set_wakeup_fd(rung.fileno())
    before = {number: signal.signal(number, lambda *_: None) for number in _ENDING}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(fd)
        rung.close()
