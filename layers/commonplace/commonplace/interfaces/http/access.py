"""Control access to a server for several users. Only the token determines whose memories a request uses."""

import json
import math
import re
import sys
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from threading import Lock

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Scope

from commonplace import __version__
from commonplace.domain.errors import CommonplaceError, ErrorCode
from commonplace.interfaces.http.open_memories import OpenMemories
from commonplace.interfaces.http.routing import ROUTE, RequestError, header, json_response
from commonplace.interfaces.http.tokens import Holder, TokenFile

PER_MINUTE = 600
HOLDER = "commonplace.holder"
"""The ASGI scope key for the owner of a request's token."""
_FAILURES = 20  # maximum requests per minute without a valid token, per address
_AT_ONCE = 4  # maximum concurrent requests per token, which is half of the threads
_MOST_CALLERS = 4096  # number of callers whose rates are remembered
_METHODS = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}
_BEARER = re.compile(r"bearer +([^\s,]+) *", re.IGNORECASE)


@dataclass(frozen=True)
class Household:
    """The users of a server with tokens. Clients may address the server by any of `names`, or by a loopback name."""

    tokens: TokenFile
    memories: OpenMemories
    names: tuple[str, ...] = ()
    per_minute: int = PER_MINUTE


class Tokens:
    """Admits requests with a valid token, and logs each request on stderr as a line of JSON without user text."""

    def __init__(self, house: Household) -> None:
        self._house, self._running = house, Running(_AT_ONCE)
        self._asked, self._failed = Rates(house.per_minute), Rates(_FAILURES)

    @contextmanager
    def admitted(self, request: Request) -> Iterator[Holder | Response]:
        """Yield the owner of the token while the request runs. For `/health` without a token, yield a public answer.

        Raises `CommonplaceError` if the request is not admitted.
        """
        authorization = header(request, "authorization")
        if authorization is None and request.scope["path"] == "/health":
            yield json_response(200, {"status": "ok", "version": __version__})
            return
        token = _BEARER.fullmatch(authorization or "")
        request.scope[HOLDER] = holder = self._find_holder(token[1]) if token else None
        address = request.client.host if request.client else ""
        wait = self._failed.wait(address) if holder is None else self._asked.wait(holder.name)
        if wait:
            raise _build_rate_error(wait)
        if holder is None:
            why, asks = "this is no token of this server", 'Bearer error="invalid_token"'
            if authorization is None:
                why, asks = "send a token of this server: Authorization: Bearer ...", "Bearer"
            raise RequestError(ErrorCode.UNAUTHORIZED, why, {"WWW-Authenticate": asks})
        with self._running.admit(holder.name) as runs:
            if not runs:
                raise _build_rate_error(1)
            yield holder

    def log(self, began: float, scope: Scope, status: int) -> None:
        """Log a request's time, token name, route and status. The request began at the monotonic time `began`, in seconds."""
        holder, method = scope.get(HOLDER), scope["method"]
        fields = {
            "time": datetime.now(UTC).isoformat(timespec="milliseconds"), "token": holder and holder.name,
            "method": method if method in _METHODS else None, "route": scope[ROUTE], "status": status,
            "ms": round((time.monotonic() - began) * 1000),
        }  # fmt: skip
        sys.stderr.write(json.dumps(fields) + "\n")
        sys.stderr.flush()

    def _find_holder(self, token: str) -> Holder | None:
        try:
            return self._house.tokens.holder_of(token)
        except CommonplaceError as error:  # errors in the token file concern only the operator of the server
            sys.stderr.write(f"error: {error.message}; nobody is let in\n")
            raise CommonplaceError(ErrorCode.STORAGE_UNAVAILABLE, "the tokens can't be read now; ask again later") from error


class Rates:
    """A token bucket for each caller, which holds at most `per_minute` tokens and is refilled at that rate."""

    def __init__(self, per_minute: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._most, self._each = float(per_minute), 60 / per_minute
        self._clock, self._lock = clock, Lock()
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()
        """Maps each caller to its tokens left and the time when they were counted, least recently seen caller first."""

    def wait(self, holder: str) -> float:
        """Take a token and return 0, or return the number of seconds until the next token is available."""
        with self._lock:
            now = self._clock()
            tokens, counted_at = self._buckets.pop(holder, (self._most, now))
            tokens = min(self._most, tokens + (now - counted_at) / self._each)
            taken = tokens >= 1
            self._buckets[holder] = (tokens - 1 if taken else tokens, now)
            if len(self._buckets) > _MOST_CALLERS:
                self._buckets.popitem(last=False)
            return 0.0 if taken else (1 - tokens) * self._each


class Running:
    """Limits the concurrent requests of each caller to `most`."""

    def __init__(self, most: int) -> None:
        self._most, self._lock = most, Lock()
        self._requests: Counter[str] = Counter()

    @contextmanager
    def admit(self, holder: str) -> Iterator[bool]:
        """Yield whether the request may run. The request counts as running until the block ends."""
        with self._lock:
            runs = self._requests[holder] < self._most
            self._requests[holder] += runs
        try:
            yield runs
        finally:
            with self._lock:
                self._requests[holder] -= runs


def _build_rate_error(wait: float) -> RequestError:
    seconds = str(math.ceil(wait))
    why = f"too many requests; ask again in {seconds} seconds"
    return RequestError(ErrorCode.TOO_MANY_REQUESTS, why, {"Retry-After": seconds})
