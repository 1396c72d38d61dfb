"""What the kinds of events have in common: what was asked, by whom, and how one kind is read and answered."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import tzinfo
from typing import Any, Literal, Protocol

Event = Mapping[str, Any]
Body = dict[str, Any]


class Context(Protocol):
    """What Lambda tells of an invocation, as far as it is used here."""

    aws_request_id: str
    function_name: str
    client_context: Any

    def get_remaining_time_in_millis(self) -> int:
        """What Lambda leaves it, in milliseconds."""


@dataclass(frozen=True)
class Call:
    """What was asked. `name` is the tool's; the other kinds are HTTP routes that are no tools.

    A `night` is the routes of the night: `name` is the method, `arguments` are path, query and body as they came.
    """

    name: str
    arguments: Mapping[str, Any]
    user_id: str | None
    zone: tzinfo
    kind: Literal["tool", "import", "manifest", "night"] = "tool"


class Way(Protocol):
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
