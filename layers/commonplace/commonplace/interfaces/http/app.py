"""The local server's application (ASGI): the guard, one table of routes, and errors as status and body."""

import json
import math
import re
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from io import BytesIO
from tempfile import TemporaryFile
from typing import IO, Any, NamedTuple, Protocol

from anyio import CapacityLimiter, to_thread
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from commonplace import __version__
from commonplace.client.memory import Commonplace
from commonplace.contract import validate
from commonplace.contract.manifest import manifest
from commonplace.domain.errors import CommonplaceError, ErrorCode
from commonplace.domain.imports import ImportRequest, StoreManyRequest
from commonplace.domain.strict_json import read_object
from commonplace.domain.transfer import MEDIA, MOST_BYTES
from commonplace.interfaces import nightly_routes
from commonplace.interfaces.http.callers import check_caller
from commonplace.interfaces.mcp.opened import OPENED, Asked
from commonplace.use_cases.dispatch import internal_error

MAX_BODY = 8_000_000  # bytes
IMPORT_SECONDS = 5.0
"""How long an import, or storing many, goes on after the server was asked to end; then it says how far it came."""
MCP = "/mcp"
_HEADERS = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}
_ROUTE = "commonplace.route"
"""Where the scope of a request says which route it took, as a pattern."""
_THREADS = 8
_PARAMETER = re.compile(r"<(path:)?(\w+)>")
_PATHS = (
    "there are GET /, GET /openapi.json, POST /tools/<tool name>, GET /tools, POST /memories, POST /import,"
    f" GET /exports/{{id}}, POST /uploads, GET /health, {nightly_routes.PATHS}"
)


class RequestError(CommonplaceError):
    """What the server says itself, before any handler. `headers` go with the answer."""

    def __init__(self, code: ErrorCode, message: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(code, message)
        self.headers = dict(headers or {})


class Route(NamedTuple):
    """A path of the server. The handler gets what stands in brackets by name; `<path:name>` may hold slashes.

    A body of up to `most_bytes` is read; where that is more than `MAX_BODY`, it is spooled to a file.
    """

    path: str
    handler: Callable[..., Any]
    method: str = "GET"
    most_bytes: int = MAX_BODY


class Table:
    """The routes of a server, and the threads that answer its requests."""

    def __init__(self, routes: Iterable[Route]) -> None:
        self._rows = [(re.compile(_PARAMETER.sub(_group, re.escape(route.path))), route) for route in routes]
        self._limiter = CapacityLimiter(_THREADS)

    def match(self, request: Request) -> tuple[Route, dict[str, str]]:
        """The route of a request, and the named parts of its path.

        Raises `RequestError`: `NOT_FOUND`, or `METHOD_NOT_ALLOWED`, which lists the methods of the path.
        """
        path, method = request.scope["path"].removesuffix("/") or "/", request.method
        found = [(route, match.groupdict()) for pattern, route in self._rows if (match := pattern.fullmatch(path))]
        if not found:
            raise RequestError(ErrorCode.NOT_FOUND, f"there is nothing at this path; {_PATHS}")
        for route, parts in found:
            if route.method == ("GET" if method == "HEAD" else method):
                request.scope[_ROUTE] = route.path
                return route, parts
        allowed = ", ".join(sorted({route.method for route, _ in found}))
        raise RequestError(ErrorCode.METHOD_NOT_ALLOWED, f"this path takes another method; {_PATHS}", {"Allow": allowed})

    async def run(self, request: Request, route: Route, respond: Callable[[IO[bytes]], Response]) -> Response:
        """Reads the body within the limit of its route; a thread answers. Raises `ClientDisconnect` and `RequestError`."""
        with TemporaryFile() if route.most_bytes > MAX_BODY else BytesIO() as body:
            if route.method == "POST":
                await _receive(request, route.most_bytes, body)
            return await to_thread.run_sync(respond, body, limiter=self._limiter)


class Site(Protocol):
    """Pages for people, which answer whatever is asked under `/ui`."""

    @property
    def routes(self) -> Iterable[Route]:
        """What it adds to the table."""

    async def answer(self, request: Request, table: Table) -> Response:
        """The answer to a request; `table` has the routes of the site among others."""


class Access(Protocol):
    """Who may ask, and whose memory a request is about. `who`: what `admitted` gave."""

    description: str

    def admitted(self, request: Request) -> AbstractContextManager[Any]:
        """Who asks, while their request runs, or the `Response` to give instead. Raises `CommonplaceError`."""

    def memory(self, who: Any) -> AbstractContextManager[Commonplace]:
        """The memory that a request is about, open for as long as this takes."""

    def for_agents(self, who: Any) -> Asked | None:
        """The same for a model, where it is not the one memory of the server."""

    def openapi(self, url: str) -> Mapping[str, Any]:
        """The routes in OpenAPI."""

    def note(self, began: float, who: Any, method: str, route: str | None, status: int) -> None:
        """Takes note of an answered request. `began`: monotonic seconds."""


class App:
    """The application over one memory, or those of several users.

    `port` and `names`: how clients may call it; `ending`: when the server was asked to end (monotonic seconds), None while
    it wasn't; `mcp`: what speaks the protocol at `/mcp`.
    """

    def __init__(
        self, access: Access, port: int, names: Iterable[str] = (), ending: Callable[[], float | None] = lambda: None,
        page: Site | None = None, mcp: ASGIApp | None = None,
    ) -> None:  # fmt: skip
        self.access, self._port, self._names, self._ending = access, port, tuple(names), ending
        self._page, self._mcp = page, mcp
        self._table = Table((*ROUTES, *(page.routes if page else ()), *([Route(MCP, mcp, "POST")] if mcp else ())))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers a request, whatever happens."""
        request, began, who, status = Request(scope, receive), time.monotonic(), None, 0
        scope[_ROUTE] = MCP if scope["path"] == MCP else None

        async def watched(message: Message) -> None:
            nonlocal status
            if "status" in message:  # the names of headers as most servers write them, for clients that heed their case
                status = message["status"]
                message = {**message, "headers": [(name.title(), value) for name, value in message.get("headers", ())]}
            await send(message)

        try:
            self._guard(request)
            with self.access.admitted(request) as who:
                answer = who if isinstance(who, Response) else await self._answer(request, who)
                await answer(scope, receive, watched)
        except ClientDisconnect:
            return  # nobody waits for an answer, and half a request is none
        except Exception as error:
            if status:
                raise
            await failure(error)(scope, receive, watched)
        self.access.note(began, who, scope["method"], scope[_ROUTE], status)

    def left(self) -> float:
        """Seconds that many things in one call may still take."""
        asked = self._ending()
        return math.inf if asked is None else IMPORT_SECONDS - (time.monotonic() - asked)

    def _guard(self, request: Request) -> None:
        host, origin, site = (header(request, name) for name in ("host", "origin", "sec-fetch-site"))
        check_caller(host, origin, site, self._port, self._names)
        if self._ending() is not None:
            why = "this server is ending and takes nothing more on; ask again when it is back"
            raise CommonplaceError(ErrorCode.STORAGE_UNAVAILABLE, why)

    async def _answer(self, request: Request, who: Any) -> ASGIApp:
        if self._page is not None and request.scope["path"].split("/")[1:2] == ["ui"]:
            return await self._page.answer(request, self._table)
        route, parts = self._table.match(request)
        if route.path == MCP:
            if (asked := self.access.for_agents(who)) is not None:
                request.scope[OPENED] = asked
            return route.handler  # the protocol reads the body itself

        def respond(body: IO[bytes]) -> Response:
            with self.access.memory(who) as memory:
                told = route.handler(Call(request, body, memory, self), **parts)
            return told if isinstance(told, Response) else json_response(200, told)

        return await self._table.run(request, route, respond)


@dataclass(frozen=True)
class Call:
    """A request as its handler gets it, with its body read."""

    request: Request
    body: IO[bytes]
    memory: Commonplace
    app: App

    @property
    def url(self) -> str:
        """The server's address, as the client calls it."""
        return f"{self.request.scope['scheme']}://{self.request.headers['host']}"

    def json(self) -> dict[str, Any]:
        """The body as a JSON object."""
        return read_object(self.body.read())


def header(request: Request, name: str) -> str | None:
    """The value of a header, all of them in one where it was sent several times."""
    given = request.headers.getlist(name)
    return ",".join(given) if given else None


def failure(error: Exception) -> Response:
    """Any failure as the answer that every way in gives for it; an unknown one is a code and an id."""
    known = error if isinstance(error, CommonplaceError) else internal_error(error)
    return json_response(known.code.status, known.body(), known.headers if isinstance(known, RequestError) else {})


def json_response(status: int, body: Mapping[str, Any], headers: Mapping[str, str] | None = None) -> Response:
    """An answer in JSON."""
    text = json.dumps(body, ensure_ascii=False, allow_nan=False) + "\n"
    return Response(text, status, {**_HEADERS, **(headers or {})}, media_type="application/json")


def _group(found: re.Match[str]) -> str:
    return f"(?P<{found[2]}>{'[^/].*' if found[1] else '[^/]+'})"


async def _receive(request: Request, most: int, body: IO[bytes]) -> None:
    """Reads a body into a file; `PAYLOAD_TOO_LARGE` as soon as it is known to be longer than allowed."""
    read, announced = 0, int(request.headers.get("content-length", "0"))
    too_long = RequestError(ErrorCode.PAYLOAD_TOO_LARGE, f"the body is longer than {most:,} bytes; send less at a time")
    if announced > most:
        raise too_long
    async for piece in request.stream():
        read += len(piece)
        if read > most:
            raise too_long
        body.write(piece)
    body.seek(0)


def _server(call: Call) -> Mapping[str, Any]:
    documents = {"openapi": "openapi.json", "tools": "tools", "health": "health"}
    own = {name: f"{call.url}/{path}" for name, path in documents.items()}
    return {"name": "commonplace", "version": __version__, "description": call.app.access.description, **own}


def _store_memories(call: Call) -> Mapping[str, Any]:
    body = validate.check(StoreManyRequest, call.json())
    return call.memory.store_memories(body.memories, wait=body.wait, left=call.app.left).model_dump(mode="json")


def _import_turns(call: Call) -> Mapping[str, Any]:
    body = validate.check(ImportRequest, call.json())

    def advance(done: int) -> None:
        if call.app.left() < 0 and done < len(body.turns):
            why = f"this server is ending: {done} of {len(body.turns)} turns are stored; send the same again to go on"
            raise CommonplaceError(ErrorCode.STORAGE_UNAVAILABLE, why)

    return call.memory.import_turns(body.turns, keep=body.keep, progress=advance).model_dump(mode="json")


def _export(call: Call, export_id: str) -> Response:
    file, body = call.memory.export_file(export_id)
    media, ending = MEDIA[file.format]
    headers = {**_HEADERS, "Content-Disposition": f'attachment; filename="{file.file_id}.{ending}"'}
    return Response(body, 200, headers, media)


def _health(call: Call) -> Mapping[str, Any]:
    state = call.memory.discover_memory_tools().current_system_state
    return {"status": "ok", "version": __version__, "total_memories": state.total_memories}


def _night(call: Call, **_in_the_path: str) -> Mapping[str, Any]:
    method = "GET" if call.request.method == "HEAD" else call.request.method
    return nightly_routes.answer(
        method, call.request.scope["path"], call.request.query_params, call.json, call.memory.nights()
    )  # fmt: skip


ROUTES = (
    Route("/", _server),
    Route("/openapi.json", lambda call: call.app.access.openapi(call.url)),
    Route("/tools", lambda _: manifest()),
    Route("/tools/<name>", lambda call, name: call.memory.call(name, call.json()), "POST"),
    Route("/memories", _store_memories, "POST"),
    Route("/import", _import_turns, "POST"),
    Route("/exports/<export_id>", _export),
    Route("/uploads", lambda call: call.memory.upload(call.body).model_dump(mode="json"), "POST", MOST_BYTES),
    Route("/health", _health),
    Route("/interactions", _night, "POST"),
    Route("/runs", _night),
    Route("/runs/<run_id>", _night),
    Route("/runs/<run_id>/undo", _night, "POST"),
    Route("/runs/<run_id>/approve", _night, "POST"),
    Route("/runs/<run_id>/discard", _night, "POST"),
    Route("/history/<key>", _night),
    Route("/memories/<path:memory_id>", _night),
    Route("/feedback", _night, "POST"),
    Route("/feedback/forget", _night, "POST"),
)
