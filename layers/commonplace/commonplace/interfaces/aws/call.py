"""Defines the types that all kinds of Lambda events share. An `EventKind` reads and answers one kind of event."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import tzinfo
from typing import Any, Literal, Protocol

from commonplace.domain.errors import CommonplaceError, ErrorCode

Event = Mapping[str, Any]
Body = dict[str, Any]
_MOST_BYTES = 5_500_000  # a function's answer is limited to 6 MB
_TOO_LARGE = "the answer is too large to send: ask for less; changes of this call were made"


class Context(Protocol):
    """The part of Lambda's context object that is used here."""

    aws_request_id: str
    function_name: str
    client_context: Any

    def get_remaining_time_in_millis(self) -> int:
        """Return the time left, in milliseconds."""


@dataclass(frozen=True)
class Call:
    """A call to the tool `name`, or to an HTTP route that is not a tool. The kind `memories` stores several memories.

    For the kind `night`, `name` is the method, and `arguments` contains the path, query and body. An `export` returns the
    file called `name`, and a `page` returns the text of the page called `name`. For an `upload`, the argument `body` contains
    the bytes. `admin` is True if the caller is a person or program, as in `Caller`.
    """

    name: str
    arguments: Mapping[str, Any]
    user_id: str | None
    zone: tzinfo
    kind: Literal["tool", "memories", "import", "manifest", "night", "export", "upload", "page"] = "tool"
    admin: bool = False


class EventKind(Protocol):
    """One kind of Lambda event. Each kind is implemented by a module."""

    NAME: str

    def takes(self, event: Event, context: Context) -> bool:
        """Return whether the event is of this kind."""

    def correlation(self, event: Event, context: Context) -> str | None:
        """Return the caller's id for this call."""

    def read(self, event: Event, context: Context) -> Call:
        """Convert an event to a call. Raises `CommonplaceError` for an invalid event."""

    def respond(self, event: Event, status: int, body: Body) -> Body:
        """Convert the body of an answer or error to a response for this kind of caller."""


def within_lambda_limit(status: int, body: Body) -> tuple[int, Body]:
    """Return the answer, or a clear error if the answer is too large. Lambda itself would send only a status of 500.

    An HTTP API sends the answer as a JSON string, so the measured size includes the escaped quotes.
    """
    text = json.dumps(json.dumps(body, ensure_ascii=False), ensure_ascii=False)
    if len(text.encode(errors="surrogatepass")) <= _MOST_BYTES:
        return status, body
    error = CommonplaceError(ErrorCode.PAYLOAD_TOO_LARGE, _TOO_LARGE)
    return error.code.status, error.body()
