"""Handles calls from Bedrock Agents, whose action groups contain functions or an API schema. All arguments are strings."""

import json
from collections.abc import Mapping
from typing import Any

from commonplace.contract.formats.aws_agents import EXTRA
from commonplace.contract.registry import tool_named
from commonplace.domain.errors import CommonplaceError, ErrorCode, invalid
from commonplace.domain.fields import Request
from commonplace.domain.strict_json import read_json
from commonplace.interfaces.aws import identity
from commonplace.interfaces.aws.call import Body, Call, Context, Event

NAME = "bedrock-agent"
BACKEND = "bedrock"
_MOST_BYTES = 24_000  # the whole response is limited to 25 KB
_NOT_THE_MODELS = {ErrorCode.UNAUTHORIZED.label, ErrorCode.FORBIDDEN.label, ErrorCode.METHOD_NOT_ALLOWED.label}


def unfolded(kind: type[Request], arguments: Mapping[str, Any]) -> Mapping[str, Any]:
    """Merge the JSON object in the string `options` into the arguments, unless the tool has a field with that name."""
    if EXTRA not in arguments or EXTRA in kind.model_fields:
        return arguments
    try:
        more = read_json(arguments[EXTRA])
    except CommonplaceError as error:
        raise CommonplaceError(ErrorCode.INVALID_JSON, f"{EXTRA}: must be JSON in a string: {error.message}", EXTRA) from None
    if not isinstance(more, dict):
        raise invalid(EXTRA, "must be a JSON object")
    twice = next((name for name in more if name in arguments), None)
    if twice is not None:
        raise invalid(twice, "was given twice")
    return {name: value for name, value in arguments.items() if name != EXTRA} | more


def takes(event: Event, context: Context) -> bool:  # noqa: ARG001
    """Return whether an event comes from a Bedrock agent."""
    return "actionGroup" in event and "messageVersion" in event


def correlation(event: Event, context: Context) -> str | None:  # noqa: ARG001
    """Return the id of the agent's session."""
    session_id: str | None = event.get("sessionId")
    return session_id


def read(event: Event, context: Context) -> Call:  # noqa: ARG001
    """Return the call that an event contains. Raises `UNAUTHORIZED` if the session attributes name no user."""
    attributes = event.get("sessionAttributes") or {}
    named = identity.header(attributes, identity.USER)
    if named is None:
        raise identity.unauthorized(f"the application must name the user in the session attribute {identity.USER}")
    user_id = identity.of_backend(BACKEND, named)
    zone = identity.zone_named(identity.header(attributes, identity.TIMEZONE))
    name = str(event["function"]) if "function" in event else str(event.get("apiPath")).removeprefix("/tools/")
    return Call(name, unfolded(tool_named(name).request, _parse_arguments(event)), user_id, zone)


def respond(event: Event, status: int, body: Body) -> Body:
    """Return the answer as text for the model. `REPROMPT` marks errors that the model can correct. `FAILURE` marks others."""
    status, body = _fit_answer(status, body)
    text = _format_json(body)
    if "function" in event:
        state = {} if status < 400 else {"responseState": "REPROMPT" if _can_be_mended(status, body) else "FAILURE"}
        answer = {"function": event["function"], "functionResponse": {**state, "responseBody": {"TEXT": {"body": text}}}}
    else:
        answer = {
            "apiPath": event.get("apiPath"),
            "httpMethod": event.get("httpMethod"),
            "httpStatusCode": status,
            "responseBody": {"application/json": {"body": text}},
        }
    return {
        "messageVersion": event["messageVersion"],
        "response": {"actionGroup": event["actionGroup"], **answer},
        "sessionAttributes": event.get("sessionAttributes") or {},
        "promptSessionAttributes": event.get("promptSessionAttributes") or {},
    }


def _fit_answer(status: int, body: Body) -> tuple[int, Body]:
    """Drop items from the end of the longest list until the answer fits the agent's limit. `notes` reports how many."""
    left_out = 0
    while len(_format_json(body).encode()) > _MOST_BYTES:
        lists = {name: value for name, value in body.items() if isinstance(value, list) and value}
        if not lists:
            error = CommonplaceError(ErrorCode.PAYLOAD_TOO_LARGE, "the answer is longer than an agent takes; ask for less")
            return error.code.status, error.body()
        longest = max(lists, key=lambda name: len(lists[name]))
        left_out += 1
        note = f"the last {left_out} of `{longest}` are left out: an agent takes no more at once; ask for fewer"
        body = {**body, longest: body[longest][:-1], "notes": {**(body.get("notes") or {}), "partial": note}}
    return status, body


def _format_json(body: Body) -> str:
    return json.dumps(body, ensure_ascii=False, allow_nan=False)


def _parse_arguments(event: Event) -> Mapping[str, Any]:
    """Return the call's arguments. An action group declares either functions or the operations of an API schema."""
    content = (event.get("requestBody") or {}).get("content") or {}
    properties = (content.get("application/json") or {}).get("properties") or []
    arguments: dict[str, Any] = {}
    for item in (*(event.get("parameters") or ()), *properties):
        if item["name"] in arguments:
            raise invalid(item["name"], "was given twice")
        arguments[item["name"]] = item["value"]
    return arguments


def _can_be_mended(status: int, body: Body) -> bool:
    """Return whether the model can correct the call that caused an error."""
    error = body["error"]
    return status < 500 and error["code"] not in _NOT_THE_MODELS and error["field"] not in (identity.USER, identity.TIMEZONE)
