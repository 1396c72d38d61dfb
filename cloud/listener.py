"""HTTP on one port of the loopback: each request handed to one function, in a thread of its connection."""

import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

HOP = {"connection", "keep-alive", "transfer-encoding", "content-length", "date", "server"}
"""Headers of one connection only, and those that are made anew for each answer."""


@dataclass(frozen=True)
class Request:
    """A request as it came; the names of its headers in lower case, what came twice joined by a comma."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes

    @property
    def operation(self) -> str:
        """Which operation of DynamoDB is asked for, such as `PutItem`; empty for other servers."""
        return self.headers.get("x-amz-target", "").rpartition(".")[2]


@dataclass(frozen=True)
class Response:
    """What the server, or a fault in its place, says."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class Cut(Exception):  # noqa: N818 - an event, not a mistake
    """The connection ends without an answer, or in the middle of the one given."""

    def __init__(self, response: Response | None = None) -> None:
        super().__init__()
        self.response = response


class Listener(ThreadingHTTPServer):
    """Listens from its making until `end`. Raises `OSError` when the port is in use."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, port: int, answer: Callable[[Request], Response]) -> None:
        self.answer = answer
        self.open: set[_Connection] = set()
        super().__init__(("127.0.0.1", port), _Connection)
        self._thread = threading.Thread(target=self.serve_forever, args=(0.05,), daemon=True)
        self._thread.start()

    def end(self) -> None:
        """Listens no more and ends every connection."""
        self.shutdown()
        self._thread.join()
        self.server_close()
        for connection in list(self.open):
            connection.drop()


class _Connection(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Listener

    def setup(self) -> None:
        super().setup()
        self.server.open.add(self)

    def finish(self) -> None:
        self.server.open.discard(self)
        super().finish()

    def drop(self) -> None:
        """Ends the connection under the feet of whoever uses it."""
        self.close_connection = True
        with suppress(OSError):  # it may have gone already
            self.connection.shutdown(2)

    def handle_one_request(self) -> None:
        try:
            super().handle_one_request()
        except OSError:  # who asked has gone
            self.close_connection = True

    def _serve(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        headers = {name.lower(): ",".join(self.headers.get_all(name, ())) for name in self.headers}
        request = Request(self.command, self.path, headers, body)
        try:
            response = self.server.answer(request)
        except Cut as cut:
            if cut.response is not None:
                self._say(cut.response, len(cut.response.body) // 2)
            self.drop()
        else:
            self._say(response)

    def _say(self, response: Response, length: int | None = None) -> None:
        self.send_response_only(response.status)
        for name, value in response.headers.items():
            if name.lower() not in HOP:
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(response.body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(response.body[:length])

    def log_message(self, format: str, *args: Any) -> None:
        """Says nothing: what came is in `seen`."""

    do_GET = do_POST = do_PUT = do_DELETE = do_HEAD = do_PATCH = _serve  # noqa: N815
