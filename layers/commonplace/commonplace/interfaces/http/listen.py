"""The HTTP server: socket, threads, and graceful shutdown."""

import errno
import logging
import signal
import socket
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from waitress.channel import HTTPChannel
from waitress.server import create_server
from waitress.task import ErrorTask
from waitress.utilities import Error
from waitress.wasyncore import close_all, dispatcher

from commonplace.client.memory import Commonplace
from commonplace.domain.errors import CommonplaceError, ErrorCode
from commonplace.interfaces.http.app import MAX_BODY, LocalApp, failure, loopback

_ENDING = (signal.SIGINT, signal.SIGTERM)
_THREADS = 8
_LAST_ANSWERS = 60.0  # seconds for what runs at the end
_MOST_READ = 4 * MAX_BODY  # read before it is refused: who is cut off in the middle of sending never sees the answer


def listen(memory: Commonplace, host: str, port: int, ready: Callable[[str], None]) -> None:
    """Serves one memory until SIGINT or SIGTERM, and lets running requests end. `ready` is told the base URL.

    Port 0 takes a free one. Raises `INVALID_ARGUMENT` for a host that is not this machine, `CONFLICT` for a port in use.
    """
    _log_without_texts()
    door = _bind(loopback(host), port)
    name, port = door.getsockname()[:2]
    connections: dict[int, object] = {}
    server = create_server(
        LocalApp(memory, port), map=connections, sockets=[door], threads=_THREADS, ident="commonplace",
        max_request_body_size=_MOST_READ, inbuf_overflow=_MOST_READ, clear_untrusted_proxy_headers=True,
    )  # fmt: skip
    server.channel_class = _Channel
    with _ended_by_signals(connections):
        ready(f"http://[{name}]:{port}" if ":" in name else f"http://{name}:{port}")
        server.run()
        server.task_dispatcher.shutdown(timeout=_LAST_ANSWERS)  # its own five seconds end no long import
    close_all(connections)


def _bind(address: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    try:
        return socket.create_server((address, port), family=family)
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise CommonplaceError(
                ErrorCode.CONFLICT, f"port: {port} is in use; take another one with --port", "port"
            ) from error
        raise CommonplaceError(ErrorCode.INVALID_ARGUMENT, f"port: {port} can't be had: {error.strerror}", "port") from error


class _SignalWaker(dispatcher):  # type: ignore[misc]
    """Rung by a signal, it is heard between two requests: an end that breaks in anywhere loses a half closed socket."""

    def writable(self) -> bool:
        return False

    def handle_read(self) -> None:
        if any(number in _ENDING for number in self.recv(64)):
            raise SystemExit  # waitress takes it as the word to let its threads finish


@contextmanager
def _ended_by_signals(connections: dict[int, object]) -> Iterator[None]:
    heard, rung = socket.socketpair()
    heard.setblocking(False)
    rung.setblocking(False)
    _SignalWaker(heard, connections)
    fd = signal.set_wakeup_fd(rung.fileno())
    before = {number: signal.signal(number, lambda *_: None) for number in _ENDING}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(fd)
        rung.close()


class _Refusal(Error):  # type: ignore[misc]  # noqa: N818 - waitress has no types, and it is an answer
    """An error of waitress itself (no HTTP, a body without end) in the form of every other error."""

    def __init__(self, refused: Error) -> None:
        super().__init__("")
        code = ErrorCode.PAYLOAD_TOO_LARGE if refused.code == 413 else ErrorCode.INVALID_ARGUMENT
        self._answer = failure(CommonplaceError(code, f"the request can't be read: {refused.reason}"))

    def to_response(self, ident: str | None = None) -> tuple[str, list[tuple[str, str]], bytes]:  # noqa: ARG002
        return self._answer.status, [("Content-Type", "application/json")], self._answer.get_data()


class _RefusalTask(ErrorTask):  # type: ignore[misc]
    def execute(self) -> None:
        self.request.error = _Refusal(self.request.error)
        super().execute()


class _Channel(HTTPChannel):  # type: ignore[misc]
    error_task_class = _RefusalTask


class WithoutTexts(logging.Formatter):
    """One line, and of an exception only its kind and place: its words may quote what somebody said."""

    def format(self, record: logging.LogRecord) -> str:
        line = f"{record.levelname.lower()}: {record.getMessage()}"
        trace = record.exc_info[2] if record.exc_info else None
        while trace is not None and trace.tb_next is not None:
            trace = trace.tb_next
        return f"{line} at {trace.tb_frame.f_code.co_filename}:{trace.tb_lineno}" if trace else line


def _log_without_texts() -> None:
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(WithoutTexts())
    logging.basicConfig(level=logging.WARNING, handlers=[handler])
    logging.getLogger("waitress.queue").setLevel(logging.ERROR)  # that requests wait for a thread is no news
