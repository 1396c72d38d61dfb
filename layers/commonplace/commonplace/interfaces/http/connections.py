"""The connections of the HTTP server: errors in one form, and limits that keep one client from taking every place."""

from collections import Counter
from itertools import count
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from commonplace.domain.errors import CommonplaceError, ErrorCode
from commonplace.interfaces.http.routing import failure

HEADER_SECONDS = 10.0
"""For the whole header of a request, from its first byte, or from the beginning of a connection that says nothing."""
REQUEST_SECONDS = 60.0
"""For a whole request, and for a client to take the next piece of its answer."""
MOST_WAITING = 48
"""Connections without a request that runs. Of more, the oldest goes of the address that has most of them."""
_made = count()


class Connection(H11Protocol):
    """One connection. A request that comes too slowly, or an answer that nobody takes, closes it."""

    def connection_made(self, transport: Any) -> None:
        self.number, self._since = next(_made), self.loop.time()
        """Of several the oldest has the lowest number; when what is awaited began."""
        self._left, self._taken = 0, self.loop.time()
        """Bytes of answers that are left to send, and when the client last took some."""
        super().connection_made(transport)
        waiting = [one for one in self.connections if isinstance(one, Connection) and not one.runs]
        if len(waiting) > MOST_WAITING:
            (address, _), *_ = Counter(one.client and one.client[0] for one in waiting).most_common(1)
            oldest = min((one for one in waiting if one.client and one.client[0] == address), key=lambda one: one.number)
            oldest.transport.abort()

    @property
    def runs(self) -> bool:
        """Whether a request of it was read whole and is not answered."""
        return self.cycle is not None and not self.cycle.response_complete and not self.cycle.more_body

    def data_received(self, data: bytes) -> None:
        if self._is_between_requests():
            self._since = self.loop.time()
        super().data_received(data)

    def cut_off_if_late(self) -> None:
        """Closes it where what has to come, or to be taken, took too long."""
        now, left = self.loop.time(), self.transport.get_write_buffer_size()
        if not left or left < self._left:
            self._taken = now
        self._left = left
        if now - self._taken > REQUEST_SECONDS or self._is_late(now):
            self.transport.abort()

    def _is_between_requests(self) -> bool:
        """Nothing has to come: a request was answered, and no byte of another is here."""
        return self.cycle is not None and self.conn.their_state is h11.IDLE and not self.conn.trailing_data[0]

    def _is_late(self, now: float) -> bool:
        if self.runs or self._is_between_requests():
            return False
        return now - self._since > (REQUEST_SECONDS if self.conn.their_state is h11.SEND_BODY else HEADER_SECONDS)

    def send_400_response(self, msg: str) -> None:
        why = f"the request can't be read: {msg.rstrip('.').lower()}"
        body = failure(CommonplaceError(ErrorCode.INVALID_ARGUMENT, why)).body
        headers = [("content-type", "application/json"), ("connection", "close")]
        head = h11.Response(status_code=400, headers=headers, reason=b"Bad Request")
        for event in (head, h11.Data(data=bytes(body)), h11.EndOfMessage()):
            self.transport.write(self.conn.send(event) or b"")
        self.transport.close()
