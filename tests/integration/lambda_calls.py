"""Every kind of event that reaches a function, made from a tool's name and arguments in the shape that AWS documents."""

import base64
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from types import SimpleNamespace
from typing import Any

from commonplace.contract.registry import tool_named

ISSUER = "https://cognito-idp.eu-central-1.amazonaws.com/eu-central-1_Example"
ROLE = "arn:aws:iam::111122223333:role/backend"
GATEWAY = "gateway-1"
Answer = tuple[int, dict[str, Any]]


@dataclass
class Context:
    """What Lambda hands over beside the event."""

    client_context: Any = None
    aws_request_id: str = "c6af9ac6-7b61-11e6-9a41-93e8deadbeef"
    function_name: str = "commonplace"
    milliseconds: int = 30_000

    def get_remaining_time_in_millis(self) -> int:
        return self.milliseconds


@dataclass(frozen=True)
class Kind:
    """One kind of event: how a call of ana's becomes one, whose memories it reaches, and how its answer is read."""

    name: str
    user_id: str
    envelope: Callable[[str, Mapping[str, Any]], tuple[dict[str, Any], Context]]
    read: Callable[[dict[str, Any]], Answer]
    admin: bool = False


def http(
    path: str, body: object = None, method: str = "POST", authorizer: Any = None, headers: Any = None, encoded: bool = False
) -> dict[str, Any]:
    """An event of an HTTP API, payload format 2.0; bytes are sent as they are."""
    text = body if isinstance(body, bytes) else json.dumps(body).encode()
    return {
        "version": "2.0",
        "routeKey": f"{method} {path}",
        "rawPath": path,
        "rawQueryString": "",
        "headers": {"content-type": "application/json", **(headers or {})},
        "requestContext": {
            "accountId": "111122223333",
            "apiId": "api-id",
            "authorizer": token() if authorizer is None else authorizer,
            "domainName": "api-id.execute-api.eu-central-1.amazonaws.com",
            "http": {"method": method, "path": path, "protocol": "HTTP/1.1", "sourceIp": "192.0.2.1", "userAgent": "agent"},
            "requestId": "JKJaXmPLvHcESHA=",
            "routeKey": f"{method} {path}",
            "stage": "$default",
            "timeEpoch": 1583348638390,
        },
        **({} if body is None else {"body": base64.b64encode(text).decode() if encoded else text.decode()}),
        "isBase64Encoded": encoded,
    }


def token(sub: str = "ana", scope: str = "openid", **claims: Any) -> dict[str, Any]:
    """What a JWT authorizer hands over."""
    return {"jwt": {"claims": {"iss": ISSUER, "sub": sub, "scope": scope, **claims}, "scopes": None}}


def iam(arn: str = "arn:aws:sts::111122223333:assumed-role/backend/session-7") -> dict[str, Any]:
    """What an IAM authorizer hands over."""
    return {
        "iam": {"accountId": "111122223333", "callerId": "AROAEXAMPLE:session-7", "userArn": arn, "userId": "AROAEXAMPLE"}
    }


def agent(tool: str, arguments: Mapping[str, Any], by_api: bool = False, attributes: Any = None) -> dict[str, Any]:
    """An event of a Bedrock agent, of an action group by functions or by an API schema: every value a string."""
    given = [{"name": name, "type": _type(value), "value": _string(value)} for name, value in arguments.items()]
    asked: dict[str, Any] = {"function": tool, "parameters": given}
    if by_api:
        content = {"application/json": {"properties": given}}
        asked = {"apiPath": f"/tools/{tool}", "httpMethod": "POST", "parameters": [], "requestBody": {"content": content}}
    return {
        "messageVersion": "1.0",
        "agent": {"name": "agent", "id": "AGENT", "alias": "ALIAS", "version": "1"},
        "inputText": "remember this",
        "sessionId": "session-9",
        "actionGroup": "commonplace",
        **asked,
        "sessionAttributes": {"X-Commonplace-User": "ana"} if attributes is None else attributes,
        "promptSessionAttributes": {"today": "Wednesday"},
    }


def gateway(tool: str, headers: Mapping[str, str] | None, gateway_id: str = GATEWAY) -> Context:
    """The context of a call by an AgentCore gateway."""
    custom = {
        "bedrockAgentCoreToolName": f"memories___{tool}",
        "bedrockAgentCoreMessageVersion": "1.0",
        "bedrockAgentCoreAwsRequestId": "aws-request-1",
        "bedrockAgentCoreMcpMessageId": "7",
        "bedrockAgentCoreGatewayId": gateway_id,
        "bedrockAgentCoreTargetId": "target-1",
        **({} if headers is None else {"bedrockAgentCorePropagatedHeaders": dict(headers)}),
    }
    return Context(SimpleNamespace(custom=custom, env=None, client=None))


def handler(function: str) -> Callable[[Any, Any], dict[str, Any]]:
    """The function's own handler."""
    found: Callable[[Any, Any], dict[str, Any]] = import_module(f"functions.{function}.app").handler
    return found


def called(kind: Kind, tool: str, arguments: Mapping[str, Any], function: str | None = None) -> Answer:
    """A tool called by an event of this kind, through the handler of its function."""
    event, context = kind.envelope(tool, arguments)
    served_by = function or tool_named(tool).function
    return kind.read(json.loads(json.dumps(handler(served_by)(json.loads(json.dumps(event)), context))))


def _http_answer(response: dict[str, Any]) -> Answer:
    assert set(response) == {"statusCode", "headers", "body", "isBase64Encoded"}
    assert response["headers"]["Content-Type"] == "application/json"
    return response["statusCode"], json.loads(response["body"])


def _function_answer(response: dict[str, Any]) -> Answer:
    answer = response["response"]["functionResponse"]
    assert response["messageVersion"] == "1.0"
    body = json.loads(answer["responseBody"]["TEXT"]["body"])
    assert ("responseState" in answer) == ("error" in body)
    return _plain_answer(body)


def _api_answer(response: dict[str, Any]) -> Answer:
    answer = response["response"]
    assert (answer["httpMethod"], answer["actionGroup"]) == ("POST", "commonplace")
    return answer["httpStatusCode"], json.loads(answer["responseBody"]["application/json"]["body"])


def _plain_answer(body: dict[str, Any]) -> Answer:
    return (0 if "error" in body else 200), body


def _string(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _type(value: object) -> str:
    names = {bool: "boolean", int: "integer", float: "number", list: "array"}
    return names.get(type(value), "string")


_NAMED = {"x-commonplace-user": "ana"}
KINDS = (
    Kind("http", f"{ISSUER}|ana", lambda tool, given: (http(f"/tools/{tool}", given), Context()), _http_answer),
    Kind(
        "http-base64", f"{ISSUER}|ana",
        lambda tool, given: (http(f"/tools/{tool}", given, encoded=True), Context()), _http_answer,
    ),
    Kind(
        "http-iam", f"{ROLE}|ana",
        lambda tool, given: (http(f"/tools/{tool}", given, authorizer=iam(), headers=_NAMED), Context()), _http_answer,
        admin=True,
    ),
    Kind(
        "http-admin", f"{ISSUER}|ana",
        lambda tool, given: (
            http(f"/tools/{tool}", given, authorizer=token(scope="openid commonplace/admin")), Context(),
        ), _http_answer, admin=True,
    ),
    Kind(
        "http-act-as", f"{ISSUER}#backend|ana",
        lambda tool, given: (
            http(f"/tools/{tool}", given, authorizer=token("backend", "commonplace/act-as"), headers=_NAMED), Context(),
        ), _http_answer,
    ),
    Kind("bedrock-function", "bedrock|ana", lambda tool, given: (agent(tool, given), Context()), _function_answer),
    Kind("bedrock-api", "bedrock|ana", lambda tool, given: (agent(tool, given, by_api=True), Context()), _api_answer),
    Kind(
        "agentcore", f"{ISSUER}|ana",
        lambda tool, given: (dict(given), gateway(tool, {"X-Commonplace-User": f"{ISSUER}|ana"})), _plain_answer,
    ),
    Kind(
        "direct", "direct|ana",
        lambda tool, given: ({"tool": tool, "arguments": given, "identity": {"user_id": "ana"}}, Context()), _plain_answer,
        admin=True,
    ),
)  # fmt: skip
