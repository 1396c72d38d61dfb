"""Every way in knows its user or refuses, whatever the arguments say."""

import json
from typing import Any

import pytest

from commonplace.interfaces.aws import container
from commonplace.ports.bundle import Ports
from tests.integration.cloud_functions import ports as ports
from tests.integration.lambda_calls import ISSUER, ROLE, Context, agent, gateway, handler, http, iam, token

pytestmark = pytest.mark.integration

TEA = {"content": "I drink tea."}
ACT_AS = "openid commonplace/act-as"


def stored_for(ports: Ports, user_id: str) -> int:
    return sum(1 for _ in ports.records.all(user_id))


@pytest.mark.parametrize(
    ("authorizer", "headers", "status", "code"),
    [
        ({}, {}, 401, "unauthorized"),
        ({}, {"x-commonplace-user": "ana"}, 401, "unauthorized"),
        ({"lambda": {"sub": "ana"}}, {}, 401, "unauthorized"),
        ({"jwt": {"claims": {"sub": "ana"}}}, {}, 401, "unauthorized"),
        (token(), {"x-commonplace-user": "bo"}, 403, "forbidden"),
        (token(), {"X-Commonplace-User": "ana"}, 403, "forbidden"),
        (token("backend", ACT_AS), {"x-commonplace-user": " "}, 400, "invalid_argument"),
        (iam(), {}, 400, "missing_field"),
        (iam(), {"x-commonplace-user": "ana", "x-commonplace-timezone": "Mars/Olympus"}, 400, "invalid_argument"),
    ],
)
def test_http_without_a_user_stores_nothing(authorizer: Any, headers: Any, status: int, code: str, ports: Ports) -> None:
    response = handler("store")(http("/tools/store_memory", TEA, authorizer=authorizer, headers=headers), Context())
    assert (response["statusCode"], json.loads(response["body"])["error"]["code"]) == (status, code)
    assert not [user for user in (f"{ISSUER}|ana", f"{ISSUER}|bo", f"{ROLE}|ana") if stored_for(ports, user)]


def test_a_backend_reaches_its_own_users_only(ports: Ports) -> None:
    event = http("/tools/store_memory", TEA, authorizer=token("backend", ACT_AS), headers={"x-commonplace-user": "ana"})
    assert handler("store")(event, Context())["statusCode"] == 200
    assert (stored_for(ports, f"{ISSUER}#backend|ana"), stored_for(ports, f"{ISSUER}|ana")) == (1, 0)


def test_bedrock_takes_the_user_from_the_session_only(ports: Ports) -> None:
    event = agent("store_memory", TEA, attributes={}) | {"promptSessionAttributes": {"X-Commonplace-User": "ana"}}
    answer = handler("store")(event, Context())["response"]["functionResponse"]
    assert answer["responseState"] == "FAILURE"
    assert json.loads(answer["responseBody"]["TEXT"]["body"])["error"]["code"] == "unauthorized"
    assert not stored_for(ports, "bedrock|ana")


@pytest.mark.parametrize(
    "context",
    [
        gateway("store_memory", None),
        gateway("store_memory", {}),
        gateway("store_memory", {"X-Commonplace-User": "ana"}),
        gateway("store_memory", {"X-Commonplace-User": f"{ISSUER}|ana"}, gateway_id="a gateway without the interceptor"),
    ],
)
def test_agentcore_without_the_interceptors_header_is_refused(context: Context, ports: Ports) -> None:
    answer = handler("store")({**TEA}, context)
    assert answer["error"]["code"] == "unauthorized"
    assert not stored_for(ports, f"{ISSUER}|ana")


def test_two_user_headers_are_refused(ports: Ports) -> None:
    both = {"X-Commonplace-User": f"{ISSUER}|ana", "x-commonplace-user": f"{ISSUER}|bo"}
    assert handler("store")({**TEA}, gateway("store_memory", both))["error"]["code"] == "invalid_argument"


@pytest.mark.parametrize(
    "forged",
    [
        http("/tools/store_memory", TEA, authorizer=token("victim")),
        agent("store_memory", TEA, attributes={"X-Commonplace-User": "victim"}),
        {"tool": "store_memory", "arguments": TEA, "identity": {"user_id": "victim"}},
    ],
    ids=["http", "bedrock", "direct"],
)
def test_a_models_arguments_pass_for_no_other_event(forged: Any, ports: Ports) -> None:
    answer = handler("store")({**forged, **TEA}, gateway("store_memory", {"X-Commonplace-User": f"{ISSUER}|ana"}))
    assert answer["error"]["code"] == "unknown_field"
    assert not [user for user in (f"{ISSUER}|victim", "bedrock|victim", "direct|victim") if stored_for(ports, user)]


@pytest.mark.parametrize(
    ("identity", "code", "field"),
    [
        (None, "unauthorized", None),
        ({}, "missing_field", "identity.user_id"),
        ({"user_id": ""}, "invalid_argument", "identity.user_id"),
        ({"user_id": "ana", "timezone": "Mars/Olympus"}, "invalid_argument", "identity.timezone"),
        ({"user_id": "ana", "admin": True}, "unknown_field", "identity.admin"),
    ],
)
def test_direct_without_a_user_is_refused(identity: Any, code: str, field: str | None, ports: Ports) -> None:
    given = {} if identity is None else {"identity": identity}
    error = handler("store")({"tool": "store_memory", "arguments": TEA, **given}, Context())["error"]
    assert (error["code"], error["field"]) == (code, field)


def test_the_zone_of_the_user_is_the_callers(ports: Ports) -> None:
    """At noon in Berlin it is the same day in Tokyo and another hour: `today` starts by the user's own midnight."""
    event = http("/tools/search_memory", {"query": "what did I say today"}, headers={"x-commonplace-timezone": "Asia/Tokyo"})
    body = json.loads(handler("search")(event, Context())["body"])
    assert body["query_analysis"]["time_range"]["after"] == "2026-05-20T00:00:00+09:00"


@pytest.mark.parametrize(("milliseconds", "least", "most"), [(29_000, 19.9, 20.0), (4_000, 2.0, 3.0), (500, 0.2, 0.2)])
def test_a_busy_table_is_waited_for_no_longer_than_lambda_gives(
    milliseconds: int, least: float, most: float, ports: Ports, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[float] = []

    def opened() -> Ports:
        told.append(container.remaining())
        return ports

    monkeypatch.setattr(container, "ports", opened)
    event = {"tool": "store_memory", "arguments": TEA, "identity": {"user_id": "ana"}}
    assert "error" not in handler("store")(event, Context(milliseconds=milliseconds))
    assert least <= told[0] <= most


def test_a_function_that_is_misconfigured_says_no_more_than_that(
    ports: Ports, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.undo()
    for name in ("COMMONPLACE_TABLE", "COMMONPLACE_DB"):
        monkeypatch.delenv(name, raising=False)
    container.settings.cache_clear()
    event = {"tool": "store_memory", "arguments": TEA, "identity": {"user_id": "ana"}}
    error = handler("store")(event, Context())["error"]
    container.settings.cache_clear()
    assert (error["code"], error["field"]) == ("internal", None)
    assert "COMMONPLACE" not in error["message"]
    assert "COMMONPLACE_TABLE" in caplog.text
