"""Derives the caller's identity, which no argument can change, from an authorizer's data. Intercepts AgentCore calls."""

import base64
import binascii
import re
from collections.abc import Mapping
from datetime import UTC, tzinfo
from typing import Any

from commonplace.domain.errors import CommonplaceError, ErrorCode, invalid, time_zone
from commonplace.domain.strict_json import read_object

USER = "X-Commonplace-User"
TIMEZONE = "X-Commonplace-Timezone"
ACT_AS = "commonplace/act-as"
ADMIN = "commonplace/admin"
_LONGEST = 512  # maximum length of a name in bytes (a partition key allows 2,048)
_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_ASSUMED = re.compile(r"arn:(?P<partition>[\w-]+):sts::(?P<account>\d+):assumed-role/(?P<role>[^/]+)/.+")
_TOOL_CALL = "tools/call"


def of_claims(claims: Mapping[str, Any], named: str | None) -> str:
    """Return a verified token's user as `<issuer>|<sub>`. For a backend that acts for others, use `<issuer>#<sub>|<name>`.

    `named` is the value of the header `X-Commonplace-User`, which requires the scope `commonplace/act-as`.
    """
    issuer, subject = _format_claim(claims.get("iss")), _format_claim(claims.get("sub"))
    if not issuer or not subject or "|" in issuer:
        raise unauthorized("the token names no issuer or no subject")
    if named is None:
        return f"{issuer}|{_check_name(subject, 'sub')}"
    if ACT_AS not in _parse_scopes(claims):
        raise CommonplaceError(ErrorCode.FORBIDDEN, f"{USER}: only a token with the scope {ACT_AS} may name a user", USER)
    return of_backend(f"{issuer}#{subject}", named)


def is_admin(claims: Mapping[str, Any]) -> bool:
    """Return whether a verified token allows exporting and importing all memories, which a model's token does not."""
    return ADMIN in _parse_scopes(claims)


def as_model(claims: Mapping[str, Any]) -> dict[str, str]:
    """Return the claims that identify the user, without the scope that distinguishes a person from a model."""
    scope = ACT_AS if ACT_AS in _parse_scopes(claims) else ""
    return {name: claims[name] for name in ("iss", "sub") if name in claims} | {"scope": scope}


def of_role(arn: str, named: str | None) -> str:
    """Return the user that an IAM caller names, as `<role's ARN>|<name>`. All sessions of a role share this ARN."""
    if named is None:
        raise CommonplaceError(
            ErrorCode.MISSING_FIELD, f"{USER}: is required here, where backends call for their users", USER
        )
    assumed = _ASSUMED.fullmatch(arn)
    return of_backend("arn:{partition}:iam::{account}:role/{role}".format(**assumed.groupdict()) if assumed else arn, named)


def of_backend(backend: str, named: str) -> str:
    """Return the user that a trusted backend names."""
    return f"{backend.replace('%', '%25').replace('|', '%7C')}|{_check_name(named, USER)}"


def of_gateway(user_id: str) -> str:
    """Check and return the full user id, `<issuer>|<sub>`, that an interceptor derived from a token."""
    issuer, _, name = user_id.partition("|")
    if not issuer.startswith("https://"):
        raise unauthorized(f"{USER}: the gateway's interceptor must give <issuer>|<sub>")
    return f"{issuer}|{_check_name(name, USER)}"


def header(headers: Any, name: str) -> str | None:
    """Return a header's value, ignoring the case of its name. Raises `INVALID_ARGUMENT` if it has different values."""
    values = {str(value) for key, value in (headers or {}).items() if key.lower() == name.lower() and value is not None}
    if len(values) > 1:
        raise invalid(name, "was given twice")
    return values.pop() if values else None


def zone_named(name: str | None) -> tzinfo:
    """Return the time zone with this IANA name, or UTC if `name` is None."""
    return UTC if name is None else time_zone(name, TIMEZONE)


def unauthorized(why: str) -> CommonplaceError:
    """Return the error for a call without a known user."""
    return CommonplaceError(ErrorCode.UNAUTHORIZED, why)


def _check_name(name: str, field: str) -> str:
    if not name.strip() or len(name.encode(errors="replace")) > _LONGEST or _UNPRINTABLE.search(name):
        raise invalid(field, f"must be printable characters, 1 to {_LONGEST} bytes of them")
    return name


def _parse_scopes(claims: Mapping[str, Any]) -> list[str]:
    """Return a token's scopes. API Gateway passes a list as `[a b]`. Some issuers use `scp` instead of `scope`."""
    return " ".join(_format_claim(claims.get(name)).strip("[]") for name in ("scope", "scp")).split()


def _format_claim(value: object) -> str:
    """Return a claim as text. The items of a list are joined with spaces."""
    return " ".join(map(str, value)) if isinstance(value, list) else value if isinstance(value, str) else ""


def intercept(event: dict[str, Any], _context: object) -> dict[str, Any]:
    """Add the user to the headers of a gateway request. Refuse a tool call whose token does not identify a user."""
    request = event["mcp"]["gatewayRequest"]
    body = request.get("body")
    headers_sent = request.get("headers") or {}
    headers = {name: value for name, value in headers_sent.items() if name.lower() != USER.lower()}
    if not isinstance(body, dict):
        return _build_refusal(None, CommonplaceError(ErrorCode.INVALID_ARGUMENT, "one request at a time"))
    if body.get("method") != _TOOL_CALL:
        return _build_answer("transformedGatewayRequest", {"headers": headers, "body": body})
    try:
        claims = _parse_claims(header(headers_sent, "Authorization"))
        user = of_claims(claims, header(headers_sent, USER))
    except CommonplaceError as error:
        return _build_refusal(body.get("id"), error)
    return _build_answer("transformedGatewayRequest", {"headers": {**headers, USER: user}, "body": body})


def _parse_claims(authorization: str | None) -> dict[str, Any]:
    """Return a bearer token's claims, without checking its signature. Raises `UNAUTHORIZED` if it can't be read."""
    kind, _, token = (authorization or "").partition(" ")
    parts = token.strip().split(".")
    if kind.lower() != "bearer" or len(parts) != 3:
        raise unauthorized("a tool call needs a token")
    try:
        return read_object(base64.urlsafe_b64decode(parts[1] + "=" * (-len(parts[1]) % 4)))
    except (binascii.Error, ValueError, CommonplaceError):
        raise unauthorized("the token can't be read") from None


def _build_refusal(request_id: Any, error: CommonplaceError) -> dict[str, Any]:
    refusal = {"jsonrpc": "2.0", "id": request_id, "error": {"code": -32001, "message": error.message}}
    return _build_answer("transformedGatewayResponse", {"statusCode": error.code.status, "body": refusal})


def _build_answer(kind: str, content: dict[str, Any]) -> dict[str, Any]:
    return {"interceptorOutputVersion": "1.0", "mcp": {kind: content}}
