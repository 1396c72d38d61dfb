"""The connections of the HTTP server. Limits on number and duration keep a single client from using all connections."""

from collections import Counter
from collections.abc import Sequence
from http import HTTPStatus
from itertools import count
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from commonplace.domain.errors import CommonplaceError, ErrorCode
from commonplace.interfaces.http.routing import ROUTE, RequestError, failure

HEADER_SECONDS = 10.0
"""The time limit for a request's header, counted from the opening of the connection or the request's first byte."""
REQUEST_SECONDS = 60.0
"""The time limit for receiving a whole request, and for the client to read the next part of the answer."""
MOST_WAITING = 48
"""The maximum number of silent connections. Beyond it, the oldest one from the address with the most of them is closed."""
MOST_OPEN = 256
"""The maximum number of connections. Beyond it, one idle connection is refused, the oldest from the address with the most."""
LOG = "commonplace.log"
"""The key in the server's state for the function that logs each request, which is None if requests are not logged."""
_SILENT = 10
"""The number of ticks (of 0.1 seconds) without progress after which a connection counts as silent.

Between two ticks, the server reads everything that has arrived, so a client is not silent while it waits for the server.
"""
_BUSY = RequestError(ErrorCode.STORAGE_UNAVAILABLE, "too many connections are open; ask again", {"Retry-After": "1"})
_made = count()


class Connection(H11Protocol):
    """A connection that closes if a request arrives too slowly, or if the client does not read the answer."""

    def connection_made(self, transport: Any) -> None:
        self.number, self._since = next(_made), self.loop.time()
        """`number` orders the connections by age. `_since` is the start of the current wait."""
        self._left, self._taken = 0, self.loop.time()
        """`_left` is the number of bytes not sent yet. `_taken` is the time when the client last read bytes."""
        self._ticks, self._refused = 0, False
        """`_ticks` counts the ticks of silence. `_refused` is True once an error has been sent. Input is then ignored."""
        super().connection_made(transport)
        if len(self.connections) > MOST_OPEN:
            open_connections = [
                connection
                for connection in self.connections
                if isinstance(connection, Connection) and not connection.transport.is_closing()
            ]
            idle = [connection for connection in open_connections if not (connection.runs or connection._refused)]
            _find_oldest(idle)._send_error(_BUSY)
            refused = [connection for connection in open_connections if connection._refused]
            if len(refused) > MOST_OPEN:
                _find_oldest(refused).transport.abort()

    @property
    def runs(self) -> bool:
        """True if a complete request has arrived and has not been answered yet."""
        return self.cycle is not None and not self.cycle.response_complete and not self.cycle.more_body

    def data_received(self, data: bytes) -> None:
        if self._refused:
            return
        if self._is_between_requests():
            self._since, self._ticks = self.loop.time(), 0
        super().data_received(data)
        if self.runs or self.conn.their_state is h11.SEND_BODY:
            self._ticks = 0

    def tick(self) -> bool:
        """Close the connection if it exceeds a time limit. Return whether the connection counts as silent."""
        now, left = self.loop.time(), self.transport.get_write_buffer_size()
        self._ticks = 0 if self.runs or left < self._left else self._ticks + 1
        if not left or left < self._left:
            self._taken = now
        self._left, silent = left, self._ticks >= _SILENT
        if now - self._taken > REQUEST_SECONDS or self._is_late(now) or (self._refused and silent):
            self.transport.abort()
        return silent

    def _is_between_requests(self) -> bool:
        """Return whether a request has been answered and no byte of the next request has arrived."""
        return self.cycle is not None and self.conn.their_state is h11.IDLE and not self.conn.trailing_data[0]

    def _is_late(self, now: float) -> bool:
        if self.runs or self._is_between_requests():
            return False
        return now - self._since > (REQUEST_SECONDS if self.conn.their_state is h11.SEND_BODY else HEADER_SECONDS)

    def send_400_response(self, msg: str) -> None:
        why = f"the request can't be read: {msg.rstrip('.').lower()}"
        log = self.app_state.get(LOG)
        if self._send_error(error := CommonplaceError(ErrorCode.INVALID_ARGUMENT, why)) and log is not None:
            log(self._since, {"method": None, ROUTE: None}, error.code.status)

    def _send_error(self, error: CommonplaceError) -> bool:
        """Send an error and return True, unless an answer has begun. Closing could lose the error, so input is ignored."""
        if self.conn.our_state not in (h11.IDLE, h11.SEND_RESPONSE):
            self.transport.abort()
            return False
        answer = failure(error)
        headers = [(name.title(), value) for name, value in answer.raw_headers]
        first = b"HTTP/1.1 %d %s" % (answer.status_code, HTTPStatus(answer.status_code).phrase.encode())
        lines = [first, *(b"%s: %s" % pair for pair in headers), b"Connection: close", b"", bytes(answer.body)]
        self._refused, self._ticks = True, 0
        if self.cycle is not None:
            self.cycle.disconnected = True
            self.cycle.message_event.set()
        self.transport.write(b"\r\n".join(lines))
        try:
            self.transport.write_eof()
        except OSError:  # the client has disconnected
            self.transport.abort()
        return True


def close_late(connections: Sequence[Connection]) -> None:
    """Close the connections that exceed a time limit. If too many are silent, also close the oldest silent ones.

    The server calls this function ten times a second.
    """
    silent = [connection for connection in connections if connection.tick() and not connection.transport.is_closing()]
    for _ in range(len(silent) - MOST_WAITING):
        oldest = _find_oldest(silent)
        silent.remove(oldest)
        oldest.transport.abort()


def _find_oldest(connections: Sequence[Connection]) -> Connection:
    """Return the oldest connection from the address with the most connections."""
    addresses = [connection.client and connection.client[0] for connection in connections]
    (most, _), *_ = Counter(addresses).most_common(1)
    same = (connection for connection, address in zip(connections, addresses, strict=True) if address == most)
    return min(same, key=lambda connection: connection.number)
