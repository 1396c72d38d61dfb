"""The local front: it stands in for API Gateway's HTTP API and says so in each answer (`Via`).

It does what the service does with our routes: the token is checked, the request becomes an event of payload format 2.0, the
handler of the route's function runs, and what it returns becomes the answer. It doesn't throttle, knows no IAM, and can't
end a handler that takes longer than 30 seconds.
"""

import base64
import json
import logging
import re
import time
import uuid
from collections.abc import Mapping
from types import TracebackType
from typing import Any, Self
from urllib.parse import parse_qsl, unquote

from cloud.authorizer import Authorizer, Refused
from cloud.invoking import ACCOUNT, Context
from cloud.listener import Listener, Request, Response
from cloud.template import Route

PORT = 8788
_LARGEST_BODY, _LARGEST_EVENT = 10_000_000, 6_291_456  # bytes: of a request; of an event that a function takes
_TEXT = ("text/", "application/json", "application/javascript", "application/xml")
_VIA = "1.1 local front (stands in for API Gateway)"
_log = logging.getLogger("cloud")


class Front:
    """Serves routes on 127.0.0.1 while it is entered; port 0 takes a free one."""

    def __init__(self, routes: Mapping[str, Route], authorizer: Authorizer, port: int = PORT) -> None:
        self._handlers = {key: (route, route.function.handler()) for key, route in routes.items()}
        self._patterns = {key: _pattern(key) for key in routes if "{" in key}
        self._authorizer = authorizer
        self._port = port

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self._listener.server_port}"

    def __enter__(self) -> Self:
        self._listener = Listener(self._port, self.answer)
        return self

    def __exit__(self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None) -> None:
        self._listener.end()

    def answer(self, request: Request) -> Response:
        """The answer to a request, whatever happens to it."""
        key, parameters = self._route(f"{request.method} {unquote(request.path.partition('?')[0])}")
        if key is None:
            return _message(404, "Not Found")
        route, handler = self._handlers[key]
        try:
            claims = {} if route.is_open else self._authorizer.claims(request.headers.get("authorization"), route.scopes)
        except Refused as refused:
            told = f'Bearer scope="{" ".join(route.scopes)}" error="{refused.error}" error_description="{refused.why}"'
            told = told if refused.error else "Bearer"  # what the service says besides is documented for bad tokens only
            return _message(refused.status, "Unauthorized" if refused.status == 401 else "Forbidden", told)
        if len(request.body) > _LARGEST_BODY:
            return _message(413, "Request Entity Too Large")
        event = event_of(request, route, claims) | ({"pathParameters": parameters} if parameters else {})
        if len(json.dumps(event)) > _LARGEST_EVENT:
            return _message(413, "Request Entity Too Large")
        try:
            return response_of(handler(event, Context(route.function.name)))
        except Exception as error:  # noqa: BLE001 - the service tells nobody what a function raised, either
            _log.error("%s: %s", route.key, type(error).__name__, exc_info=error)
            return _message(500, "Internal Server Error")

    def _route(self, asked: str) -> tuple[str | None, dict[str, str]]:
        """The key of the route that a method and path go to, and what stands in the place of its `{names}`."""
        if asked in self._handlers:
            return asked, {}
        found = {key: match for key, pattern in self._patterns.items() if (match := pattern.fullmatch(asked))}
        return next(((key, match.groupdict()) for key, match in found.items()), (None, {}))


def event_of(request: Request, route: Route, claims: Mapping[str, str]) -> dict[str, Any]:
    """The event that the service makes of a request: payload format 2.0."""
    path, _, query = request.path.partition("?")
    headers = {**request.headers, "x-forwarded-proto": "http"}
    cookies = [cookie.strip() for cookie in headers.pop("cookie", "").split(";") if cookie.strip()]
    kind = headers.get("content-type", "")
    body, packed = _body(request.body, not kind or kind.lower().startswith(_TEXT))
    now = time.time()
    event: dict[str, Any] = {
        "version": "2.0",
        "routeKey": route.key,
        "rawPath": unquote(path),
        "rawQueryString": query,
        "headers": headers,
        "requestContext": {
            "accountId": ACCOUNT,
            "apiId": "local",
            **(
                {}
                if route.is_open
                else {"authorizer": {"jwt": {"claims": dict(claims), "scopes": list(route.scopes) or None}}}
            ),
            "domainName": headers.get("host", "").partition(":")[0],
            "domainPrefix": "local",
            "http": {
                "method": request.method,
                "path": unquote(path),
                "protocol": "HTTP/1.1",
                "sourceIp": "127.0.0.1",
                "userAgent": headers.get("user-agent", ""),
            },
            "requestId": uuid.uuid4().hex[:15] + "=",
            "routeKey": route.key,
            "stage": "$default",
            "time": time.strftime("%d/%b/%Y:%H:%M:%S +0000", time.gmtime(now)),
            "timeEpoch": int(now * 1000),
        },
        "isBase64Encoded": packed,
    }
    parameters: dict[str, str] = {}
    for name, value in parse_qsl(query, keep_blank_values=True):
        parameters[name] = f"{parameters[name]},{value}" if name in parameters else value
    more = {"cookies": cookies, "queryStringParameters": parameters, "body": body}
    return event | {name: value for name, value in more.items() if value}


def response_of(told: Any) -> Response:
    """The answer that the service makes of what a handler returns; raises `TypeError` for what it would refuse."""
    if not isinstance(told, dict) or "statusCode" not in told:
        return Response(200, {"Content-Type": "application/json", "Via": _VIA}, json.dumps(told).encode())
    body = told.get("body") or ""
    packed = base64.b64decode(body) if told.get("isBase64Encoded") else body.encode()
    headers = {name: str(value) for name, value in (told.get("headers") or {}).items()}
    if "content-type" not in {name.lower() for name in headers}:
        headers["Content-Type"] = "text/plain;charset=UTF-8"
    return Response(int(told["statusCode"]), {"Via": _VIA} | headers, packed)


def _pattern(key: str) -> re.Pattern[str]:
    return re.compile(re.sub(r"\\\{(\w+)\\\}", r"(?P<\1>[^/]+)", re.escape(key)))


def _body(raw: bytes, text: bool) -> tuple[str, bool]:
    """The body in the event, and whether it is in base64: all that is no text."""
    try:
        if text:
            return raw.decode(), False
    except UnicodeDecodeError:
        pass
    return base64.b64encode(raw).decode(), bool(raw)


def _message(status: int, message: str, told: str | None = None) -> Response:
    headers = {"Content-Type": "application/json", "Via": _VIA} | ({"WWW-Authenticate": told} if told else {})
    return Response(status, headers, json.dumps({"message": message}).encode())
