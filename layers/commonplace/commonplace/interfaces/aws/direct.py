"""Handles direct invocations. The event is `{"tool": ..., "arguments": {...}, "identity": {"user_id": ...}}`."""

from typing import Any

from pydantic import Field

from commonplace.contract import validate
from commonplace.contract.sent import as_declared
from commonplace.domain.errors import CommonplaceError, ErrorCode
from commonplace.domain.fields import Request
from commonplace.interfaces.aws import identity
from commonplace.interfaces.aws.call import Body, Call, Context, Event, within_lambda_limit

NAME = "direct"
BACKEND = "direct"


class Identity(Request):
    """The user whose memories the caller uses."""

    user_id: str = Field(description="The caller's own name of the user.")
    timezone: str | None = Field(None, description="IANA name; UTC when absent.")


class DirectCall(Request):
    """The whole event."""

    tool: str = Field(description="The tool's name.")
    arguments: dict[str, Any] = Field(default_factory=dict, description="The tool's arguments.")
    identity: Identity | None = Field(None, description="The user on whose behalf the caller acts.")


def takes(event: Event, context: Context) -> bool:  # noqa: ARG001
    """Return whether an event is a direct invocation of the function."""
    return "tool" in event


def correlation(event: Event, context: Context) -> str | None:  # noqa: ARG001
    """Return Lambda's request id, which the caller also receives."""
    return context.aws_request_id


def read(event: Event, context: Context) -> Call:  # noqa: ARG001
    """Return the call that an event contains. Raises `UNAUTHORIZED` if the event contains no identity."""
    call = validate.check(DirectCall, as_declared(DirectCall, event))
    if call.identity is None:
        raise identity.unauthorized("identity: is required: no call is anonymous")
    try:
        zone = identity.zone_named(call.identity.timezone)
        return Call(call.tool, call.arguments, identity.of_backend(BACKEND, call.identity.user_id), zone, admin=True)
    except CommonplaceError as error:
        field = {identity.TIMEZONE: "identity.timezone", identity.USER: "identity.user_id"}[error.field or identity.USER]
        raise CommonplaceError(ErrorCode.INVALID_ARGUMENT, error.message.replace(str(error.field), field), field) from None


def respond(event: Event, status: int, body: Body) -> Body:  # noqa: ARG001
    """Return the body, which is a result or `{"error": ...}`. A result that is too large becomes an error."""
    return within_lambda_limit(status, body)[1]
