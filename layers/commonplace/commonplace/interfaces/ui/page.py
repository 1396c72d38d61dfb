"""The page as a whole: whom it answers, which view answers what, and what every answer carries."""

import mimetypes
import secrets
from contextlib import suppress
from functools import cache
from importlib import resources
from threading import Thread

from werkzeug.exceptions import HTTPException, MethodNotAllowed, NotFound, RequestEntityTooLarge
from werkzeug.routing import Map, Rule
from werkzeug.wrappers import Request, Response

from commonplace.client.memory import Commonplace
from commonplace.domain.errors import CommonplaceError, ErrorCode
from commonplace.interfaces.ui import memory, pictures, runs, search, tags, timeline, transfer, writing
from commonplace.interfaces.ui.look import environment
from commonplace.interfaces.ui.sessions import Session, Sessions
from commonplace.interfaces.ui.visit import HOME, Route, Visit
from commonplace.use_cases.dispatch import internal_error

ROUTES: tuple[Route, ...] = (
    *search.ROUTES, *memory.ROUTES, *timeline.ROUTES, *writing.ROUTES,
    *runs.ROUTES, *tags.ROUTES, *pictures.ROUTES, *transfer.ROUTES,
)  # fmt: skip
_HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self';"
        " form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
    ),
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "same-origin",  # with `no-referrer` browsers send no Origin with a form
    "X-Content-Type-Options": "nosniff",
}
_STATIC = f"{HOME}/static/"
_MOST_PARTS = 10_000  # of a form with files
_CODES: tuple[tuple[type[HTTPException], ErrorCode, str], ...] = (
    (NotFound, ErrorCode.NOT_FOUND, "there is no such page"),
    (MethodNotAllowed, ErrorCode.METHOD_NOT_ALLOWED, "this page is not asked this way"),
    (RequestEntityTooLarge, ErrorCode.PAYLOAD_TOO_LARGE, "this is more than the page takes at once"),
)


def get_ready(memory: Commonplace) -> None:
    """Loads what the first pages need before somebody waits for them; what a question needs meanwhile."""
    for template in environment().list_templates():
        environment().get_template(template)
    memory.list_memories(limit=1)
    Thread(target=_load_search, args=(memory,), daemon=True).start()


def _load_search(memory: Commonplace) -> None:
    with suppress(CommonplaceError):  # nobody asked: who does is told what is the matter
        memory.search_memory("anything", limit=1, counts=False)


class Page:
    """What is served under `/ui` at a port; `token` opens it once."""

    def __init__(self, memory: Commonplace, port: int, token: str) -> None:
        self._memory, self._port, self._sessions = memory, port, Sessions(port, token)
        rules = [Rule(route.path, methods=[route.method], endpoint=route) for route in ROUTES]
        self._map = Map(rules, strict_slashes=False, merge_slashes=False)

    def __call__(self, request: Request) -> Response:
        """The answer to a request, whatever happens; `Host` and a foreign `Origin` are refused before."""
        answer = self._answer(request)
        for name, value in _HEADERS.items():
            answer.headers.setdefault(name, value)
        return answer

    def _answer(self, request: Request) -> Response:
        if request.path.startswith(_STATIC) and request.method in ("GET", "HEAD"):
            return _file(request)
        session = self._sessions.of(request.cookies)
        token = request.args.get("token")
        if token is not None and request.method == "GET":
            return self._opened(token, session)
        if session is None:
            return Response(environment().get_template("closed.html").render(), 401, mimetype="text/html")
        visit = Visit(self._memory, request, session, environment())
        try:
            route, in_the_path = self._map.bind_to_environ(request).match()
            if route.most_bytes is not None:
                request.max_content_length, request.max_form_parts = route.most_bytes, _MOST_PARTS
            if request.method == "POST":
                self._check_form(request, session)
            answer = route.view(visit, **in_the_path)
            assert isinstance(answer, Response)
            return answer
        except Exception as error:  # noqa: BLE001 - each has its page
            known = _known(error)
            return visit.show("error.html", known.code.status, error=known)

    def _opened(self, token: str, session: Session | None) -> Response:
        """Whom the token lets in is led on to an address without it."""
        value = self._sessions.open(token)
        if value is None and session is None:
            return Response(environment().get_template("closed.html").render(), 401, mimetype="text/html")
        answer = Response(status=303, headers={"Location": HOME, "Referrer-Policy": "no-referrer"})
        if value is not None:
            answer.set_cookie(self._sessions.cookie, value, path=HOME, httponly=True, samesite="Strict")
        return answer

    def _check_form(self, request: Request, session: Session) -> None:
        """Raises `FORBIDDEN` for what no form of ours has sent."""
        given = request.form.get("form_token", "").encode()
        origin = (request.headers.get("Origin") or "").lower()
        if origin != request.host_url.rstrip("/").lower() or not secrets.compare_digest(given, session.form_token.encode()):
            why = "this form is not of this page, or of before it was opened anew: load the page again and repeat it"
            raise CommonplaceError(ErrorCode.FORBIDDEN, why)


def _known(error: Exception) -> CommonplaceError:
    """Any failure as one that the page can tell; an unknown one is a code and an id."""
    if isinstance(error, CommonplaceError):
        return error
    for kind, code, message in _CODES:
        if isinstance(error, kind):
            return CommonplaceError(code, message)
    if isinstance(error, HTTPException):
        return CommonplaceError(ErrorCode.INVALID_ARGUMENT, f"the request can't be read: {error.name}")
    return internal_error(error)


@cache
def _files() -> dict[str, bytes]:
    folder = resources.files("commonplace") / "interfaces/ui/static"
    return {file.name: file.read_bytes() for file in folder.iterdir()}


def _file(request: Request) -> Response:
    """A style sheet or a script; they hold nothing of anybody's."""
    name = request.path.removeprefix(_STATIC)
    if name not in _files():
        return Response("there is no such file\n", 404, mimetype="text/plain")
    media = mimetypes.types_map.get(f".{name.rpartition('.')[2]}", "application/octet-stream")
    answer = Response(_files()[name], mimetype=media, headers={"Cache-Control": "no-cache"})
    answer.add_etag()
    return answer.make_conditional(request)
