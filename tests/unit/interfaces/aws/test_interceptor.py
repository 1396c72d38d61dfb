"""The sample interceptor: the user of a tool call is who the token says, whatever the client sent."""

import base64
import json
from typing import Any

import pytest

from functions.interceptor.app import handler

ISSUER = "https://idp.example"
CALL = {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "memories___search_memory", "arguments": {}}}


def token(**claims: Any) -> str:
    parts = [{"alg": "RS256"}, {"iss": ISSUER, "sub": "ana", **claims}]
    written = [base64.urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=") for part in parts]
    return ".".join((*written, "signature"))


def asked(headers: dict[str, str] | None, body: Any = CALL) -> Any:
    request = {"path": "/mcp", "httpMethod": "POST", "body": body, **({} if headers is None else {"headers": headers})}
    event = {"interceptorInputVersion": "1.0", "mcp": {"rawGatewayRequest": {"body": "..."}, "gatewayRequest": request}}
    answer = handler(event, None)
    assert answer["interceptorOutputVersion"] == "1.0"
    return answer["mcp"]


def test_the_user_is_the_tokens() -> None:
    sent = {"Authorization": f"Bearer {token()}", "Mcp-Session-Id": "1"}
    assert asked(sent) == {
        "transformedGatewayRequest": {"headers": {**sent, "X-Commonplace-User": f"{ISSUER}|ana"}, "body": CALL}
    }


def test_a_backend_may_name_its_user() -> None:
    sent = {"Authorization": f"Bearer {token(scope='commonplace/act-as')}", "x-commonplace-user": "bo"}
    headers = asked(sent)["transformedGatewayRequest"]["headers"]
    assert headers == {"Authorization": sent["Authorization"], "X-Commonplace-User": f"{ISSUER}#ana|bo"}


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        (None, 401),
        ({}, 401),
        ({"Authorization": "Basic YTpi"}, 401),
        ({"Authorization": "Bearer a.b"}, 401),
        ({"Authorization": "Bearer a.b.c"}, 401),
        ({"Authorization": f"Bearer {token(sub='')}"}, 401),
        ({"Authorization": f"Bearer {token()}", "X-Commonplace-User": f"{ISSUER}|bo"}, 403),
        ({"X-Commonplace-User": f"{ISSUER}|bo"}, 401),
    ],
)
def test_a_call_without_a_user_never_reaches_a_tool(headers: dict[str, str] | None, status: int) -> None:
    answer = asked(headers)
    assert set(answer) == {"transformedGatewayResponse"}
    assert answer["transformedGatewayResponse"]["statusCode"] == status
    assert answer["transformedGatewayResponse"]["body"]["id"] == 7


@pytest.mark.parametrize("body", [[CALL], None, "text"], ids=repr)
def test_what_is_not_one_request_never_reaches_a_tool(body: Any) -> None:
    answer = asked({"Authorization": f"Bearer {token()}"}, body)
    assert set(answer) == {"transformedGatewayResponse"}
    assert answer["transformedGatewayResponse"]["statusCode"] == 400


def test_other_requests_pass_without_the_clients_header() -> None:
    listing = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    sent = {"Authorization": "Bearer x", "X-COMMONPLACE-USER": "bo"}
    assert asked(sent, listing) == {"transformedGatewayRequest": {"headers": {"Authorization": "Bearer x"}, "body": listing}}
