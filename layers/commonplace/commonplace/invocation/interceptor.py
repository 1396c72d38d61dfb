"""A request interceptor for an AgentCore gateway: names the user of a tool call in `X-Commonplace-User`, by the token.

The gateway must have a `CUSTOM_JWT` authorizer, which checks the token before this is asked, and must hand the headers over
(`passRequestHeaders`). Whatever a client sent in that header is replaced; a backend with the scope `commonplace/act-as` may
name its user there.
"""

import base64
import binascii
from typing import Any

from commonplace.errors import CommonplaceError, ErrorCode
from commonplace.invocation import identity
from commonplace.strict_json import read_object

_CALL = "tools/call"


def intercept(event: dict[str, Any], _context: object) -> dict[str, Any]:
    """The request with its user in it; a tool call without one never reaches a tool."""
    request = event["mcp"]["gatewayRequest"]
    body = request.get("body")
    given = request.get("headers") or {}
    headers = {name: value for name, value in given.items() if name.lower() != identity.USER.lower()}
    if not isinstance(body, dict):
        return _refusal(None, CommonplaceError(ErrorCode.INVALID_ARGUMENT, "one request at a time"))
    if body.get("method") != _CALL:
        return _answer("transformedGatewayRequest", {"headers": headers, "body": body})
    try:
        claims = _claims(identity.header(given, "Authorization"))
        user = identity.of_claims(claims, identity.header(given, identity.USER))
    except CommonplaceError as error:
        return _refusal(body.get("id"), error)
    return _answer("transformedGatewayRequest", {"headers": {**headers, identity.USER: user}, "body": body})


def _claims(authorization: str | None) -> dict[str, Any]:
    kind, _, token = (authorization or "").partition(" ")
    parts = token.strip().split(".")
    if kind.lower() != "bearer" or len(parts) != 3:
        raise identity.unauthorized("a tool call needs a token")
    try:
        return read_object(base64.urlsafe_b64decode(parts[1] + "=" * (-len(parts[1]) % 4)))
    except (binascii.Error, ValueError, CommonplaceError):
        raise identity.unauthorized("the token can't be read") from None


def _refusal(request_id: Any, error: CommonplaceError) -> dict[str, Any]:
    refusal = {"jsonrpc": "2.0", "id": request_id, "error": {"code": -32001, "message": error.message}}
    return _answer("transformedGatewayResponse", {"statusCode": error.code.status, "body": refusal})


def _answer(kind: str, content: dict[str, Any]) -> dict[str, Any]:
    return {"interceptorOutputVersion": "1.0", "mcp": {kind: content}}
