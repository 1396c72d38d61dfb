"""The connections of the HTTP server: errors in one form, and limits that keep one client from taking every place."""

import time
from collections import Counter
from collections.abc import Callable
from functools import cached_property, partial
from typing import Any

from waitress.channel import HTTPChannel
from waitress.parser import HTTPRequestParser
from waitress.task import ErrorTask
from waitress.utilities import Error
from werkzeug.wrappers import Response

from commonplace.domain.errors import CommonplaceError, ErrorCode
from commonplace.interfaces.http.app import failure, too_long

HEADER_SECONDS = 10.0
"""For the whole header of a request, from its first byte, or from the beginning of a connection that says nothing."""
REQUEST_SECONDS = 60.0
"""For a whole request, and for a client to take the next piece of its answer."""
MOST_OF_STRANGERS = 65_536
"""Bytes of the body of whom the server does not serve that are read all the same, so that they see its answer."""
MOST_WAITING = 48
"""Connections without a request that runs. Of more, the oldest goes of the address that has most of them."""

Refuse = Callable[[Callable[[str], str | None], str, str, str], Response | None]
"""The answer to whom the application does not serve, by a request's header, the client's address, the method and the path."""


class _Refusal(Error):  # type: ignore[misc]  # noqa: N818 - waitress has no types, and it is an answer
    """An answer without the application, in the form of every other."""

    def __init__(self, answer: Response) -> None:
        super().__init__("")
        self._answer = answer

    def to_response(self, ident: str | None = None) -> tuple[str, list[tuple[str, str]], bytes]:  # noqa: ARG002
        headers = [(name, value) for name, value in self._answer.headers if name != "Content-Length"]
        return self._answer.status, headers, self._answer.get_data()


class _RefusalTask(ErrorTask):  # type: ignore[misc]
    def execute(self) -> None:
        refused = self.request.error
        if not isinstance(refused, _Refusal):  # waitress itself found something: no HTTP, a body without end
            path = getattr(self.request, "path", "")  # none where no header was read
            unread = CommonplaceError(ErrorCode.INVALID_ARGUMENT, f"the request can't be read: {refused.reason}")
            self.request.error = _Refusal(failure(too_long(path) if refused.code == 413 else unread))
        super().execute()


class _Parser(HTTPRequestParser):  # type: ignore[misc]
    """Reads a request; a long body only of whom the application serves. `refusal`: its answer to others, by their header."""

    def __init__(self, refusal: "Callable[[_Parser], Response | None]", adj: Any) -> None:
        super().__init__(adj)
        self.completed: bool
        self._refusal = refusal

    def received(self, data: bytes) -> int:
        consumed = int(super().received(data))
        long = not self.completed and max(self.content_length, self.body_bytes_received) > MOST_OF_STRANGERS
        if long and self._refused is not None:
            self.error, self.completed, self.expect_continue = _Refusal(self._refused), True, False
            return len(data)  # what is left of it begins no other request
        return consumed

    @cached_property
    def _refused(self) -> Response | None:
        return self._refusal(self)

    def header(self, name: str) -> str | None:
        """The value of a header."""
        found: str | None = self.headers.get(name.upper().replace("-", "_"))
        return found


class Channel(HTTPChannel):  # type: ignore[misc]
    """One connection. A request that comes too slowly, or an answer that nobody takes, closes it."""

    error_task_class = _RefusalTask

    def __init__(self, refuse: Refuse, server: Any, sock: Any, addr: Any, adj: Any, map: dict[int, Any]) -> None:
        self._since: float | None = time.monotonic()
        """When the header that is awaited began; None between two requests, when nothing has to come."""
        super().__init__(server, sock, addr, adj, map)
        self.parser_class = partial(_Parser, lambda asked: refuse(asked.header, addr[0], asked.command, asked.path))
        _make_room(list(server.active_channels.values()))

    @property
    def waits(self) -> bool:
        """Whether no request of it runs or is about to."""
        return not self.requests and not self.will_close

    def received(self, data: bytes) -> bool:
        before = self.request
        done = bool(super().received(data))
        if self.request is None:
            self._since = None
        elif self.request is not before:
            self._since = time.monotonic()
        return done

    def readable(self) -> bool:
        if self.waits and (self._is_late() or self._is_not_taken()):
            self.handle_close()  # not by `will_close`, which waits until the client takes something
            return False
        return bool(super().readable())

    def _is_late(self) -> bool:
        if self._since is None:
            return False
        allowed = REQUEST_SECONDS if self.request is not None and self.request.headers_finished else HEADER_SECONDS
        return time.monotonic() - self._since > allowed

    def _is_not_taken(self) -> bool:
        return bool(self.total_outbufs_len) and time.time() - float(self.last_activity) > REQUEST_SECONDS


def _make_room(channels: list[Channel]) -> None:
    waiting = [channel for channel in channels if channel.waits]
    if len(waiting) > MOST_WAITING:
        (address, _), *_ = Counter(channel.addr[0] for channel in waiting).most_common(1)
        oldest = min((one for one in waiting if one.addr[0] == address), key=lambda one: one.creation_time)
        oldest.handle_close()
