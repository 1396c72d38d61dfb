"""The front: requests become events as API Gateway makes them, and answers what it makes of them."""

import base64
import http.client
import json
import sys
import types
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from cloud.authorizer import Authorizer
from cloud.front import Front
from cloud.template import Function, Route
from cloud.tokens import AUDIENCE, ISSUER, Issuer

OURS = Issuer.new()
Ask = Callable[..., tuple[http.client.HTTPResponse, bytes]]


@pytest.fixture
def handled() -> list[Any]:
    """What the handler returns or raises, and then the events that it got."""
    return [{"statusCode": 200, "body": "{}"}]


@pytest.fixture
def ask(handled: list[Any], monkeypatch: pytest.MonkeyPatch) -> Iterator[Ask]:
    def handler(event: dict[str, Any], context: Any) -> Any:
        handled.append((event, context))
        if isinstance(handled[0], Exception):
            raise handled[0]
        return handled[0]

    module = types.ModuleType("handler_of_this_test")
    module.handler = handler  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, module.__name__, module)
    function = Function("store", module.__name__, "handler")
    keys = ("POST /tools/x", "GET /runs", "GET /runs/{run_id}", "POST /runs/{run_id}/undo")
    routes = {key: Route(key, function) for key in keys} | {"GET /scoped": Route("GET /scoped", function, ("a", "b"))}
    routes["GET /open"] = Route("GET /open", function, is_open=True)
    with Front(routes, Authorizer(ISSUER, [AUDIENCE], OURS.keys), port=0) as front:
        host = front.url.removeprefix("http://")

        def asked(
            method: str, path: str, body: bytes | None = None, token: str | None = OURS.token("ana"), **headers: str
        ) -> Any:
            connection = http.client.HTTPConnection(host, timeout=60)
            given = {name.replace("_", "-"): value for name, value in headers.items()}
            connection.request(method, path, body, ({"Authorization": f"Bearer {token}"} if token else {}) | given)
            response = connection.getresponse()
            told = response.read()
            connection.close()
            return response, told

        yield asked


def event(handled: list[Any]) -> dict[str, Any]:
    found: dict[str, Any] = handled[-1][0]
    return found


def test_a_request_becomes_an_event_of_version_two(ask: Ask, handled: list[Any]) -> None:
    ask(
        "POST",
        "/tools/x?a=1&a=2&b=%20",
        b'{"k": "\xc3\xa9"}',
        Content_Type="application/json",
        X_Commonplace_User="Ben",
        Cookie="c=1; d=2",
    )
    got = event(handled)
    assert (got["version"], got["routeKey"], got["rawPath"], got["rawQueryString"]) == (
        "2.0",
        "POST /tools/x",
        "/tools/x",
        "a=1&a=2&b=%20",
    )
    assert got["queryStringParameters"] == {"a": "1,2", "b": " "}
    assert (got["body"], got["isBase64Encoded"]) == ('{"k": "é"}', False)
    assert (got["headers"]["x-commonplace-user"], got["cookies"]) == ("Ben", ["c=1", "d=2"])
    context = got["requestContext"]
    assert context["http"] | {"userAgent": ""} == {
        "method": "POST", "path": "/tools/x", "protocol": "HTTP/1.1", "sourceIp": "127.0.0.1", "userAgent": "",
    }  # fmt: skip
    assert context["authorizer"]["jwt"]["claims"]["sub"] == "ana"
    assert (context["authorizer"]["jwt"]["scopes"], context["stage"], context["routeKey"]) == (
        None,
        "$default",
        "POST /tools/x",
    )
    assert context["requestId"]
    assert handled[-1][1].function_name == "store"
    assert handled[-1][1].get_remaining_time_in_millis() > 20_000


def test_the_kind_of_a_body_is_the_handlers_however_it_is_written(ask: Ask, handled: list[Any]) -> None:
    handled[0] = {"statusCode": 200, "headers": {"content-type": "application/json"}, "body": "{}"}
    response, _ = ask("POST", "/tools/x", b"{}")
    assert response.headers.get_all("Content-Type") == ["application/json"]


def test_an_open_route_is_answered_without_a_token(ask: Ask, handled: list[Any]) -> None:
    response, _ = ask("GET", "/open", token=None)
    assert response.status == 200
    assert "authorizer" not in event(handled)["requestContext"]
    assert event(handled)["headers"]["x-forwarded-proto"] == "http"


def test_the_event_has_the_fields_that_powertools_reads(ask: Ask, handled: list[Any]) -> None:
    from aws_lambda_powertools.utilities.parser.models import APIGatewayProxyEventV2Model

    ask("POST", "/tools/x", b"{}", Content_Type="application/json")
    told = APIGatewayProxyEventV2Model.model_validate(event(handled))
    assert told.requestContext.authorizer is not None


@pytest.mark.parametrize(
    ("kind", "body", "text"),
    [
        ("application/json", b"{}", True),
        ("application/json; charset=utf-8", b"{}", True),
        ("text/plain", b"hello", True),
        ("application/x-www-form-urlencoded", b"a=1", False),  # what curl says without a header
        ("application/octet-stream", b"\x00", False),
        ("application/json", b"\xff", False),
    ],
)
def test_what_is_no_text_travels_in_base64(ask: Ask, handled: list[Any], kind: str, body: bytes, text: bool) -> None:
    ask("POST", "/tools/x", body, Content_Type=kind)
    got = event(handled)
    assert got["isBase64Encoded"] is not text
    assert (got["body"].encode() if text else base64.b64decode(got["body"])) == body


def test_without_a_body_there_is_none(ask: Ask, handled: list[Any]) -> None:
    ask("POST", "/tools/x")
    assert "body" not in event(handled)


@pytest.mark.parametrize(
    ("method", "path"), [("GET", "/tools/x"), ("POST", "/tools/x/"), ("POST", "/tools/y"), ("POST", "/")]
)
def test_a_route_that_is_not_there_is_404_and_reaches_no_handler(
    ask: Ask, handled: list[Any], method: str, path: str
) -> None:
    response, body = ask(method, path, token=None)
    assert (response.status, json.loads(body)) == (404, {"message": "Not Found"})
    assert len(handled) == 1


@pytest.mark.parametrize(
    ("method", "path", "key", "parameters"),
    [
        ("GET", "/runs", "GET /runs", None),
        ("GET", "/runs/last", "GET /runs/{run_id}", {"run_id": "last"}),
        ("GET", "/runs/caf%C3%A9?limit=2", "GET /runs/{run_id}", {"run_id": "café"}),
        ("POST", "/runs/last/undo", "POST /runs/{run_id}/undo", {"run_id": "last"}),
    ],
)
def test_a_route_may_have_a_part_that_varies(
    ask: Ask, handled: list[Any], method: str, path: str, key: str, parameters: dict[str, str] | None
) -> None:
    assert ask(method, path)[0].status == 200
    assert (event(handled)["routeKey"], event(handled).get("pathParameters")) == (key, parameters)


@pytest.mark.parametrize("path", ["/runs/", "/runs/a/b", "/runs/a/undo"])
def test_a_part_that_varies_is_one_part(ask: Ask, handled: list[Any], path: str) -> None:
    assert ask("GET", path)[0].status == 404


@pytest.mark.parametrize("token", [None, "abc", OURS.token("ana", seconds=-10), Issuer.new().token("ana")])
def test_without_a_good_token_it_is_401_and_reaches_no_handler(ask: Ask, handled: list[Any], token: str | None) -> None:
    response, body = ask("POST", "/tools/x", b"{}", token)
    assert (response.status, json.loads(body)) == (401, {"message": "Unauthorized"})
    told = str(response.headers["www-authenticate"])
    assert 'error="invalid_token"' in told if token else told == "Bearer"
    assert len(handled) == 1


def test_without_a_scope_of_the_route_it_is_403(ask: Ask, handled: list[Any]) -> None:
    response, body = ask("GET", "/scoped")
    assert (response.status, json.loads(body)) == (403, {"message": "Forbidden"})
    assert 'scope="a b" error="insufficient_scope"' in str(response.headers["www-authenticate"])
    assert ask("GET", "/scoped", token=OURS.token("ana", "b"))[0].status == 200
    assert event(handled)["requestContext"]["authorizer"]["jwt"]["scopes"] == ["a", "b"]


def test_the_handlers_answer_becomes_the_response(ask: Ask, handled: list[Any]) -> None:
    handled[0] = {"statusCode": 409, "headers": {"Content-Type": "application/json", "X-A": 1}, "body": '{"é": 1}'}
    response, body = ask("POST", "/tools/x")
    assert (response.status, response.headers["content-type"], response.headers["x-a"]) == (409, "application/json", "1")
    assert body.decode() == '{"é": 1}'
    assert "stands in for API Gateway" in str(response.headers["via"])
    handled[0] = {"statusCode": 200, "body": base64.b64encode(b"\x00\xff").decode(), "isBase64Encoded": True}
    assert ask("POST", "/tools/x")[1] == b"\x00\xff"
    handled[0] = {"a": 1}
    response, body = ask("POST", "/tools/x")
    assert (response.status, json.loads(body)) == (200, {"a": 1})


@pytest.mark.parametrize("wrong", [RuntimeError("what was said"), {"statusCode": 200, "body": {"a": 1}}])
def test_a_handler_that_fails_is_500_and_nothing_of_its_words(ask: Ask, handled: list[Any], wrong: Any) -> None:
    handled[0] = wrong
    response, body = ask("POST", "/tools/x")
    assert (response.status, json.loads(body)) == (500, {"message": "Internal Server Error"})


@pytest.mark.parametrize("size", [6_400_000, 10_100_000])
def test_what_is_larger_than_a_function_takes_is_413(ask: Ask, handled: list[Any], size: int) -> None:
    assert ask("POST", "/tools/x", b"x" * size, Content_Type="text/plain")[0].status == 413
    assert len(handled) == 1
