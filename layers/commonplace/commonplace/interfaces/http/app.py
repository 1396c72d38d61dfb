"""The local HTTP application: routes, the guard of `Host` and `Origin`, and errors as status and body."""

import json
from collections.abc import Mapping
from typing import Any

from flask import Flask, Response, request
from werkzeug.exceptions import HTTPException, MethodNotAllowed, NotFound, RequestEntityTooLarge

from commonplace import __version__
from commonplace.client.memory import Commonplace
from commonplace.contract import validate
from commonplace.contract.formats.openapi import write_local
from commonplace.contract.manifest import manifest, rows
from commonplace.domain.errors import CommonplaceError, ErrorCode
from commonplace.domain.imports import ImportRequest
from commonplace.domain.strict_json import read_object
from commonplace.interfaces import nightly_routes
from commonplace.use_cases.dispatch import internal_error

_LISTEN_ON = {"127.0.0.1": "127.0.0.1", "localhost": "127.0.0.1", "::1": "::1", "[::1]": "::1"}
_OWN_NAMES = ("127.0.0.1", "localhost", "[::1]")

MAX_BODY = 8_000_000  # bytes

_PATHS = (
    "there are GET /, GET /openapi.json, POST /tools/<tool name>, GET /tools, POST /import, GET /health,"
    f" {nightly_routes.PATHS}"
)
_DESCRIPTION = "A long-term memory for AI agents: its tools over HTTP, for programs of this machine only, without passwords."
_DOCUMENTS = {"openapi": "openapi.json", "tools": "tools", "health": "health"}
_NIGHT = {
    "/interactions": "POST", "/runs": "GET", "/runs/<run_id>": "GET", "/runs/<run_id>/undo": "POST",
    "/runs/<run_id>/approve": "POST", "/runs/<run_id>/discard": "POST", "/history/<key>": "GET",
}  # fmt: skip
_CODES: tuple[tuple[type[HTTPException], ErrorCode, str], ...] = (
    (NotFound, ErrorCode.NOT_FOUND, f"there is nothing at this path; {_PATHS}"),
    (MethodNotAllowed, ErrorCode.METHOD_NOT_ALLOWED, f"this path takes another method; {_PATHS}"),
    (RequestEntityTooLarge, ErrorCode.PAYLOAD_TOO_LARGE, f"the body is longer than {MAX_BODY:,} bytes; send less at a time"),
)


def loopback(host: str) -> str:
    """The address to listen on for a host that was asked for; anything but this machine's loopback is refused."""
    address = _LISTEN_ON.get(host.lower())
    if address is None:
        raise CommonplaceError(
            ErrorCode.INVALID_ARGUMENT,
            "host: this server has no passwords and is for this machine only: it listens on 127.0.0.1, localhost or ::1",
            "host",
        )
    return address


def check_caller(host: str | None, origin: str | None, port: int) -> None:
    """Raises `FORBIDDEN` for a `Host` or `Origin` that is not this server.

    A page on the web can have its own name lead to 127.0.0.1 (DNS rebinding), or post a form here; the browser then
    tells in these headers where the page came from.
    """
    own = {name for each in _OWN_NAMES for name in (each, f"{each}:{port}")}
    if host is None or host.lower() not in own:
        raise CommonplaceError(ErrorCode.FORBIDDEN, f"this server answers to 127.0.0.1:{port} and localhost:{port} only")
    if origin is not None and origin.lower() not in {f"http://{each}:{port}" for each in _OWN_NAMES}:
        raise CommonplaceError(ErrorCode.FORBIDDEN, "this server does not answer web pages")


def make_app(memory: Commonplace, port: int) -> Flask:
    """The application over one memory, which its threads share; `port`: where it is served, for the guard."""
    app = Flask("commonplace", static_folder=None)
    app.config["MAX_CONTENT_LENGTH"] = MAX_BODY
    app.url_map.strict_slashes = app.url_map.merge_slashes = False  # no redirects: a path is there or not
    app.before_request(lambda: check_caller(request.headers.get("Host"), request.headers.get("Origin"), port))
    app.register_error_handler(Exception, failure)

    @app.post("/tools/<name>")
    def call_tool(name: str) -> Response:
        return _json(200, memory.call(name, read_object(request.get_data())))

    @app.get("/tools")
    def list_tools() -> Response:
        return _json(200, manifest())

    @app.post("/import")
    def import_turns() -> Response:
        body = validate.check(ImportRequest, read_object(request.get_data()))
        return _json(200, memory.import_turns(body.turns, keep=body.keep).model_dump(mode="json"))

    @app.get("/")
    def tell_server() -> Response:
        own = {name: f"{request.host_url}{path}" for name, path in _DOCUMENTS.items()}
        return _json(200, {"name": "commonplace", "version": __version__, "description": _DESCRIPTION, **own})

    @app.get("/openapi.json")
    def tell_openapi() -> Response:
        return _json(200, write_local(rows(), request.host_url.rstrip("/")))

    @app.get("/health")
    def tell_health() -> Response:
        state = memory.discover_memory_tools().current_system_state
        return _json(200, {"status": "ok", "version": __version__, "total_memories": state.total_memories})

    def night(**_in_the_path: str) -> Response:
        method = "GET" if request.method == "HEAD" else request.method
        body = lambda: read_object(request.get_data())  # noqa: E731 - read only where a route takes one
        return _json(200, nightly_routes.answer(method, request.path, request.args, body, memory.nights()))

    for path, method in _NIGHT.items():
        app.add_url_rule(path, path, night, methods=[method])
    return app


def failure(error: Exception) -> Response:
    """Any failure as the answer that every way in gives for it; an unknown one is a code and an id."""
    if isinstance(error, CommonplaceError):
        return _json(error.code.status, error.body())
    if not isinstance(error, HTTPException):
        return failure(internal_error(error))
    for kind, code, message in _CODES:
        if isinstance(error, kind):
            answer = failure(CommonplaceError(code, message))
            if isinstance(error, MethodNotAllowed) and error.valid_methods:
                answer.headers["Allow"] = ", ".join(sorted(error.valid_methods))
            return answer
    return failure(CommonplaceError(ErrorCode.INVALID_ARGUMENT, f"the request can't be read: {error.name}"))


def _json(status: int, body: Mapping[str, Any]) -> Response:
    text = json.dumps(body, ensure_ascii=False, allow_nan=False) + "\n"
    headers = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}
    return Response(text, status, headers, mimetype="application/json")
