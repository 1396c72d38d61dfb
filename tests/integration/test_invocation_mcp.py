"""The function `mcp`, by the events of an HTTP API: the protocol, whose memories it reaches, and who is refused."""

import json
import logging
from collections.abc import Mapping
from typing import Any

import pytest

from commonplace.domain.errors import CommonplaceError, ErrorCode
from commonplace.interfaces.aws import container
from commonplace.ports.bundle import Ports
from commonplace.settings import Settings
from tests.integration.cloud_functions import ports as ports
from tests.integration.lambda_calls import ISSUER, Context, handler, http, iam, token

pytestmark = pytest.mark.integration

MIA = "My daughter Mia is allergic to peanuts."
HOST = "api-id.execute-api.eu-central-1.amazonaws.com"
TAKES = {"accept": "application/json, text/event-stream", "host": HOST}
LISTED = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
WELL_KNOWN = "/.well-known/oauth-protected-resource"


@pytest.fixture
def asked(ports: Ports, monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, dict[str, Any]]]:
    """Every event that `mcp` sent to another function, which answered as it does."""
    seen: list[tuple[str, dict[str, Any]]] = []

    def answer(function: str, event: Mapping[str, Any]) -> Mapping[str, Any]:
        sent = json.loads(json.dumps(event))
        seen.append((function, sent))
        return handler(function)(sent, Context())

    monkeypatch.setattr(container, "functions", lambda: answer)
    monkeypatch.setattr(container, "settings", lambda: Settings(issuer=ISSUER, mcp_scopes="openid"))
    return seen


def sent(body: Any, method: str = "POST", path: str = "/mcp", authorizer: Any = None, query: str = "", **headers: str) -> Any:
    """The answer to one request."""
    event = http(path, body, method, authorizer, {**TAKES, **headers}) | {"rawQueryString": query}
    return json.loads(json.dumps(handler("mcp")(event, Context())))


def asks(method: str, authorizer: Any = None, query: str = "", headers: Any = None, **params: Any) -> Any:
    """What the protocol answers to a request of it."""
    answer = sent(
        {"jsonrpc": "2.0", "id": 7, "method": method, "params": params}, "POST", "/mcp", authorizer, query, **headers or {}
    )
    assert answer["statusCode"] == 200, answer
    assert answer["headers"]["content-type"] == "application/json"
    told = json.loads(answer["body"])
    assert told["id"] == 7
    return told


def calls(tool: str, authorizer: Any = None, headers: Any = None, **arguments: Any) -> Any:
    """What a tool answers."""
    return asks("tools/call", authorizer, "", headers, name=tool, arguments=arguments)["result"]


def error_of(answer: Any) -> tuple[int, str]:
    return answer["statusCode"], json.loads(answer["body"])["error"]["code"]


def test_a_session_begins_and_keeps_nothing(asked: Any) -> None:
    about = {"name": "a client", "version": "1"}
    told = asks("initialize", protocolVersion="2025-11-25", capabilities={}, clientInfo=about)["result"]
    assert told["serverInfo"]["name"] == "commonplace"
    assert told["instructions"]
    done = sent({"jsonrpc": "2.0", "method": "notifications/initialized"})
    assert (done["statusCode"], "mcp-session-id" in done["headers"]) == (202, False)
    assert asked == []


def test_tools_are_listed_by_the_address(asked: Any) -> None:
    shown = {tool["name"] for tool in asks("tools/list")["result"]["tools"]}
    assert {"store_memory", "search_memory", "get_memory_context"} < shown
    assert shown < {tool["name"] for tool in asks("tools/list", query="tier=all")["result"]["tools"]}
    assert asks("tools/list", query="tier=best")["error"]["code"] == -32602


def test_a_call_is_done_by_the_function_of_its_tool(asked: list[tuple[str, dict[str, Any]]], ports: Ports) -> None:
    stored = calls("store_memory", content=MIA)["structuredContent"]
    found = calls("search_memory", query="is anybody allergic?")["structuredContent"]
    assert [hit["content"] for hit in found["results"]] == [MIA]
    read = asks("resources/read", uri=f"memory://{stored['memory_id']}")["result"]["contents"]
    assert MIA in read[0]["text"]
    assert MIA in asks("resources/read", uri="memory://pages/MEMORY.md")["result"]["contents"][0]["text"]
    assert [function for function, _ in asked] == ["store", "search", "read", "read"]
    assert [memory.content for memory in ports.records.all(f"{ISSUER}|ana")] == [MIA]


def test_one_user_never_meets_the_memories_of_another(asked: Any) -> None:
    ana, ben = token("ana"), token("ben")
    stored = calls("store_memory", ana, content=MIA)["structuredContent"]
    assert calls("search_memory", ben, query="is anybody allergic?")["structuredContent"]["results"] == []
    for uri in (f"memory://{stored['memory_id']}", "memory://pages/memory/2026-05-20.md"):
        assert asks("resources/read", ben, uri=uri)["error"]["code"] == -32602
    assert "Mia" not in json.dumps(asks("resources/read", ben, uri="memory://pages/MEMORY.md"))
    refused = calls("delete_memory", ben, memory_id=stored["memory_id"])
    assert refused["isError"]
    assert calls("search_memory", ana, query="is anybody allergic?")["structuredContent"]["results"]


def test_neither_an_argument_nor_a_header_names_the_user(asked: Any) -> None:
    assert calls("search_memory", query="tea", user_id="ben")["isError"]
    named = {"x-commonplace-user": "ben"}
    assert error_of(sent(LISTED, **named)) == (403, "forbidden")
    assert asked == [("search", asked[0][1])]


def test_a_backend_that_may_act_for_others_may_here(asked: Any, ports: Ports) -> None:
    backend = token("backend", "commonplace/act-as commonplace/admin")
    calls("store_memory", backend, {"x-commonplace-user": "ana"}, content=MIA)
    assert [memory.content for memory in ports.records.all(f"{ISSUER}#backend|ana")] == [MIA]


def test_whoever_speaks_here_is_a_model(asked: list[tuple[str, dict[str, Any]]]) -> None:
    told = calls("export_memories", token(scope="openid commonplace/admin"))["structuredContent"]
    assert told["status"] == "needs_review"
    (_, event) = asked[0]
    assert event["requestContext"]["authorizer"]["jwt"]["claims"] == {"iss": ISSUER, "sub": "ana", "scope": ""}
    assert set(event["headers"]) == set()


def test_the_time_zone_goes_along(asked: list[tuple[str, dict[str, Any]]]) -> None:
    calls("memory_timeline", headers={"x-commonplace-timezone": "Europe/Berlin"}, granularity="day")
    assert asked[0][1]["headers"] == {"X-Commonplace-Timezone": "Europe/Berlin"}


@pytest.mark.parametrize("authorizer", [{}, {"jwt": {"claims": {}}}, iam(), {"jwt": {"claims": {"iss": ISSUER}}}], ids=str)
def test_nobody_is_anonymous(asked: Any, authorizer: Any) -> None:
    assert error_of(sent(LISTED, authorizer=authorizer)) == (401, "unauthorized")
    assert asked == []


@pytest.mark.parametrize(
    "headers",
    [{"host": "evil.example"}, {"host": f"{HOST}.evil.example"}, {"origin": "https://evil.example"}, {"origin": "null"}],
    ids=str,
)
@pytest.mark.parametrize("path", ["/mcp", WELL_KNOWN])
def test_other_names_and_web_pages_of_elsewhere_are_refused(asked: Any, path: str, headers: dict[str, str]) -> None:
    method = "POST" if path == "/mcp" else "GET"
    assert error_of(sent(LISTED, method, path, **headers)) == (403, "forbidden")
    assert asked == []


def test_its_own_origin_is_answered(asked: Any) -> None:
    assert sent(LISTED, origin=f"https://{HOST}")["statusCode"] == 200


@pytest.mark.parametrize("method", ["GET", "DELETE"])
def test_there_is_no_session_to_get_or_delete(asked: Any, method: str) -> None:
    answer = sent(None, method)
    assert error_of(answer) == (405, "method_not_allowed")
    assert answer["headers"]["Allow"] == "POST"


@pytest.mark.parametrize("body", [b"", b"tea", b"[" * 100_000, b'{"jsonrpc": "2.0"}', b"{}"], ids=lambda body: repr(body[:9]))
def test_what_is_no_request_of_the_protocol_is_refused(asked: Any, body: bytes) -> None:
    assert 400 <= sent(body)["statusCode"] < 500


def test_a_body_may_come_in_base64(asked: Any) -> None:
    event = http("/mcp", LISTED, headers=TAKES, encoded=True)
    assert handler("mcp")(event, Context())["statusCode"] == 200
    broken = handler("mcp")(event | {"body": "%"}, Context())
    assert error_of(broken) == (400, "invalid_json")


def test_no_such_tool_is_an_error_of_the_protocol(asked: Any) -> None:
    told = asks("tools/call", name="forget_everything", arguments={})
    assert told["error"]["code"] == -32602
    assert asked == []


def test_a_function_that_does_not_answer_is_told_to_the_model(asked: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def silent(function: str, event: Mapping[str, Any]) -> Mapping[str, Any]:
        raise CommonplaceError(ErrorCode.STORAGE_UNAVAILABLE, "the function store has not answered (ReadTimeoutError)")

    monkeypatch.setattr(container, "functions", lambda: silent)
    told = calls("store_memory", content=MIA)
    assert told["isError"]
    assert json.loads(told["content"][0]["text"])["error"]["code"] == "storage_unavailable"


@pytest.mark.parametrize("path", ["", "/mcp"])
def test_a_client_without_a_token_learns_who_gives_one(asked: Any, path: str) -> None:
    answer = sent(None, "GET", f"{WELL_KNOWN}{path}", {})
    assert answer["statusCode"] == 200
    assert json.loads(answer["body"]) == {
        "resource": f"https://{HOST}{path}",
        "resource_name": "Commonplace",
        "authorization_servers": [ISSUER],
        "scopes_supported": ["openid"],
        "bearer_methods_supported": ["header"],
    }


def test_no_text_is_logged(asked: Any, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG):
        calls("store_memory", content=MIA)
        sent(json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": MIA}}).encode())
    out, err = capsys.readouterr()
    lines = [json.loads(line) for line in out.splitlines()]
    told = [(line["tool"], line["status"]) for line in lines if line.get("way") == "mcp"]
    assert told == [("mcp", 200), ("mcp", 200)]
    assert "peanuts" not in out + err + caplog.text


def test_a_model_deletes_twenty_memories_an_hour_whatever_its_token_may(asked: Any) -> None:
    admin = token(scope="openid commonplace/admin")
    ids = [
        calls("store_memory", admin, content=f"I saw bird {number}.")["structuredContent"]["memory_id"]
        for number in range(21)
    ]
    for one in ids[:20]:
        assert not calls("delete_memory", admin, id=one).get("isError"), one
    refused = calls("delete_memory", admin, memory_id=ids[20])
    error = json.loads(refused["content"][0]["text"])["error"]
    assert (refused["isError"], error["code"], error["retryable"]) == (True, "too_many_requests", True)
    assert f"commonplace delete {ids[20]}" in error["message"]


def test_a_tool_that_is_discovered_is_called_by_its_name_for_no_list_is_kept(asked: Any) -> None:
    before = asks("tools/list")["result"]["tools"]
    answer = asks("tools/call", name="discover_memory_tools", arguments={"tool": "memory_stats"})["result"]
    told = answer["structuredContent"]["tool_list"]
    assert "call memory_stats by its name" in told
    assert "--tier core" in told
    assert asks("tools/list")["result"]["tools"] == before
    about = {"name": "a client", "version": "1"}
    can = asks("initialize", protocolVersion="2025-11-25", capabilities={}, clientInfo=about)["result"]["capabilities"]
    assert not can["tools"].get("listChanged")
