"""Find the route of a request, read the body, and convert failures to error responses."""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from io import BytesIO
from tempfile import TemporaryFile
from typing import IO, Any, NamedTuple

from anyio import CapacityLimiter, to_thread
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message

from commonplace.domain.errors import CommonplaceError, ErrorCode
from commonplace.interfaces import nightly_routes
from commonplace.use_cases.dispatch import internal_error

MAX_BODY = 8_000_000  # bytes
ROUTE = "commonplace.route"
"""The ASGI scope key for the pattern of a request's route."""
HEADERS = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}
_THREADS = 8
_PARAMETER = re.compile(r"<(path:)?(\w+)>")
_PATHS = (
    "there are GET /, GET /openapi.json, POST /tools/<tool name>, GET /tools, POST /memories, POST /import,"
    f" GET /exports/{{id}}, POST /uploads, GET /health, {nightly_routes.PATHS}"
)


class RequestError(CommonplaceError):
    """An error that the server raises before any handler runs. `headers` are sent with the answer."""

    def __init__(self, code: ErrorCode, message: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(code, message)
        self.headers = dict(headers or {})


class Route(NamedTuple):
    """A path on the server. Each part like `<name>` becomes a keyword argument. `<path:name>` may contain slashes.

    `most_bytes` is the maximum size of the body. If it exceeds `MAX_BODY`, the body is written to a temporary file.
    """

    path: str
    handler: Callable[..., Any]
    method: str = "GET"
    most_bytes: int = MAX_BODY


class Table:
    """The routes of a server, and the threads that run the handlers."""

    def __init__(self, routes: Iterable[Route]) -> None:
        self._rows = [(re.compile(_PARAMETER.sub(_build_parameter_group, re.escape(route.path))), route) for route in routes]
        self._limiter = CapacityLimiter(_THREADS)

    def match(self, request: Request) -> tuple[Route, dict[str, str]]:
        """Return the route of a request, and the named parts of its path.

        Raises `RequestError` with `NOT_FOUND`, or with `METHOD_NOT_ALLOWED` and the allowed methods.
        """
        path, method = request.scope["path"].removesuffix("/") or "/", request.method
        matches = [(route, match.groupdict()) for pattern, route in self._rows if (match := pattern.fullmatch(path))]
        for route, parts in matches:
            if route.method == ("GET" if method == "HEAD" else method):
                request.scope[ROUTE] = route.path
                return route, parts
        if not matches:
            raise RequestError(ErrorCode.NOT_FOUND, f"there is nothing at this path; {_PATHS}")
        allowed = ", ".join(sorted({"GET, HEAD" if route.method == "GET" else route.method for route, _ in matches}))
        raise RequestError(ErrorCode.METHOD_NOT_ALLOWED, f"this path takes another method; {_PATHS}", {"Allow": allowed})

    async def run(self, request: Request, route: Route, respond: Callable[[IO[bytes]], Response]) -> Response:
        """Read the body of a request, and call `respond` in a thread. Raises `ClientDisconnect` and `RequestError`."""
        with TemporaryFile() if route.most_bytes > MAX_BODY else BytesIO() as body:
            if route.method == "POST":
                await _receive_body(request, route.most_bytes, body)
            return await to_thread.run_sync(respond, body, limiter=self._limiter)

    async def with_body(self, request: Request, handler: ASGIApp) -> ASGIApp:
        """Read the JSON body of a request, and wrap `handler` in an application that passes this body on."""
        if not (header(request, "content-type") or "").lower().startswith("application/json"):
            raise RequestError(ErrorCode.INVALID_ARGUMENT, "Content-Type: must be application/json")
        await _receive_body(request, MAX_BODY, body := BytesIO())
        read: list[Message] = [{"type": "http.request", "body": body.getvalue(), "more_body": False}]

        async def received() -> Message:
            return read.pop() if read else await request.receive()

        return lambda scope, _, send: handler(scope, received, send)


def header(request: Request, name: str) -> str | None:
    """Return the value of a header, or None. Repeated headers are joined by commas."""
    values = request.headers.getlist(name)
    return ",".join(values) if values else None


def address(request: Request) -> str:
    """Return the base URL of the server, with the host name that the request uses."""
    return f"{request.scope['scheme']}://{request.headers['host']}"


def failure(error: Exception) -> Response:
    """Convert an exception to an error response. For an unexpected exception, the response contains only a code and an id."""
    known = error if isinstance(error, CommonplaceError) else internal_error(error)
    return json_response(known.code.status, known.body(), known.headers if isinstance(known, RequestError) else {})


def json_response(status: int, body: Mapping[str, Any], headers: Mapping[str, str] | None = None) -> Response:
    """Return a response with the body as one line of JSON."""
    text = json.dumps(body, ensure_ascii=False, allow_nan=False) + "\n"
    return Response(text, status, {**HEADERS, **(headers or {})}, media_type="application/json")


def _build_parameter_group(match: re.Match[str]) -> str:
    """Convert `<name>` or `<path:name>` in a route to a named group of a pattern. Only `path:` matches slashes."""
    return f"(?P<{match[2]}>{'[^/].*' if match[1] else '[^/]+'})"


async def _receive_body(request: Request, most: int, body: IO[bytes]) -> None:
    """Write the body of a request to `body`. Raises `PAYLOAD_TOO_LARGE` if the body has more than `most` bytes."""
    size, announced = 0, int(request.headers.get("content-length", "0"))
    too_long = RequestError(ErrorCode.PAYLOAD_TOO_LARGE, f"the body is longer than {most:,} bytes; send less at a time")
    if announced > most:
        raise too_long
    async for piece in request.stream():
        size += len(piece)
        if size > most:
            raise too_long
        body.write(piece)
    body.seek(0)
