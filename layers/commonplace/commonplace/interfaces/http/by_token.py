"""The application for several users: a token says whose memories a request is about, and nothing else does."""

import json
import math
import re
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from werkzeug.wrappers import Request, Response

from commonplace import __version__
from commonplace.client.memory import Commonplace
from commonplace.contract.formats.openapi_tokens import write_with_tokens
from commonplace.contract.manifest import rows
from commonplace.domain.errors import CommonplaceError, ErrorCode
from commonplace.interfaces.http.app import ROUTE, LocalApp, Page, failure, json_response
from commonplace.interfaces.http.callers import check_caller, loopback, names_of
from commonplace.interfaces.http.open_memories import OpenMemories
from commonplace.interfaces.http.rates import Rates, Running
from commonplace.interfaces.http.tokens import Holder, TokenFile
from commonplace.interfaces.mcp.opened import Asked
from commonplace.use_cases.dispatch import internal_error

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment

PER_MINUTE = 600
_FAILURES = 20  # requests a minute without a valid token, of one address
_AT_ONCE = 4  # requests of one token, half of the threads
_METHODS = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}
_BEARER = re.compile(r"bearer +([^\s,]+) *", re.IGNORECASE)
_MISSING = "send a token of this server: Authorization: Bearer ..."
_WRONG = "this is no token of this server"

Header = Callable[[str], str | None]
"""The value of a header of a request, by its name."""


@dataclass(frozen=True)
class Household:
    """Several users of one server. `names`: by which a client may call it, besides those of the loopback."""

    tokens: TokenFile
    memories: OpenMemories
    names: tuple[str, ...] = ()
    per_minute: int = PER_MINUTE


def address_of(served: Commonplace | Household, host: str) -> str:
    """Where to listen; without tokens that is the loopback alone. Raises also what is wrong with the file of tokens."""
    if isinstance(served, Commonplace):
        return loopback(host)
    served.tokens.holders()
    names_of(host, served.names)
    return host.strip("[]")


def names_over(served: Commonplace | Household, host: str, bound: str) -> tuple[str, ...]:
    """By which it may be called besides those of the loopback, on the address that the host came to."""
    return names_of(host, served.names, bound) if isinstance(served, Household) else ()


def app_over(
    served: Commonplace | Household, names: tuple[str, ...], port: int, ending: Callable[[], float | None],
    page: Callable[[int], Page] | None,
) -> "LocalApp | TokenApp":  # fmt: skip
    """The application over one memory, with the page for people where one is made, or over those of a household."""
    if isinstance(served, Household):
        return TokenApp(served, names, port, ending)
    return LocalApp(served, port, ending, page and page(port))


class _Admitted(LocalApp):
    """The routes over the memory of who was let in."""

    description = "A long-term memory for AI agents: its tools over HTTP, each user's own by their token."

    def refusal(self, header: Header, *_: str) -> None:  # noqa: ARG002
        return None

    def openapi(self, request: Request) -> Mapping[str, Any]:
        return write_with_tokens(rows(), request.host_url.rstrip("/"))


class TokenApp:
    """The application (WSGI). Each request is logged on stderr, as a line of JSON without any text of it."""

    def __init__(
        self, house: Household, names: Iterable[str], port: int, ending: Callable[[], float | None] = lambda: None
    ) -> None:
        self._house, self._names, self._port, self._ending = house, tuple(names), port, ending
        self._asked, self._failed, self._running = Rates(house.per_minute), Rates(_FAILURES), Running(_AT_ONCE)

    def __call__(self, environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        return self.answer(environ)(environ, start_response)

    def refusal(self, header: Header, address: str, method: str, path: str) -> Response | None:
        """The answer to who has no token of this server, before their body is read. Others are counted when it is there."""
        began, token = time.monotonic(), _BEARER.fullmatch(header("Authorization") or "")
        with suppress(CommonplaceError):  # those can't be read: the answer says so
            if token and self._house.tokens.holder_of(token[1]):
                return None
        with self.admitted(header, address, path) as found:
            if isinstance(found, Holder):  # since just now
                return None
        self.note(began, found, method, None, found.status_code)
        return found

    def answer(self, environ: "WSGIEnvironment") -> Response:
        """The answer to a request, whatever happens."""
        began, request = time.monotonic(), Request(environ)
        with self.admitted(request.headers.get, environ.get("REMOTE_ADDR", ""), request.path) as found:
            answer = self.of_holder(found, environ) if isinstance(found, Holder) else found
        self.note(began, found, request.method, environ.get(ROUTE), answer.status_code)
        return answer

    @contextmanager
    def admitted(self, header: Header, address: str, path: str) -> Iterator[Holder | Response]:
        """Who asks, while their request runs, or the answer to whom this server does not serve."""
        found = self._asking(header, address, path)
        if isinstance(found, Response):
            yield found
        else:
            with self._running.one_more(found.name) as runs:
                yield found if runs else _too_many(1)

    def of_holder(self, holder: Holder, environ: "WSGIEnvironment") -> Response:
        """The answer to a request of who was let in, whatever happens."""
        try:
            with self._house.memories.taken(holder.user) as opened:
                memory = opened.open()
                opened.routes = opened.routes or _Admitted(memory, self._port, self._ending)  # milliseconds to make
                return opened.routes.answer(environ)
        except Exception as error:  # noqa: BLE001 - a memory that can't be opened has its answer, too
            return failure(error if isinstance(error, CommonplaceError) else internal_error(error))

    def asked_by(self, holder: Holder) -> Asked:
        """The memories of who asks, for a model."""
        return self._house.memories.of(holder.user)

    def note(self, began: float, who: object, method: str, route: str | None, status: int) -> None:
        """Logs a request: when, by which token, to which route, and what became of it. `began`: monotonic seconds."""
        told = {
            "time": datetime.now(UTC).isoformat(timespec="milliseconds"),
            "token": who.name if isinstance(who, Holder) else None,
            "method": method if method in _METHODS else None, "route": route, "status": status,
            "ms": round((time.monotonic() - began) * 1000),
        }  # fmt: skip
        sys.stderr.write(json.dumps(told) + "\n")
        sys.stderr.flush()

    def _asking(self, header: Header, address: str, path: str) -> Holder | Response:
        """Who asks, or why they are not served. `/health` is told to anybody, without a number."""
        try:
            check_caller(header("Host"), header("Origin"), header("Sec-Fetch-Site"), self._port, self._names)
            if self._ending() is not None:
                raise CommonplaceError(ErrorCode.STORAGE_UNAVAILABLE, "this server is ending; ask again when it is back")
            given = header("Authorization")
            if given is None and path == "/health":
                return json_response(200, {"status": "ok", "version": __version__})
            token = _BEARER.fullmatch(given or "")
            holder = self._holder(token[1]) if token else None
        except CommonplaceError as error:
            return failure(error)
        wait = self._failed.wait(address) if holder is None else self._asked.wait(holder.name)
        if wait:
            return _too_many(wait)
        return _unauthorized(given is not None) if holder is None else holder

    def _holder(self, token: str) -> Holder | None:
        try:
            return self._house.tokens.holder_of(token)
        except CommonplaceError as error:  # what is the matter with the file is for who runs the server
            sys.stderr.write(f"error: {error.message}; nobody is let in\n")
            raise CommonplaceError(ErrorCode.STORAGE_UNAVAILABLE, "the tokens can't be read now; ask again later") from error


def _too_many(wait: float) -> Response:
    seconds = math.ceil(wait)
    answer = failure(CommonplaceError(ErrorCode.TOO_MANY_REQUESTS, f"too many requests; ask again in {seconds} seconds"))
    answer.headers["Retry-After"] = str(seconds)
    return answer


def _unauthorized(given: bool) -> Response:
    answer = failure(CommonplaceError(ErrorCode.UNAUTHORIZED, _WRONG if given else _MISSING))
    answer.headers["WWW-Authenticate"] = 'Bearer error="invalid_token"' if given else "Bearer"
    return answer
