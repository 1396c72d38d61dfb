"""The types that kinds of Lambda events share: the call, and how one kind is read and answered."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import tzinfo
from typing import Any, Literal, Protocol

from commonplace.domain.errors import CommonplaceError, ErrorCode

Event = Mapping[str, Any]
Body = dict[str, Any]

_MOST_BYTES = 5_500_000  # of 6 MB that a function may answer with
_TOO_LARGE = "the answer is larger than can be sent: ask for less; what was to be changed is changed"


class Context(Protocol):
    """Lambda's context object, as far as it is used here."""

    aws_request_id: str
    function_name: str
    client_context: Any

    def get_remaining_time_in_millis(self) -> int:
        """The time left, in milliseconds."""


@dataclass(frozen=True)
class Call:
    """A call. `name` is the tool's; the other kinds are HTTP routes that are no tools. `memories` stores many.

    A `night` is the routes of the night: `name` is the method, `arguments` are path, query and body as they came. An
    `export` asks for the file of that `name`, a `page` for the text of the page of that name; an `upload` is the bytes that
    `arguments` have as `body`. `admin`: whether a person or a program asks, as `Caller` has it.
    """

    name: str
    arguments: Mapping[str, Any]
    user_id: str | None
    zone: tzinfo
    kind: Literal["tool", "memories", "import", "manifest", "night", "export", "upload", "page"] = "tool"
    admin: bool = False


class EventKind(Protocol):
    """One kind of event; a module fills it."""

    NAME: str

    def takes(self, event: Event, context: Context) -> bool:
        """Whether the event is of this kind."""

    def correlation(self, event: Event, context: Context) -> str | None:
        """The id that the caller's side knows this call by."""

    def read(self, event: Event, context: Context) -> Call:
        """The event as a call; raises `CommonplaceError`."""

    def respond(self, event: Event, status: int, body: Body) -> Body:
        """The answer, or the error's body, in the shape that this kind's caller reads."""


def within_lambda_limit(status: int, body: Body) -> tuple[int, Body]:
    """An answer that Lambda can send, else the error that says that it can't: Lambda itself would answer with a bare 500.

    It is measured as a text inside JSON, as which an HTTP API gets it: each quote of it counts twice.
    """
    text = json.dumps(json.dumps(body, ensure_ascii=False), ensure_ascii=False)
    if len(text.encode(errors="surrogatepass")) <= _MOST_BYTES:
        return status, body
    error = CommonplaceError(ErrorCode.PAYLOAD_TOO_LARGE, _TOO_LARGE)
    return error.code.status, error.body()
