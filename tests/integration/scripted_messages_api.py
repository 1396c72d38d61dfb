"""A server on 127.0.0.1 that speaks the Messages API from a script: each step answers, fails, hangs or drips."""

import json
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

_REQUIRED = ("model", "max_tokens", "messages")
_ON_BEDROCK = ("anthropic_version", "max_tokens", "messages")  # the model is in the path there


@dataclass(frozen=True)
class Answers:
    """A message of one text block or of these blocks, or, with `raw`, these very bytes as a 200."""

    text: str = ""
    stop_reason: str = "end_turn"
    raw: bytes | None = None
    blocks: tuple[dict[str, Any], ...] = ()


@dataclass(frozen=True)
class Fails:
    """An error of the API, with its type and words; `broken` closes the connection without a reply."""

    status: int
    type: str = "api_error"
    message: str = "scripted"
    headers: dict[str, str] = field(default_factory=dict)
    broken: bool = False


@dataclass(frozen=True)
class Hangs:
    """Accepts the request and says nothing until the server ends."""


@dataclass(frozen=True)
class Drips:
    """Sends an answer byte by byte for `seconds`, so that no single read takes long, and then closes the connection."""

    seconds: float = 3.0


@dataclass(frozen=True)
class Received:
    """A request as it came in; `at` on the monotonic clock, in seconds."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]
    at: float

    @property
    def key(self) -> str:
        """The API takes it in either of two headers; which one the SDK uses depends on its version."""
        return self.headers.get("x-api-key", "") or self.headers.get("authorization", "").removeprefix("Bearer ")

    @property
    def on_bedrock(self) -> bool:
        return self.path.startswith("/model/") and self.path.endswith("/invoke")

    def missing(self) -> list[str]:
        """What the API would ask for: at Anthropic also a header, on Bedrock also a field of its own."""
        required = _ON_BEDROCK if self.on_bedrock else _REQUIRED
        missing = [name for name in required if not self.body.get(name)]
        return missing if self.on_bedrock or "anthropic-version" in self.headers else [*missing, "anthropic-version"]

    @property
    def message(self) -> str:
        content = self.body["messages"][0]["content"]
        assert isinstance(content, str)
        return content


Step = Answers | Fails | Hangs | Drips | Callable[[Received], Answers | Fails]


class ScriptedMessagesApi:
    """Use as a context; takes one step of the script per request, in order. What comes after its end is answered 418."""

    def __init__(self, script: Iterable[Step]) -> None:
        self.requests: list[Received] = []
        self._script: Iterator[Step] = iter(script)
        self._lock = threading.Lock()
        self.over = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler_of(self))
        self._server.daemon_threads = True
        self._server.block_on_close = False
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01})

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.over.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def next_step(self, received: Received) -> Step:
        """Records the request, and tells what to do with it."""
        with self._lock:
            self.requests.append(received)
            missing = received.missing()
            if not received.key:
                return Fails(401, "authentication_error", "x-api-key: Field required")
            if missing:
                return Fails(400, "invalid_request_error", f"{missing[0]}: Field required")
            return next(self._script, Fails(418, "api_error", "the script is over"))


def _handler_of(api: ScriptedMessagesApi) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            headers = {name.lower(): value for name, value in self.headers.items()}
            received = Received(self.path, headers, body, time.monotonic())
            step = api.next_step(received)
            if callable(step):
                step = step(received)
            self.close_connection = isinstance(step, Hangs | Drips) or (isinstance(step, Fails) and step.broken)
            match step:
                case Hangs():
                    api.over.wait()
                case Drips():
                    self._drip(step)
                case Answers():
                    self._reply(
                        200, step.raw if step.raw is not None else _message(step, body.get("model", "on-bedrock")), {}
                    )
                case Fails() if not step.broken:
                    error = {"type": "error", "error": {"type": step.type, "message": step.message}}
                    self._reply(step.status, json.dumps(error).encode(), step.headers)

        def _reply(self, status: int, body: bytes, headers: dict[str, str]) -> None:
            self.send_response(status)
            standard = {"content-type": "application/json", "request-id": "req_1", "content-length": str(len(body))}
            for name, value in (standard | headers).items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def _drip(self, step: Drips) -> None:
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", "1000000")
            self.end_headers()
            end = time.monotonic() + step.seconds
            while time.monotonic() < end and not api.over.wait(0.05):
                self.wfile.write(b" ")

        def log_message(self, format: str, *args: object) -> None:
            """Says nothing: the tests look at what was recorded."""

    return Handler


def _message(step: Answers, model: str) -> bytes:
    message = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": step.blocks or [{"type": "text", "text": step.text}],
        "stop_reason": step.stop_reason,
        "stop_sequence": None,
        "usage": {"input_tokens": 1, "output_tokens": 1},
    }
    return json.dumps(message).encode()
