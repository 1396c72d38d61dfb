"""The ASGI application of the HTTP server, which checks `Host` and `Origin`, and answers the requests to each route."""

import math
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Any

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from commonplace import __version__
from commonplace.client.memory import Commonplace
from commonplace.contract import validate
from commonplace.contract.formats.openapi import write_local, write_with_tokens
from commonplace.contract.manifest import manifest, rows
from commonplace.contract.registry import tool_named
from commonplace.contract.sent import as_declared
from commonplace.domain.errors import CommonplaceError, ErrorCode
from commonplace.domain.imports import ImportRequest, StoreManyRequest
from commonplace.domain.strict_json import read_object
from commonplace.domain.transfer import MEDIA, MOST_BYTES
from commonplace.interfaces import nightly_routes
from commonplace.interfaces.http.access import Household, Tokens
from commonplace.interfaces.http.callers import check_caller
from commonplace.interfaces.http.routing import HEADERS, ROUTE, Route, Table, address, failure, header, json_response
from commonplace.interfaces.http.tokens import Holder
from commonplace.interfaces.mcp.opened import OPENED

if TYPE_CHECKING:
    from commonplace.interfaces.ui.page import Page

IMPORT_SECONDS = 5.0
"""The number of seconds after a shutdown request until an import or bulk store stops and reports its progress."""
MCP = "/mcp"
_HEADERS = {name.encode(): value.encode() for name, value in HEADERS.items()}
_WHOLE_ADDRESS = re.compile(r"https?://([^/?#]*)(/.*)?", re.IGNORECASE | re.DOTALL)


class App:
    """The application that serves one user's memories or a household's.

    Requests must be addressed to `port`, at a loopback name or one of `names`. `ending` returns the time of the shutdown
    request in monotonic seconds, or None. `page` serves the pages for people. `mcp` serves MCP at `/mcp`.
    """

    def __init__(
        self, served: Commonplace | Household, port: int, names: Iterable[str] = (),
        ending: Callable[[], float | None] = lambda: None, page: "Page | None" = None, mcp: ASGIApp | None = None,
    ) -> None:  # fmt: skip
        self._served, self._port, self._names, self._ending, self._page = served, port, tuple(names), ending, page
        self._tokens = Tokens(served) if isinstance(served, Household) else None
        self.log = self._tokens and self._tokens.log
        self._table = Table((*ROUTES, *(page.routes if page else ()), *([Route(MCP, mcp, "POST")] if mcp else ())))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request. A failed request gets an error response."""
        request, began, status = Request(scope, receive), time.monotonic(), 0
        whole = _WHOLE_ADDRESS.fullmatch(scope["path"])
        if whole:
            scope["path"] = whole[2] or "/"
        scope[ROUTE] = MCP if scope["path"] == MCP else None

        async def watched(message: Message) -> None:
            nonlocal status
            if "status" in message:  # write header names in title case, like most servers, for case-sensitive clients
                status, headers = message["status"], {name.title(): value for name, value in message.get("headers", ())}
                message = {**message, "headers": [*({**_HEADERS, **headers} if scope[ROUTE] == MCP else headers).items()]}
            await send(message)

        try:
            self._check_request(request, whole and whole[1])
            with self._tokens.admitted(request) if self._tokens else nullcontext() as admitted:
                answer = admitted if isinstance(admitted, Response) else await self._answer_request(request, admitted)
                await answer(scope, receive, watched)
        except ClientDisconnect:
            return  # the client is gone, and an incomplete request must not be processed
        except Exception as error:
            if status:
                raise
            await failure(error)(scope, receive, watched)
        if self.log:
            self.log(began, scope, status)

    def left(self) -> float:
        """Return the number of seconds that a bulk operation may still take in this call."""
        ended_at = self._ending()
        return math.inf if ended_at is None else IMPORT_SECONDS - (time.monotonic() - ended_at)

    def _check_request(self, request: Request, named: str | None) -> None:
        """Raise an error if the request is invalid for any route. `named` is the host in an absolute request target."""
        host, origin, site = (header(request, name) for name in ("host", "origin", "sec-fetch-site"))
        for name in (host, host if named is None else named):
            check_caller(name, origin, site, self._port, self._names)
        if {"content-length", "transfer-encoding"} <= set(request.headers):
            why = "the request gives the length of its body twice: Content-Length, and Transfer-Encoding: chunked"
            raise CommonplaceError(ErrorCode.INVALID_ARGUMENT, why)
        if self._ending() is not None:
            why = "this server is stopping and accepts no new requests; try again when it is back"
            raise CommonplaceError(ErrorCode.STORAGE_UNAVAILABLE, why)

    async def _answer_request(self, request: Request, holder: Holder | None) -> ASGIApp:
        if self._page is not None and request.scope["path"].split("/")[1:2] == ["ui"]:
            return await self._page.answer(request, self._table)
        route, parts = self._table.match(request)
        if route.path == MCP:
            if holder is not None and isinstance(self._served, Household):
                request.scope[OPENED] = self._served.memories.of(holder.user)
            return await self._table.with_body(request, route.handler)

        def respond(body: IO[bytes]) -> Response:
            with self._open_memory(holder) as memory:
                result = route.handler(Call(request, body, memory, self.left, holder is not None), **parts)
            return result if isinstance(result, Response) else json_response(200, result)

        return await self._table.run(request, route, respond)

    @contextmanager
    def _open_memory(self, holder: Holder | None) -> Iterator[Commonplace]:
        """Yield the memories of the only user, or of the token's owner if a household is served."""
        if isinstance(self._served, Commonplace):
            yield self._served
        elif holder is not None:
            with self._served.memories.taken(holder.user) as opened:
                yield opened.open()


@dataclass(frozen=True)
class Call:
    """A request with its body. `left` returns the number of seconds that a bulk operation may still take."""

    request: Request
    body: IO[bytes]
    memory: Commonplace
    left: Callable[[], float]
    by_token: bool

    def json(self) -> dict[str, Any]:
        """Return the body as a JSON object."""
        return read_object(self.body.read())


def _describe_server(call: Call) -> Mapping[str, Any]:
    scope = "each user's own by their token" if call.by_token else "for programs of this machine only, without passwords"
    documents = {"openapi": "openapi.json", "tools": "tools", "health": "health"}
    own = {name: f"{address(call.request)}/{path}" for name, path in documents.items()}
    description = f"A long-term memory for AI agents: its tools over HTTP, {scope}."
    return {"name": "commonplace", "version": __version__, "description": description, **own}


def _store_memories(call: Call) -> Mapping[str, Any]:
    body = validate.check(StoreManyRequest, as_declared(StoreManyRequest, call.json()))
    return call.memory.store_memories(body.memories, wait=body.wait, left=call.left).model_dump(mode="json")


def _import_conversation(call: Call) -> Mapping[str, Any]:
    body = validate.check(ImportRequest, as_declared(ImportRequest, call.json()))
    if body.messages is not None:
        return call.memory.import_messages(body.messages, body.apply).model_dump(mode="json")
    turns = body.turns or []

    def advance(done: int) -> None:
        if call.left() < 0 and done < len(turns):
            why = f"this server is stopping: {done} of {len(turns)} turns are stored; send the same again to continue"
            raise CommonplaceError(ErrorCode.STORAGE_UNAVAILABLE, why)

    return call.memory.import_turns(turns, keep=body.keep, progress=advance).model_dump(mode="json")


def _get_export(call: Call, export_id: str) -> Response:
    file, body = call.memory.export_file(export_id)
    media, ending = MEDIA[file.format]
    headers = {**HEADERS, "Content-Disposition": f'attachment; filename="{file.file_id}.{ending}"'}
    return Response(body, 200, headers, media)


def _report_health(call: Call) -> Mapping[str, Any]:
    state = call.memory.discover_memory_tools().current_system_state
    return {"status": "ok", "version": __version__, "total_memories": state.total_memories}


def _answer_night(call: Call, **_in_the_path: str) -> Mapping[str, Any]:
    method = "GET" if call.request.method == "HEAD" else call.request.method
    return nightly_routes.answer(
        method, call.request.scope["path"], call.request.query_params, call.json, call.memory.nights()
    )  # fmt: skip


ROUTES = (
    Route("/", _describe_server),
    Route("/openapi.json", lambda call: (write_with_tokens if call.by_token else write_local)(rows(), address(call.request))),
    Route("/tools", lambda _: manifest()),
    Route(
        "/tools/<name>", lambda call, name: call.memory.call(name, as_declared(tool_named(name).request, call.json())), "POST"
    ),
    Route("/memories", _store_memories, "POST"),
    Route("/import", _import_conversation, "POST"),
    Route("/exports/<export_id>", _get_export),
    Route("/uploads", lambda call: call.memory.upload(call.body).model_dump(mode="json"), "POST", MOST_BYTES),
    Route("/health", _report_health),
    Route("/interactions", _answer_night, "POST"),
    Route("/runs", _answer_night),
    Route("/runs/<run_id>", _answer_night),
    Route("/runs/<run_id>/undo", _answer_night, "POST"),
    Route("/runs/<run_id>/approve", _answer_night, "POST"),
    Route("/runs/<run_id>/discard", _answer_night, "POST"),
    Route("/history/<key>", _answer_night),
    Route("/memories/<path:memory_id>", _answer_night),
    Route("/feedback", _answer_night, "POST"),
    Route("/feedback/forget", _answer_night, "POST"),
)
