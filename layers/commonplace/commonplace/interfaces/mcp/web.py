"""The local server's application where MCP is installed: `/mcp`, and all else as without it."""

import io
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import Any

from anyio import CapacityLimiter, to_thread
from mcp.server import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.routing import Route
from starlette.types import Message, Receive, Scope, Send
from werkzeug.datastructures import EnvironHeaders
from werkzeug.exceptions import MethodNotAllowed
from werkzeug.wrappers import Response

from commonplace.client.memory import Commonplace
from commonplace.domain.errors import CommonplaceError, ErrorCode
from commonplace.interfaces.http.app import MAX_BODY, MOST_READ, ROUTE, LocalApp, Page, failure, too_long
from commonplace.interfaces.http.by_token import Household, TokenApp, app_over
from commonplace.interfaces.http.tokens import Holder
from commonplace.interfaces.mcp.opened import OPENED, OpenedLater
from commonplace.interfaces.mcp.server import server_over

_THREADS = 8


def application(
    served: Commonplace | Household, names: tuple[str, ...], port: int, ending: Callable[[], float | None],
    page: Callable[[int], Page] | None = None, over: Callable[[OpenedLater], Server] = server_over,
) -> Starlette:  # fmt: skip
    """The ASGI application; `names`, `port`, `ending` and `page` as `app_over` has them, `over`: what `/mcp` serves."""
    local = app_over(served, names, port, ending, page)
    memory = OpenedLater(_nobodys if isinstance(served, Household) else lambda: served)
    manager = StreamableHTTPSessionManager(over(memory), stateless=True, max_request_body_size=MAX_BODY)

    @asynccontextmanager
    async def running(_: Starlette) -> AsyncIterator[None]:
        async with manager.run():
            yield

    guarded = _AskedByToken(local, manager) if isinstance(local, TokenApp) else _Guarded(local, manager)
    whole = Starlette(routes=[Route("/mcp", guarded)], lifespan=running)
    # Not a Mount, which matches no address with a line break in it.
    whole.router.default = _MountedByToken(local) if isinstance(local, TokenApp) else _Mounted(local)
    whole.router.redirect_slashes = False
    return whole


def _nobodys() -> Commonplace:
    """Stands where a request of a household brings no memory of its own along, which none does that was let in."""
    raise CommonplaceError(ErrorCode.UNAUTHORIZED, "send a token of this server")


class _Guarded:
    """The protocol, for whom the other routes would answer too. It is stateless: there is nothing to be got or deleted."""

    def __init__(self, local: LocalApp, manager: StreamableHTTPSessionManager) -> None:
        self._local, self._manager = local, manager

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        environ = _environ(scope)
        refused = self._local.refusal(EnvironHeaders(environ).get)
        if refused is None and scope["method"] != "POST":
            refused = failure(MethodNotAllowed(valid_methods=["POST"]))
        if refused is None:
            await self._manager.handle_request(scope, receive, send)
        else:
            await _send(refused, environ, send)


class _AskedByToken:
    """The same for several users, each with the memories that their token opens."""

    def __init__(self, app: TokenApp, manager: StreamableHTTPSessionManager) -> None:
        self._app, self._manager = app, manager

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        began, status, environ = time.monotonic(), 500, _environ(scope)

        async def sent(message: Message) -> None:
            nonlocal status
            status = message.get("status", status)
            await send(message)

        with self._app.admitted(EnvironHeaders(environ).get, environ["REMOTE_ADDR"], scope["path"]) as found:
            try:
                if isinstance(found, Response):
                    await _send(found, environ, sent)
                elif scope["method"] != "POST":
                    await _send(failure(MethodNotAllowed(valid_methods=["POST"])), environ, sent)
                else:
                    scope[OPENED] = self._app.asked_by(found)
                    await self._manager.handle_request(scope, receive, sent)
            finally:
                self._app.note(began, found, scope["method"], "/mcp", status)


class _Mounted:
    """The other routes: a request is read whole, and answered in a thread, eight at a time."""

    def __init__(self, local: LocalApp) -> None:
        self._local, self._limiter = local, CapacityLimiter(_THREADS)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        environ = _environ(scope)
        with suppress(ClientDisconnect):  # nobody is there for an answer, and half a request is none
            await _send(await _answered(Request(scope, receive), environ, self._local.answer, self._limiter), environ, send)


class _MountedByToken:
    """The same for several users: of who was not let in no body is read."""

    def __init__(self, app: TokenApp) -> None:
        self._app, self._limiter = app, CapacityLimiter(_THREADS)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        began, environ = time.monotonic(), _environ(scope)
        with self._app.admitted(EnvironHeaders(environ).get, environ["REMOTE_ADDR"], scope["path"]) as found:
            try:
                answer = found if isinstance(found, Response) else await self._of(found, Request(scope, receive), environ)
            except ClientDisconnect:
                return
        self._app.note(began, found, scope["method"], environ.get(ROUTE), answer.status_code)
        await _send(answer, environ, send)

    async def _of(self, holder: Holder, request: Request, environ: dict[str, Any]) -> Response:
        return await _answered(request, environ, partial(self._app.of_holder, holder), self._limiter)


async def _answered(
    request: Request, environ: dict[str, Any], answer: Callable[[dict[str, Any]], Response], limiter: CapacityLimiter
) -> Response:
    """The answer to a request when its body is read, and added to `environ`. Raises `ClientDisconnect`."""
    body = await _body(request)
    if body is None:
        refused = failure(too_long(request.scope["path"]))
        refused.headers["Connection"] = "close"  # the rest of it is not read
        return refused
    environ |= {"CONTENT_LENGTH": str(len(body)), "wsgi.input": io.BytesIO(body)}
    return await to_thread.run_sync(answer, environ, limiter=limiter)


async def _body(request: Request) -> bytes | None:
    """The body of a request; None for one that is too long to be read at all. Raises `ClientDisconnect`."""
    if int(request.headers.get("content-length", "0")) > MOST_READ:
        return None
    found = bytearray()
    async for piece in request.stream():
        found += piece
        if len(found) > MOST_READ:
            return None
    return bytes(found)


async def _send(answer: Response, environ: dict[str, Any], send: Send) -> None:
    headers = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in answer.get_wsgi_headers(environ)]
    await send({"type": "http.response.start", "status": answer.status_code, "headers": headers})
    await send({"type": "http.response.body", "body": b"".join(answer.get_app_iter(environ))})


def _environ(scope: Scope) -> dict[str, Any]:
    """The request as WSGI has it, without its body."""
    name, port = scope["server"]
    environ = {
        "REQUEST_METHOD": scope["method"], "SCRIPT_NAME": "", "PATH_INFO": scope["path"].encode().decode("latin-1"),
        "QUERY_STRING": scope["query_string"].decode("latin-1"), "SERVER_PROTOCOL": f"HTTP/{scope['http_version']}",
        "SERVER_NAME": name, "SERVER_PORT": str(port), "REMOTE_ADDR": scope["client"][0], "CONTENT_LENGTH": "0",
        "wsgi.version": (1, 0), "wsgi.url_scheme": "http", "wsgi.input": io.BytesIO(), "wsgi.errors": io.StringIO(),
        "wsgi.multithread": True, "wsgi.multiprocess": False, "wsgi.run_once": False,
    }  # fmt: skip
    for raw, value in scope["headers"]:
        key = raw.decode("latin-1").upper().replace("-", "_")
        if key not in ("CONTENT_LENGTH", "TRANSFER_ENCODING"):
            key = key if key == "CONTENT_TYPE" else f"HTTP_{key}"
            environ[key] = f"{environ[key]},{value.decode('latin-1')}" if key in environ else value.decode("latin-1")
    return environ
