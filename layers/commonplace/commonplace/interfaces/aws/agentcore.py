"""Handles calls from Amazon Bedrock AgentCore Gateway. Apart from a tool's arguments, all data is in the client context.

The header `X-Commonplace-User` contains the user as `<issuer>|<sub>`. The gateway's interceptor derives the user from the
token and replaces any value that the client sent. A gateway without an interceptor would forward the client's own header.
Therefore only gateways named in the settings are trusted.
"""

from typing import Any

from commonplace.interfaces.aws import container, identity
from commonplace.interfaces.aws.call import Body, Call, Context, Event, within_lambda_limit

NAME = "agentcore"
_TOOL, _GATEWAY, _HEADERS = "bedrockAgentCoreToolName", "bedrockAgentCoreGatewayId", "bedrockAgentCorePropagatedHeaders"


def takes(event: Event, context: Context) -> bool:  # noqa: ARG001
    """Return whether an event comes from the gateway. Only the context is checked, because a model writes the whole event."""
    return _TOOL in _get_custom_fields(context)


def correlation(event: Event, context: Context) -> str | None:  # noqa: ARG001
    """Return the gateway's id for the request."""
    request_id: str | None = _get_custom_fields(context).get("bedrockAgentCoreAwsRequestId")
    return request_id


def read(event: Event, context: Context) -> Call:
    """Return the call that an event contains. Raises `UNAUTHORIZED` for an unknown gateway or without a user."""
    custom = _get_custom_fields(context)
    if custom.get(_GATEWAY) not in container.settings().agentcore_gateways:
        raise identity.unauthorized("this gateway is not in COMMONPLACE_AGENTCORE_GATEWAYS")
    user_id = identity.header(custom.get(_HEADERS), identity.USER)
    if user_id is None:
        raise identity.unauthorized(f"the gateway's interceptor has set no {identity.USER}")
    zone = identity.zone_named(identity.header(custom.get(_HEADERS), identity.TIMEZONE))
    return Call(str(custom[_TOOL]).rpartition("___")[2], event, identity.of_gateway(user_id), zone)


def respond(event: Event, status: int, body: Body) -> Body:  # noqa: ARG001
    """Return the body, or an error if the body is too large. The gateway uses the output as the text of the tool's result."""
    return within_lambda_limit(status, body)[1]


def _get_custom_fields(context: Context) -> dict[str, Any]:
    return dict(getattr(context.client_context, "custom", None) or {})
