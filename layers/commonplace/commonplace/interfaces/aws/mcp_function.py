"""Handles requests to the Lambda function `mcp`. It serves stateless MCP, and metadata for clients without a token.

The function may not read memories. It invokes each tool's function as the API does, and passes on the claims that the
authorizer verified. The invoked function derives the user with the same code as for any other call.
"""

import json
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import urlsplit

import anyio
import httpx2
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

from commonplace.contract.registry import tool_named
from commonplace.domain.errors import CommonplaceError, ErrorCode
from commonplace.interfaces.aws import container, http_api, identity
from commonplace.interfaces.aws.call import Body, Context, Event
from commonplace.interfaces.logs import library_without_texts
from commonplace.interfaces.mcp.server import server_over
from commonplace.use_cases.dispatch import status_and_body

NAME = "mcp"
_MOST_BYTES = 6_291_456  # the maximum size of a Lambda event
_NOT_THE_PROTOCOLS = {"authorization", "content-length", "transfer-encoding"}
_CODES = {code.label: code for code in ErrorCode}


def handle(event: dict[str, Any], context: Context) -> Body:
    """Answer a request to `/mcp` as an MCP server, and any other request with metadata about `/mcp` (RFC 9728)."""
    # Powertools is imported by the first call, not at the start of the container
    from commonplace.interfaces.aws.observability import observe

    library_without_texts("mcp")
    container.begin(context.get_remaining_time_in_millis())
    with observe(NAME, NAME, http_api.correlation(event, context), context) as seen:
        seen.tool = NAME
        status, answer = status_and_body(lambda: _answer_event(event))
        if status == 200:
            seen.answered(answer["statusCode"], {})
            return answer
        seen.answered(status, answer)
        return http_api.respond(event, status, answer)


def _answer_event(event: Event) -> Body:
    """Answer a request: `POST` to `/mcp` as an MCP server, and any other path with metadata. Refuses other methods."""
    method, path = http_api.route_of(event)
    base = _build_base_address(event)
    if path != http_api.MCP:
        return http_api.respond(event, 200, _build_metadata(base + path.removeprefix(http_api.METADATA)))
    memory = _Functions(event)
    if method == "POST":
        return anyio.run(_run_mcp_request, memory, f"{base}{path}", event)
    refused = CommonplaceError(ErrorCode.METHOD_NOT_ALLOWED, f"{path} takes POST: no session is there to be got or deleted")
    answer = http_api.respond(event, refused.code.status, refused.body())
    return {**answer, "headers": {**answer["headers"], "Allow": "POST"}}


def _build_base_address(event: Event) -> str:
    """Return the base address of the API. Raises `FORBIDDEN` if `Host` or `Origin` names another server."""
    headers, own = event.get("headers"), str(event["requestContext"].get("domainName")).lower()
    host, origin = identity.header(headers, "Host") or own, identity.header(headers, "Origin")
    if host.partition(":")[0].lower() != own:
        raise CommonplaceError(ErrorCode.FORBIDDEN, f"this server answers to {own} only")
    if origin is not None and urlsplit(origin).hostname != own:
        raise CommonplaceError(ErrorCode.FORBIDDEN, "this server does not answer web pages of other servers")
    return f"{identity.header(headers, 'X-Forwarded-Proto') or 'https'}://{host}"


def _build_metadata(resource: str) -> Body:
    settings = container.settings()
    return {
        "resource": resource,
        "resource_name": "Commonplace",
        "authorization_servers": [settings.issuer] if settings.issuer else [],
        "scopes_supported": list(settings.mcp_scopes),
        "bearer_methods_supported": ["header"],
    }


async def _run_mcp_request(memory: "_Functions", address: str, event: Event) -> Body:
    """Answer a request with an MCP server that exists only for this request."""
    manager = StreamableHTTPSessionManager(
        server_over(memory, keeps_lists=False), json_response=True, stateless=True, max_request_body_size=_MOST_BYTES
    )
    headers = {name: value for name, value in event["headers"].items() if name.lower() not in _NOT_THE_PROTOCOLS}
    query = event.get("rawQueryString") or ""
    request = httpx2.Request("POST", f"{address}?{query}", headers=headers, content=http_api.body_of(event))
    async with manager.run():
        response = await httpx2.ASGITransport(manager.handle_request).handle_async_request(request)
        body = await response.aread()
    sent_headers = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff", **response.headers}
    return {"statusCode": response.status_code, "headers": sent_headers, "body": body.decode(), "isBase64Encoded": False}


class _Functions:
    """The memory of the user who sent an event. Each access invokes the function that serves the tool."""

    def __init__(self, event: Event) -> None:
        claims = http_api.claims_of(event)
        if not claims:
            raise identity.unauthorized("the request carries no token that an authorizer has checked")
        named = {name: identity.header(event.get("headers"), name) for name in (identity.USER, identity.TIMEZONE)}
        identity.of_claims(claims, named[identity.USER])
        identity.zone_named(named[identity.TIMEZONE])
        self._headers = {name: value for name, value in named.items() if value is not None}
        self._claims = identity.as_model(claims)
        self._request_id = event["requestContext"].get("requestId")

    def call(
        self,
        tool: str,
        arguments: Mapping[str, Any],
        progress: Callable[[int, int | None], None] | None = None,  # noqa: ARG002
    ) -> dict[str, Any]:
        """Invoke a tool's function and return its answer. Progress is not reported, because the answer arrives as a whole."""
        return self._invoke(tool_named(tool).function, "POST", f"/tools/{tool}", json.dumps(arguments))

    def page(self, name: str) -> str | None:
        """Return a page by invoking the function `read`. Raises `NOT_FOUND` if there is no such page."""
        method, path = http_api.PAGE
        return str(self._invoke("read", method, path.replace("{name}", name))["text"])

    def _invoke(self, function: str, method: str, path: str, body: str | None = None) -> dict[str, Any]:
        """Invoke a function with an event in the API's format, and return its answer. Raises the error that it returns."""
        event = {
            "version": "2.0",
            "rawPath": path,
            "headers": self._headers,
            "requestContext": {
                "authorizer": {"jwt": {"claims": self._claims}},
                "http": {"method": method, "path": path},
                "requestId": self._request_id,
            },
            "body": body,
        }
        answer = container.functions()(function, event)
        reply: dict[str, Any] = json.loads(answer["body"])
        if answer["statusCode"] == 200:
            return reply
        error = reply["error"]
        raise CommonplaceError(_CODES[error["code"]], error["message"], error["field"])
