"""Handles HTTP API events in payload format 2.0. `ROUTES` lists the routes for tools, imports, exports and nightly runs.

API Gateway's authorizer verifies the user, who is identified by a token's claims or by an IAM caller's role.
"""

import base64
import binascii
import json
from datetime import tzinfo
from typing import Any, Literal

from commonplace.contract.registry import TOOLS
from commonplace.domain.errors import CommonplaceError, ErrorCode
from commonplace.domain.strict_json import read_object
from commonplace.interfaces.aws import identity
from commonplace.interfaces.aws.call import Body, Call, Context, Event, within_lambda_limit

NAME = "http"
IMPORT, MANIFEST, EXPORT = ("POST", "/import"), ("GET", "/tools"), ("GET", "/exports/{export_id}")
UPLOAD, STORE_MANY = ("POST", "/uploads"), ("POST", "/memories")
NIGHT = (
    ("POST", "/interactions"), ("GET", "/runs"), ("GET", "/runs/{run_id}"), ("POST", "/runs/{run_id}/undo"),
    ("POST", "/runs/{run_id}/approve"), ("POST", "/runs/{run_id}/discard"), ("GET", "/history/{key}"),
    ("GET", "/memories/{memory_id}"), ("POST", "/feedback"), ("POST", "/feedback/forget"),
)  # fmt: skip
ROUTES = {
    **{("POST", tool.route): tool.function for tool in TOOLS},
    **{STORE_MANY: "store", IMPORT: "store", MANIFEST: "discover", EXPORT: "transfer", UPLOAD: "transfer"},
    **dict.fromkeys(NIGHT, "record"),
}
"""Maps every route of the API to the function that serves it."""

MCP, METADATA = "/mcp", "/.well-known/oauth-protected-resource"
OPEN = (("GET", METADATA), ("GET", f"{METADATA}{MCP}"))
"""The only routes without an authorizer. They tell an MCP client where to get a token."""
MCP_ROUTES = dict.fromkeys([*((method, MCP) for method in ("POST", "GET", "DELETE")), *OPEN], "mcp")
"""The additional routes that the API has if callers use tokens."""
PAGE = ("GET", "/pages/{name}")
"""The route for a page. Only the MCP function sends events with this route, which is not part of the API itself."""
_OF_BODIES: dict[tuple[str, str], Literal["import", "memories"]] = {IMPORT: "import", STORE_MANY: "memories"}
_NIGHT = {path.split("/")[1] for _, path in NIGHT}
_EXPORTS, _PAGES = "/exports/", "/pages/"
_HEADERS = {"Content-Type": "application/json", "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}


def takes(event: Event, context: Context) -> bool:  # noqa: ARG001
    """Return whether an event comes from an HTTP API of API Gateway."""
    return event.get("version") == "2.0" and "http" in (event.get("requestContext") or {})


def correlation(event: Event, context: Context) -> str | None:  # noqa: ARG001
    """Return API Gateway's request id, which the access log also contains."""
    request_id: str | None = event["requestContext"].get("requestId")
    return request_id


def read(event: Event, context: Context) -> Call:  # noqa: ARG001
    """Return the call that a request contains. Raises `NOT_FOUND` or `METHOD_NOT_ALLOWED` for an unknown route."""
    method, path = route_of(event)
    if (method, path) == MANIFEST:
        return Call("", {}, None, identity.zone_named(None), "manifest")
    if (method, path) in _OF_BODIES:
        return Call("", read_object(body_of(event)), _find_user(event), _parse_zone(event), _OF_BODIES[method, path])
    if method == "GET" and path.startswith(_EXPORTS):
        return Call(path.removeprefix(_EXPORTS), {}, _find_user(event), _parse_zone(event), "export")
    if method == "GET" and path.startswith(_PAGES):
        return Call(path.removeprefix(_PAGES), {}, _find_user(event), _parse_zone(event), "page")
    if (method, path) == UPLOAD:
        return Call("", {"body": body_of(event)}, _find_user(event), _parse_zone(event), "upload")
    if path in (MANIFEST[1], IMPORT[1], UPLOAD[1], STORE_MANY[1]) or (path.startswith("/tools/") and method != "POST"):
        raise CommonplaceError(ErrorCode.METHOD_NOT_ALLOWED, f"{path} takes another method")
    if path.removeprefix("/").partition("/")[0] in _NIGHT:
        arguments = {"path": path, "query": event.get("queryStringParameters") or {}, "body": body_of(event)}
        return Call(method, arguments, _find_user(event), _parse_zone(event), "night", _is_admin(event))
    if not path.startswith("/tools/"):
        raise CommonplaceError(
            ErrorCode.NOT_FOUND,
            "there are POST /tools/<tool name>, GET /tools, POST /memories, POST /import, GET /exports/<id>, POST /uploads,"
            " GET /memories/<id>, POST /feedback, POST /feedback/forget, and for nights /interactions, /runs, /history here",
        )
    name = path.removeprefix("/tools/")
    return Call(name, read_object(body_of(event)), _find_user(event), _parse_zone(event), admin=_is_admin(event))


def respond(event: Event, status: int, body: Body) -> Body:
    """Return a response with a JSON body. For an export, the response redirects to the file."""
    status, body = within_lambda_limit(status, body)
    headers = dict(_HEADERS)
    if status == 200 and route_of(event)[1].startswith(_EXPORTS):
        status, headers["Location"] = 302, body["location"]
    text = json.dumps(body, ensure_ascii=False, allow_nan=False) + "\n"
    return {"statusCode": status, "headers": headers, "body": text, "isBase64Encoded": False}


def route_of(event: Event) -> tuple[str, str]:
    """Return the method and the path of a request."""
    stage = event["requestContext"].get("stage") or "$default"
    path = str(event.get("rawPath") or "")
    return event["requestContext"]["http"]["method"], path if stage == "$default" else path.removeprefix(f"/{stage}")


def body_of(event: Event) -> bytes:
    """Return the decoded body of a request."""
    text = event.get("body") or ""
    try:
        return base64.b64decode(text, validate=True) if event.get("isBase64Encoded") else text.encode()
    except (binascii.Error, UnicodeEncodeError):
        raise CommonplaceError(ErrorCode.INVALID_JSON, "the body can't be decoded") from None


def claims_of(event: Event) -> dict[str, Any]:
    """Return the claims of the token that the authorizer has verified, or an empty dictionary if there is no token."""
    return dict(((event["requestContext"].get("authorizer") or {}).get("jwt") or {}).get("claims") or {})


def _find_user(event: Event) -> str:
    """Return the user identified by the token or the IAM role. Raises `UNAUTHORIZED` if the event contains neither."""
    named = identity.header(event.get("headers"), identity.USER)
    claims = claims_of(event)
    if claims:
        return identity.of_claims(claims, named)
    role = ((event["requestContext"].get("authorizer") or {}).get("iam") or {}).get("userArn")
    if role:
        return identity.of_role(role, named)
    raise identity.unauthorized("the request carries no identity that an authorizer has checked")


def _is_admin(event: Event) -> bool:
    """Return whether the caller is a person or program. A token needs the scope `commonplace/admin`. A role needs none."""
    claims = claims_of(event)
    return identity.is_admin(claims) if claims else True


def _parse_zone(event: Event) -> tzinfo:
    return identity.zone_named(identity.header(event.get("headers"), identity.TIMEZONE))
