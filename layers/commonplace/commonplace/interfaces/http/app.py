"""The local HTTP application: routes, the guard of `Host` and `Origin`, and errors as status and body."""

import json
import math
import time
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from werkzeug.exceptions import HTTPException, MethodNotAllowed, NotFound, RequestEntityTooLarge
from werkzeug.routing import Map, Rule
from werkzeug.wrappers import Request, Response

from commonplace import __version__
from commonplace.client.memory import Commonplace
from commonplace.contract import validate
from commonplace.contract.formats.openapi import write_local
from commonplace.contract.manifest import manifest, rows
from commonplace.domain.errors import CommonplaceError, ErrorCode
from commonplace.domain.imports import ImportRequest, StoreManyRequest
from commonplace.domain.strict_json import read_object
from commonplace.domain.transfer import MEDIA, MOST_BYTES
from commonplace.interfaces import nightly_routes
from commonplace.interfaces.http.callers import check_caller
from commonplace.use_cases.dispatch import internal_error

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment

_HEADERS = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}
Page = Callable[[Request], Response]  # for people: it answers what is asked under `/ui`

MAX_BODY = 8_000_000  # bytes
_MOST = {"/uploads": MOST_BYTES}  # bytes, of routes that take more
MOST_READ = max(_MOST.values()) + MAX_BODY
"""Bytes that are read before a body is refused: who is cut off in the middle of sending never sees the answer."""
IMPORT_SECONDS = 5.0
"""That an import, or storing many, still goes on after the server was asked to end; then it says how far it came."""

ROUTE = "commonplace.route"
"""Where a request's environment says which route it took, as a pattern."""
_ENDS = "this server is ending and takes nothing more on; ask again when it is back"
_PATHS = (
    "there are GET /, GET /openapi.json, POST /tools/<tool name>, GET /tools, POST /memories, POST /import,"
    " GET /exports/{id}, POST /uploads, GET /health,"
    f" {nightly_routes.PATHS}"
)
_DOCUMENTS = {"openapi": "openapi.json", "tools": "tools", "health": "health"}
_NIGHT = {
    "/interactions": "POST", "/runs": "GET", "/runs/<run_id>": "GET", "/runs/<run_id>/undo": "POST",
    "/runs/<run_id>/approve": "POST", "/runs/<run_id>/discard": "POST", "/history/<key>": "GET",
    "/memories/<path:memory_id>": "GET", "/feedback": "POST", "/feedback/forget": "POST",
}  # fmt: skip
_CODES: tuple[tuple[type[HTTPException], ErrorCode, str], ...] = (
    (NotFound, ErrorCode.NOT_FOUND, f"there is nothing at this path; {_PATHS}"),
    (MethodNotAllowed, ErrorCode.METHOD_NOT_ALLOWED, f"this path takes another method; {_PATHS}"),
)


class _Request(Request):
    max_content_length = MAX_BODY


class LocalApp:
    """The application (WSGI) over one memory, which its threads share; `port`: where it is served, for the guard.

    `ending`: when the server was asked to end (monotonic seconds), None while it wasn't. `page`: where there is one.
    """

    description = (
        "A long-term memory for AI agents: its tools over HTTP, for programs of this machine only, without passwords."
    )

    def __init__(
        self, memory: Commonplace, port: int, ending: Callable[[], float | None] = lambda: None, page: Page | None = None
    ) -> None:
        self._memory, self._port, self._ending, self._page = memory, port, ending, page
        ways: dict[str, tuple[str, Callable[..., Mapping[str, Any] | Response]]] = {
            "/": ("GET", self._server),
            "/openapi.json": ("GET", self.openapi),
            "/tools/<name>": ("POST", lambda request, name: memory.call(name, read_object(request.get_data()))),
            "/tools": ("GET", lambda _: manifest()),
            "/memories": ("POST", self._store_memories),
            "/import": ("POST", self._import_turns),
            "/exports/<export_id>": ("GET", self._export),
            "/uploads": ("POST", self._upload),
            "/health": ("GET", self._health),
            **{path: (method, self._night) for path, method in _NIGHT.items()},
        }
        rules = [Rule(path, methods=[method], endpoint=way) for path, (method, way) in ways.items()]
        self.url_map = Map(rules, strict_slashes=False, merge_slashes=False)  # no redirects: a path is there or not

    def __call__(self, environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        return self.answer(environ)(environ, start_response)

    def refusal(self, header: Callable[[str], str | None], *_: str) -> Response | None:
        """The answer to whom this server does not answer, whatever they ask, by the headers of their request."""
        try:
            check_caller(header("Host"), header("Origin"), header("Sec-Fetch-Site"), self._port)
        except CommonplaceError as error:
            return failure(error)
        return None if self._ending() is None else failure(CommonplaceError(ErrorCode.STORAGE_UNAVAILABLE, _ENDS))

    def answer(self, environ: "WSGIEnvironment") -> Response:
        """The answer to a request, whatever happens."""
        request = _Request(environ)
        refused = self.refusal(request.headers.get)
        if refused is not None:
            return refused
        if self._page is not None and request.path.split("/")[1:2] == ["ui"]:
            return self._page(request)
        try:
            rule, in_the_path = self.url_map.bind_to_environ(request).match(return_rule=True)
            environ[ROUTE] = rule.rule
            answer = rule.endpoint(request, **in_the_path)
            return answer if isinstance(answer, Response) else json_response(200, answer)
        except RequestEntityTooLarge:
            return failure(too_long(request.path))
        except Exception as error:  # noqa: BLE001 - each has its answer
            return failure(error)

    def _server(self, request: Request) -> Mapping[str, Any]:
        own = {name: f"{request.host_url}{path}" for name, path in _DOCUMENTS.items()}
        return {"name": "commonplace", "version": __version__, "description": self.description, **own}

    def openapi(self, request: Request) -> Mapping[str, Any]:
        """The routes in OpenAPI."""
        return write_local(rows(), request.host_url.rstrip("/"))

    def _store_memories(self, request: Request) -> Mapping[str, Any]:
        body = validate.check(StoreManyRequest, read_object(request.get_data()))
        return self._memory.store_memories(body.memories, wait=body.wait, left=self._left).model_dump(mode="json")

    def _left(self) -> float:
        """Seconds that many things in one call may still take."""
        asked = self._ending()
        return math.inf if asked is None else IMPORT_SECONDS - (time.monotonic() - asked)

    def _import_turns(self, request: Request) -> Mapping[str, Any]:
        body = validate.check(ImportRequest, read_object(request.get_data()))
        if body.messages is not None:
            return self._memory.import_messages(body.messages, body.apply).model_dump(mode="json")
        turns = body.turns or []

        def advance(done: int) -> None:
            if self._left() < 0 and done < len(turns):
                why = f"this server is ending: {done} of {len(turns)} turns are stored; send the same again to go on"
                raise CommonplaceError(ErrorCode.STORAGE_UNAVAILABLE, why)

        return self._memory.import_turns(turns, keep=body.keep, progress=advance).model_dump(mode="json")

    def _export(self, _: Request, export_id: str) -> Response:
        file, body = self._memory.export_file(export_id)
        media, ending = MEDIA[file.format]
        headers = {**_HEADERS, "Content-Disposition": f'attachment; filename="{file.file_id}.{ending}"'}
        return Response(body, 200, headers, content_type=media)

    def _upload(self, request: Request) -> Mapping[str, Any]:
        request.max_content_length = most_of(request.path)
        return self._memory.upload(request.get_data()).model_dump(mode="json")

    def _health(self, _: Request) -> Mapping[str, Any]:
        state = self._memory.discover_memory_tools().current_system_state
        return {"status": "ok", "version": __version__, "total_memories": state.total_memories}

    def _night(self, request: Request, **_in_the_path: str) -> Mapping[str, Any]:
        method = "GET" if request.method == "HEAD" else request.method
        body = lambda: read_object(request.get_data())  # noqa: E731 - read only where a route takes one
        return nightly_routes.answer(method, request.path, request.args, body, self._memory.nights())


def most_of(path: str) -> int:
    """Bytes that a body sent there may have."""
    return _MOST.get(path.rstrip("/"), MAX_BODY)


def too_long(path: str) -> CommonplaceError:
    """What is said of a body that is longer."""
    why = f"the body is longer than {most_of(path):,} bytes; send less at a time"
    return CommonplaceError(ErrorCode.PAYLOAD_TOO_LARGE, why)


def failure(error: Exception) -> Response:
    """Any failure as the answer that every way in gives for it; an unknown one is a code and an id."""
    if isinstance(error, CommonplaceError):
        return json_response(error.code.status, error.body())
    if not isinstance(error, HTTPException):
        return failure(internal_error(error))
    for kind, code, message in _CODES:
        if isinstance(error, kind):
            answer = failure(CommonplaceError(code, message))
            if isinstance(error, MethodNotAllowed) and error.valid_methods:
                answer.headers["Allow"] = ", ".join(sorted(error.valid_methods))
            return answer
    return failure(CommonplaceError(ErrorCode.INVALID_ARGUMENT, f"the request can't be read: {error.name}"))


def json_response(status: int, body: Mapping[str, Any]) -> Response:
    """An answer in JSON."""
    text = json.dumps(body, ensure_ascii=False, allow_nan=False) + "\n"
    return Response(text, status, _HEADERS, mimetype="application/json")
