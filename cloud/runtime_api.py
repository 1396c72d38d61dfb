"""Lambda's Runtime API, as much of it as the runtime client asks: hands out invocations, takes in what came of them."""

import json
import sys
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from queue import Queue
from threading import Event
from time import time
from typing import Any

ARN = "arn:aws:lambda:eu-central-1:111122223333:function:commonplace"


class RuntimeApi(ThreadingHTTPServer):
    """One container's; listens on a free port of this machine."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.asked: Queue[tuple[bytes, dict[str, str]]] = Queue()
        self.answered: Queue[tuple[str, Any]] = Queue()
        self.ready = Event()
        """Set when the runtime has imported the handler and asks for its first invocation."""

    def invoke(self, event: object, custom: object = None, seconds: float = 29.0) -> Any:
        """What the handler returns, as JSON; `RuntimeError` with what it raised. `custom`: of the client context."""
        headers = {
            "Lambda-Runtime-Aws-Request-Id": str(uuid.uuid4()),
            "Lambda-Runtime-Deadline-Ms": str(round((time() + seconds) * 1000)),
            "Lambda-Runtime-Invoked-Function-Arn": ARN,
        }
        if custom is not None:
            headers["Lambda-Runtime-Client-Context"] = json.dumps({"custom": custom})
        self.asked.put((json.dumps(event).encode(), headers))
        kind, answer = self.answered.get(timeout=seconds + 30)
        if kind != "response":
            raise RuntimeError(answer)
        return answer

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Tells what went wrong here; that a container was ended and its connection with it is no fault."""
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: RuntimeApi

    def do_GET(self) -> None:
        self.server.ready.set()
        self._send(200, *self.server.asked.get())

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.answered.put((self.path.rpartition("/")[2], json.loads(body)))
        self.server.ready.set()  # an error of the import comes before any invocation
        self._send(202, b"{}", {})

    def _send(self, status: int, body: bytes, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in {"Content-Length": str(len(body)), "Content-Type": "application/json", **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *arguments: object) -> None:
        """Nothing: the container's own log tells more."""
