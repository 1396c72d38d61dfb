"""Who may ask a server for several users: a token says whose memories a request is about, and nothing else does."""

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
"""Where the scope of a request says who asks, as soon as that is known."""
_FAILURES = 20  # requests a minute without a valid token, of one address
_AT_ONCE = 4  # requests of one token, half of the threads
_MOST_CALLERS = 4096  # that are remembered
_METHODS = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}
_BEARER = re.compile(r"bearer +([^\s,]+) *", re.IGNORECASE)


@dataclass(frozen=True)
class Household:
    """Several users of one server. `names`: by which a client may call it, besides those of the loopback."""

    tokens: TokenFile
    memories: OpenMemories
    names: tuple[str, ...] = ()
    per_minute: int = PER_MINUTE


class Tokens:
    """Lets in whoever has a token, and logs each request on stderr, as a line of JSON without any text of it."""

    def __init__(self, house: Household) -> None:
        self._house, self._running = house, Running(_AT_ONCE)
        self._asked, self._failed = Rates(house.per_minute), Rates(_FAILURES)

    @contextmanager
    def admitted(self, request: Request) -> Iterator[Holder | Response]:
        """Who asks, while their request runs; or the answer that anybody gets from `/health`. Raises `CommonplaceError`."""
        given = header(request, "authorization")
        if given is None and request.scope["path"] == "/health":
            yield json_response(200, {"status": "ok", "version": __version__})
            return
        token = _BEARER.fullmatch(given or "")
        request.scope[HOLDER] = holder = self._holder(token[1]) if token else None
        address = request.client.host if request.client else ""
        wait = self._failed.wait(address) if holder is None else self._asked.wait(holder.name)
        if wait:
            raise _too_many(wait)
        if holder is None:
            why, asks = "this is no token of this server", 'Bearer error="invalid_token"'
            if given is None:
                why, asks = "send a token of this server: Authorization: Bearer ...", "Bearer"
            raise RequestError(ErrorCode.UNAUTHORIZED, why, {"WWW-Authenticate": asks})
        with self._running.one_more(holder.name) as runs:
            if not runs:
                raise _too_many(1)
            yield holder

    def log(self, began: float, scope: Scope, status: int) -> None:
        """Logs a request: when, by which token, to which route, and what became of it. `began`: monotonic seconds."""
        who, method = scope.get(HOLDER), scope["method"]
        told = {
            "time": datetime.now(UTC).isoformat(timespec="milliseconds"), "token": who and who.name,
            "method": method if method in _METHODS else None, "route": scope[ROUTE], "status": status,
            "ms": round((time.monotonic() - began) * 1000),
        }  # fmt: skip
        sys.stderr.write(json.dumps(told) + "\n")
        sys.stderr.flush()

    def _holder(self, token: str) -> Holder | None:
        try:
            return self._house.tokens.holder_of(token)
        except CommonplaceError as error:  # what is the matter with the file is for who runs the server
            sys.stderr.write(f"error: {error.message}; nobody is let in\n")
            raise CommonplaceError(ErrorCode.STORAGE_UNAVAILABLE, "the tokens can't be read now; ask again later") from error


class Rates:
    """A bucket for each caller that fills evenly, `per_minute` drops a minute, and holds a minute's drops."""

    def __init__(self, per_minute: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._most, self._each = float(per_minute), 60 / per_minute
        self._clock, self._lock = clock, Lock()
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()
        """The drops of a caller, and when they were counted; who was not seen for longest comes first."""

    def wait(self, who: str) -> float:
        """Takes a drop and gives 0, or gives the seconds until there is one."""
        with self._lock:
            now = self._clock()
            drops, at = self._buckets.pop(who, (self._most, now))
            drops = min(self._most, drops + (now - at) / self._each)
            taken = drops >= 1
            self._buckets[who] = (drops - 1 if taken else drops, now)
            if len(self._buckets) > _MOST_CALLERS:
                self._buckets.popitem(last=False)
            return 0.0 if taken else (1 - drops) * self._each


class Running:
    """What runs for each caller: `most` requests at once."""

    def __init__(self, most: int) -> None:
        self._most, self._lock = most, Lock()
        self._requests: Counter[str] = Counter()

    @contextmanager
    def one_more(self, who: str) -> Iterator[bool]:
        """Whether another may run, and counts it for as long as this takes."""
        with self._lock:
            runs = self._requests[who] < self._most
            self._requests[who] += runs
        try:
            yield runs
        finally:
            with self._lock:
                self._requests[who] -= runs


def _too_many(wait: float) -> RequestError:
    why = f"too many requests; ask again in {math.ceil(wait)} seconds"
    return RequestError(ErrorCode.TOO_MANY_REQUESTS, why, {"Retry-After": str(math.ceil(wait))})
