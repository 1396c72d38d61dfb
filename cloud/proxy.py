"""An HTTP proxy before one real server, whose answers can be made to go wrong; `faults.py` has what can go wrong."""

import http.client
import threading
from collections.abc import Callable
from dataclasses import dataclass
from types import TracebackType
from typing import Self
from urllib.parse import urlsplit

from cloud.listener import HOP, Cut, Listener, Request, Response
from cloud.process import free_port

Forward = Callable[[Request], Response]
Fault = Callable[[Request, Forward], Response]
"""Answers a request, with or without the real server; raises `Cut`."""


@dataclass
class _Plan:
    fault: Fault
    when: Callable[[Request], bool]
    first: int
    times: int | None
    matched: int = 0

    def takes(self, request: Request) -> bool:
        if not self.when(request):
            return False
        self.matched += 1
        return self.matched >= self.first and (self.times is None or self.matched < self.first + self.times)


class FaultProxy:
    """Hands every request to a server unless a planned fault takes it. It begins to listen when it is entered."""

    def __init__(self, target: str, port: int | None = None) -> None:
        self._host = urlsplit(target).netloc
        self.port = port or free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.seen: list[Request] = []
        """Every request, in the order of coming."""
        self._plans: list[_Plan] = []
        self._lock = threading.Lock()
        self._server: Listener | None = None

    def plan(
        self, fault: Fault, when: Callable[[Request], bool] = lambda _request: True, first: int = 1, times: int | None = 1
    ) -> None:
        """Lets a fault happen to `times` requests (None: all) that match from now on, from the `first` (1) of them."""
        with self._lock:
            self._plans.append(_Plan(fault, when, first, times))

    def heal(self) -> None:
        """Forgets every fault and listens again."""
        with self._lock:
            self._plans.clear()
        if self._server is None:
            self._server = Listener(self.port, self.answer)

    def refuse(self) -> None:
        """Ends all connections and accepts no more, as a machine that is down; `heal` ends it."""
        if self._server is not None:
            self._server.end()
            self._server = None

    def answer(self, request: Request) -> Response:
        """The answer to a request; raises `Cut`."""
        with self._lock:
            self.seen.append(request)
            taken = [plan.fault for plan in self._plans if plan.takes(request)]
        return taken[0](request, self._forward) if taken else self._forward(request)

    def _forward(self, request: Request) -> Response:
        connection = http.client.HTTPConnection(self._host, timeout=120)
        kept = {name: value for name, value in request.headers.items() if name not in HOP}
        try:
            connection.request(request.method, request.path, request.body or None, kept)
            answer = connection.getresponse()
            return Response(answer.status, dict(answer.headers), answer.read())
        except (OSError, http.client.HTTPException) as error:
            raise Cut from error  # a server that is down looks so from here, too
        finally:
            connection.close()

    def __enter__(self) -> Self:
        self.heal()
        return self

    def __exit__(self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None) -> None:
        self.refuse()
