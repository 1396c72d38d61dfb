"""A server on the loopback that answers requests with one JSON body after the other, and keeps what it was sent."""

import json
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class ScriptedApi:
    """Where it listens, and each request's path and body."""

    url: str
    requests: list[tuple[str, Any]] = field(default_factory=list)

    @property
    def bodies(self) -> list[Any]:
        return [body for _, body in self.requests]


@contextmanager
def scripted(answers: Sequence[Any]) -> Iterator[ScriptedApi]:
    """Answers in order; what comes after the end of the script is answered 418."""
    left = iter(answers)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            sent = json.loads(self.rfile.read(int(self.headers["content-length"])))
            api.requests.append((self.path, sent))
            answer = next(left, None)
            body = json.dumps(answer).encode()
            self.send_response(418 if answer is None else 200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def do_PUT(self) -> None:
            self.do_POST()

        def log_message(self, format: str, *args: object) -> None:
            """Says nothing: the tests look at what was recorded."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    api = ScriptedApi(f"http://127.0.0.1:{server.server_port}")
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield api
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
