"""HTTP API events, payload format 2.0: `POST /tools/<name>`, `POST /import`, `GET /tools`, and the routes of the night.

The user comes from what API Gateway's authorizer has checked: the claims of a token, or the role of an IAM caller.
"""

import base64
import binascii
import json
from datetime import tzinfo

from commonplace.contract.registry import TOOLS
from commonplace.domain.errors import CommonplaceError, ErrorCode
from commonplace.domain.strict_json import read_object
from commonplace.interfaces.aws import identity
from commonplace.interfaces.aws.call import Body, Call, Context, Event, within_lambda_limit

NAME = "http"
IMPORT, MANIFEST = ("POST", "/import"), ("GET", "/tools")
NIGHT = (
    ("POST", "/interactions"), ("GET", "/runs"), ("GET", "/runs/{run_id}"), ("POST", "/runs/{run_id}/undo"),
    ("POST", "/runs/{run_id}/approve"), ("POST", "/runs/{run_id}/discard"), ("GET", "/history/{key}"),
    ("GET", "/memories/{memory_id}"),
)  # fmt: skip
ROUTES = {
    **{("POST", tool.route): tool.function for tool in TOOLS},
    **{IMPORT: "store", MANIFEST: "discover"},
    **dict.fromkeys(NIGHT, "record"),
}
"""Every route of the API and the function that serves it."""

_NIGHT = {path.split("/")[1] for _, path in NIGHT}

_HEADERS = {"Content-Type": "application/json", "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}


def takes(event: Event, context: Context) -> bool:  # noqa: ARG001
    """Whether the event is of this kind."""
    return event.get("version") == "2.0" and "http" in (event.get("requestContext") or {})


def correlation(event: Event, context: Context) -> str | None:  # noqa: ARG001
    """API Gateway's id of the request, which the access log has too."""
    found: str | None = event["requestContext"].get("requestId")
    return found


def read(event: Event, context: Context) -> Call:  # noqa: ARG001
    """The event as a call."""
    method, path = _route(event)
    if (method, path) == MANIFEST:
        return Call("", {}, None, identity.zone_named(None), "manifest")
    if (method, path) == IMPORT:
        return Call("", read_object(_body(event)), _user(event), _zone(event), "import")
    if path.removeprefix("/").partition("/")[0] in _NIGHT:
        given = {"path": path, "query": event.get("queryStringParameters") or {}, "body": _body(event)}
        return Call(method, given, _user(event), _zone(event), "night")
    if path == MANIFEST[1] or path == IMPORT[1] or (path.startswith("/tools/") and method != "POST"):
        raise CommonplaceError(ErrorCode.METHOD_NOT_ALLOWED, f"{path} takes another method")
    if not path.startswith("/tools/"):
        raise CommonplaceError(
            ErrorCode.NOT_FOUND,
            "there are POST /tools/<tool name>, GET /tools, POST /import, GET /memories/<id>, and for nights /interactions,"
            " /runs, /history here",
        )
    return Call(path.removeprefix("/tools/"), read_object(_body(event)), _user(event), _zone(event))


def respond(event: Event, status: int, body: Body) -> Body:  # noqa: ARG001
    """A response with a JSON body."""
    status, body = within_lambda_limit(status, body)
    text = json.dumps(body, ensure_ascii=False, allow_nan=False) + "\n"
    return {"statusCode": status, "headers": dict(_HEADERS), "body": text, "isBase64Encoded": False}


def _route(event: Event) -> tuple[str, str]:
    stage = event["requestContext"].get("stage") or "$default"
    path = str(event.get("rawPath") or "")
    return event["requestContext"]["http"]["method"], path if stage == "$default" else path.removeprefix(f"/{stage}")


def _body(event: Event) -> bytes:
    text = event.get("body") or ""
    try:
        return base64.b64decode(text, validate=True) if event.get("isBase64Encoded") else text.encode()
    except (binascii.Error, UnicodeEncodeError):
        raise CommonplaceError(ErrorCode.INVALID_JSON, "the body can't be decoded") from None


def _user(event: Event) -> str:
    authorizer = event["requestContext"].get("authorizer") or {}
    named = identity.header(event.get("headers"), identity.USER)
    claims = (authorizer.get("jwt") or {}).get("claims")
    if claims:
        return identity.of_claims(claims, named)
    role = (authorizer.get("iam") or {}).get("userArn")
    if role:
        return identity.of_role(role, named)
    raise identity.unauthorized("the request carries no identity that an authorizer has checked")


def _zone(event: Event) -> tzinfo:
    return identity.zone_named(identity.header(event.get("headers"), identity.TIMEZONE))
