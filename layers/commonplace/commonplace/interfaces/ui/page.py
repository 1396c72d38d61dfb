"""Answer requests to the page. Check access, call the route's view, and add headers to the response."""

import hashlib
import mimetypes
import secrets
from contextlib import nullcontext, suppress
from dataclasses import replace
from functools import cache
from importlib import resources
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread
from typing import IO, cast

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from commonplace.client.memory import Commonplace
from commonplace.domain.errors import CommonplaceError, ErrorCode
from commonplace.interfaces.http.routing import RequestError, Route, Table, address, header
from commonplace.interfaces.ui import memories, pictures, runs, tags, timeline, transfer, writing
from commonplace.interfaces.ui.look import environment
from commonplace.interfaces.ui.uploads import read_form
from commonplace.interfaces.ui.visit import HOME, Session, Sessions, Visit
from commonplace.use_cases.dispatch import internal_error

_HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self';"
        " form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
    ),
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "same-origin",  # with `no-referrer`, browsers send no Origin with a form
    "X-Content-Type-Options": "nosniff",
}
_STATIC = f"{HOME}/static/"
_MESSAGES = {
    ErrorCode.NOT_FOUND: "there is no such page",
    ErrorCode.METHOD_NOT_ALLOWED: "this page does not support this method",
    ErrorCode.PAYLOAD_TOO_LARGE: "the request is too large for this page",
}
"""The messages that people see if the server refuses a request before any view runs."""


def get_ready(memory: Commonplace) -> None:
    """Load the templates and the first memories in advance, and prepare the search in the background."""
    for template in environment().list_templates():
        environment().get_template(template)
    memory.list_memories(limit=1)

    def load_search() -> None:
        with suppress(CommonplaceError):  # no request is affected, because the next search reports the error
            memory.search_memory("anything", limit=1, counts=False)

    Thread(target=load_search, daemon=True).start()


class Page:
    """The pages under `/ui` on one port. The `token` can start only one session."""

    routes: tuple[Route, ...] = (
        *memories.ROUTES, *timeline.ROUTES, *writing.ROUTES,
        *runs.ROUTES, *tags.ROUTES, *pictures.ROUTES, *transfer.ROUTES,
    )  # fmt: skip

    def __init__(self, memory: Commonplace, port: int, token: str) -> None:
        self._memory, self._sessions = memory, Sessions(port, token)

    async def answer(self, request: Request, table: Table) -> Response:
        """Answer a request, or return an error page if it fails. The caller must have checked `Host` and `Origin`."""
        answer = await self._answer_request(request, table)
        for name, value in _HEADERS.items():
            answer.headers.setdefault(name, value)
        return answer

    async def _answer_request(self, request: Request, table: Table) -> Response:
        path = request.scope["path"]
        if path.startswith(_STATIC) and request.method in ("GET", "HEAD"):
            return _serve_file(path.removeprefix(_STATIC), header(request, "if-none-match") or "")
        session = self._sessions.of(request.cookies)
        token = request.query_params.get("token")
        if token is not None and request.method == "GET":
            return self._open_session(token, session)
        if session is None:
            return _respond_closed()
        visit = Visit(self._memory, path, request.query_params, session, environment())
        try:
            route, parts = table.match(request)
            return await table.run(request, route, lambda body: _show_view(visit, request, route, parts, body))
        except ClientDisconnect:
            raise
        except Exception as error:  # noqa: BLE001 - every error gets an error page
            known = error if isinstance(error, CommonplaceError) else internal_error(error)
            if isinstance(error, RequestError):
                known = CommonplaceError(error.code, _MESSAGES[error.code])
            return visit.show("error.html", known.code.status, error=known)

    def _open_session(self, token: str, session: Session | None) -> Response:
        """Start a session if the token is valid, and redirect to the first page. Without a session, return an error page."""
        value = self._sessions.open(token)
        if value is None and session is None:
            return _respond_closed()
        answer = Response(status_code=303, headers={"Location": HOME, "Referrer-Policy": "no-referrer"})
        if value is not None:
            answer.headers["Set-Cookie"] = f"{self._sessions.cookie}={value}; HttpOnly; Path={HOME}; SameSite=Strict"
        return answer


def _show_view(visit: Visit, request: Request, route: Route, parts: dict[str, str], body: IO[bytes]) -> Response:
    """Return a view's response. A form is accepted only if one of this server's own pages sent it."""
    with TemporaryDirectory() if route.method == "POST" else nullcontext("") as named:
        if route.method == "POST":
            fields = read_form(body, header(request, "content-type") or "", Path(named))
            own = address(request).lower()
            token_sent, token = fields.get("form_token", "").encode(), visit.session.form_token.encode()
            if (header(request, "origin") or "").lower() != own or not secrets.compare_digest(token_sent, token):
                why = "this form is not from this page, or it is out of date: reload the page and try again"
                raise CommonplaceError(ErrorCode.FORBIDDEN, why)
            visit = replace(visit, fields=fields, folder=Path(named))
        return cast(Response, route.handler(visit, **parts))


def _respond_closed() -> Response:
    return Response(environment().get_template("closed.html").render(), 401, media_type="text/html")


@cache
def _load_files() -> dict[str, bytes]:
    folder = resources.files("commonplace") / "interfaces/ui/static"
    return {file.name: file.read_bytes() for file in folder.iterdir()}


def _serve_file(name: str, known: str) -> Response:
    """Return a style sheet or script, which contains no user data. `known` contains the ETags that the browser has cached."""
    body = _load_files().get(name)
    if body is None:
        return Response("there is no such file\n", 404, media_type="text/plain")
    headers = {"Cache-Control": "no-cache", "ETag": f'"{hashlib.sha256(body).hexdigest()[:32]}"'}
    if headers["ETag"] in known:
        return Response(status_code=304, headers=headers)
    media = mimetypes.types_map.get(f".{name.rpartition('.')[2]}", "application/octet-stream")
    return Response(body, headers=headers, media_type=media)
