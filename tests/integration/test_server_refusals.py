import http.client
import json
import socket
from collections.abc import Iterator

import pytest

from commonplace.domain.transfer import MOST_BYTES
from commonplace.interfaces.http.routing import MAX_BODY
from tests.integration.http_server import Server, served

pytestmark = pytest.mark.integration
SEARCH = "/tools/search_memory"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with served(tmp_path_factory.mktemp("server") / "memory.db") as running:
        yield running


@pytest.mark.parametrize(
    "body",
    [
        b"", b"tea", b"{", b"{'query': 'tea'}", b'{"query": "tea"} {}', b'{"query": NaN}', b'{"limit": Infinity}',
        b'{"limit": -Infinity}', b'{"limit": 1e999}', b'{"limit": %s}' % (b"9" * 5000), b'{"query": "a", "query": "b"}',
        b'{"query": "a", "options": {"limit": 1, "limit": 2}}', b"[" * 100_000, b'{"query": "\xff"}', b"[]", b'"tea"', b"null",
        '{"query": "tea"}'.encode("utf-16"),
    ],
)  # fmt: skip
def test_what_is_no_json_object_is_400(server: Server, body: bytes) -> None:
    for path in (SEARCH, "/import"):
        answer = server.ask("POST", path, body)
        assert (answer.status, answer.code) == (400, "invalid_json")


@pytest.mark.parametrize(
    ("body", "code", "field"),
    [
        ({}, "missing_field", "query"),
        ({"query": " "}, "empty_text", "query"),
        ({"query": "t" * 8001}, "text_too_long", "query"),
        ({"query": "tea", "limit": 101}, "invalid_argument", "limit"),
        ({"query": "tea", "user_id": "ben"}, "unknown_field", "user_id"),
        ({"query": "a\u0000b"}, "invalid_argument", "query"),
    ],
)
def test_bad_arguments_are_400_and_name_their_field(server: Server, body: object, code: str, field: str) -> None:
    answer = server.ask("POST", SEARCH, body)
    assert (answer.status, answer.code, answer.body["error"]["field"]) == (400, code, field)


def test_an_unknown_tool_is_404(server: Server) -> None:
    answer = server.ask("POST", "/tools/forget_everything", {})
    assert (answer.status, answer.code) == (404, "unknown_tool")


@pytest.mark.parametrize("path", ["/tool", "/tools/a/b", "/static/x", "/%00", "/import/now"])
def test_an_unknown_path_is_404(server: Server, path: str) -> None:
    answer = server.ask("POST", path, {})
    assert (answer.status, answer.code) == (404, "not_found")


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("GET", SEARCH, "POST"), ("PUT", SEARCH, "POST"), ("GET", "/import", "POST"), ("POST", "/health", "GET"),
        ("DELETE", "/tools", "GET"), ("POST", "/", "GET"), ("PUT", "/openapi.json", "GET"), ("PATCH", "/health", "GET"),
    ],
)  # fmt: skip
def test_a_wrong_method_is_405_and_tells_the_right_one(server: Server, method: str, path: str, allowed: str) -> None:
    answer = server.ask(method, path, b"{}")
    assert (answer.status, answer.code) == (405, "method_not_allowed")
    assert allowed in answer.headers["Allow"].split(", ")


@pytest.mark.parametrize(("path", "most"), [(SEARCH, MAX_BODY), ("/uploads", MOST_BYTES)])
@pytest.mark.parametrize("more", [1, 10**9])
def test_too_large_a_body_is_413_and_tells_the_bound_of_its_route(server: Server, path: str, most: int, more: int) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    connection.putrequest("POST", path)
    connection.putheader("Content-Length", str(most + more))
    connection.endheaders()
    if more == 1:  # the larger one is refused before it is sent
        connection.send(b" " * (most + more))
    response = connection.getresponse()
    assert response.status == 413
    error = json.loads(response.read())["error"]
    assert error["code"] == "payload_too_large"
    assert f"longer than {most:,} bytes" in error["message"]
    connection.close()


def test_a_file_as_large_as_documented_is_kept(server: Server) -> None:
    answer = server.ask("POST", "/uploads", b"x" * MOST_BYTES)
    assert (answer.status, set(answer.body) >= {"upload_id"}) == (200, True)


def test_the_largest_body_is_read(server: Server) -> None:
    body = b'{"query": "tea"}'
    assert server.ask("POST", SEARCH, body + b" " * (MAX_BODY - len(body))).status == 200


def test_what_is_no_http_is_answered_and_the_server_lives_on(server: Server) -> None:
    with socket.create_connection(("127.0.0.1", server.port), timeout=60) as connection:
        connection.sendall(b"GET / HTTP/1.1\r\nHost : x\r\nContent-Length: many\r\n\r\n")
        received = connection.recv(65536)
        while chunk := connection.recv(65536):
            received += chunk
    assert received.startswith(b"HTTP/1.")
    assert b'"error"' in received
    assert server.ask("GET", "/health").status == 200


def raw(server: Server, head: str, body: bytes = b"") -> tuple[int, bytes]:
    """The status and the body of the answer to what is sent as it stands; `{port}` is the server's."""
    lines = head.format(port=server.port).replace("\n", "\r\n")
    with socket.create_connection(("127.0.0.1", server.port), timeout=60) as connection:
        connection.sendall(f"{lines}\r\n\r\n".encode() + body)
        answer = http.client.HTTPResponse(connection)
        answer.begin()
        return answer.status, answer.read()


@pytest.mark.parametrize("target", ["http://127.0.0.1:{port}/health", "HTTP://localhost:{port}/health?now"])
def test_a_whole_address_may_be_asked_for(server: Server, target: str) -> None:
    status, body = raw(server, f"GET {target} HTTP/1.1\nHost: 127.0.0.1:{{port}}")
    assert (status, json.loads(body)["status"]) == (200, "ok")
    assert raw(server, "GET http://127.0.0.1:{port} HTTP/1.1\nHost: 127.0.0.1:{port}")[0] == 200
    assert raw(server, "GET http://127.0.0.1:{port}/nothing HTTP/1.1\nHost: 127.0.0.1:{port}")[0] == 404


@pytest.mark.parametrize(
    ("target", "host"),
    [("http://evil.example/health", "127.0.0.1"), ("http://127.0.0.1/health", "evil.example"),
     ("http://127.0.0.1@evil.example/health", "127.0.0.1"), ("http:///health", "127.0.0.1")],
)  # fmt: skip
def test_a_whole_address_of_another_server_is_403(server: Server, target: str, host: str) -> None:
    assert raw(server, f"GET {target} HTTP/1.1\nHost: {host}")[0] == 403


def test_a_body_whose_length_is_told_in_two_ways_is_400(server: Server) -> None:
    body = b'10\r\n{"query": "tea"}\r\n0\r\n\r\n'
    told = f"POST {SEARCH} HTTP/1.1\nHost: 127.0.0.1\nTransfer-Encoding: chunked"
    assert raw(server, told, body)[0] == 200
    for length in (5, len(body)):
        status, answer = raw(server, f"{told}\nContent-Length: {length}", body)
        assert (status, json.loads(answer)["error"]["code"]) == (400, "invalid_argument")


@pytest.mark.parametrize("host", ["127.0.0.1:{port}", "localhost:{port}", "LOCALHOST:{port}", "[::1]:{port}", "127.0.0.1"])
def test_its_own_names_are_answered(server: Server, host: str) -> None:
    assert server.ask("GET", "/health", Host=host.format(port=server.port)).status == 200


@pytest.mark.parametrize(
    "host",
    [
        "evil.example", "evil.example:{port}", "127.0.0.1:1", "localhost:80", "127.0.0.1.evil.example", "localhost.",
        "127.0.0.2:{port}", "0.0.0.0:{port}", "user@127.0.0.1:{port}", "127.0.0.1:{port}, evil.example", "",
    ],
)  # fmt: skip
def test_a_foreign_host_is_403_on_every_path(server: Server, host: str) -> None:
    for method, path in (("GET", "/health"), ("POST", SEARCH), ("GET", "/nowhere"), ("PUT", "/import")):
        answer = server.ask(method, path, b"{}", Host=host.format(port=server.port))
        assert (answer.status, answer.code) == (403, "forbidden")


def test_no_host_at_all_is_403(server: Server) -> None:
    with socket.create_connection(("127.0.0.1", server.port), timeout=60) as connection:
        connection.sendall(b"GET /health HTTP/1.0\r\n\r\n")
        assert connection.recv(64).split()[:2] in ([b"HTTP/1.0", b"403"], [b"HTTP/1.1", b"403"])


@pytest.mark.parametrize(
    "origin", ["https://evil.example", "null", "http://127.0.0.1:1", "https://127.0.0.1:{port}", "file://", ""]
)
def test_a_foreign_origin_is_403_and_nothing_is_stored(server: Server, origin: str) -> None:
    before = server.ask("GET", "/health").body["total_memories"]
    answer = server.ask(
        "POST", "/tools/store_memory", {"content": "I own a zeppelin."}, Origin=origin.format(port=server.port)
    )
    assert (answer.status, answer.code) == (403, "forbidden")
    assert "Access-Control-Allow-Origin" not in answer.headers
    assert server.ask("GET", "/health").body["total_memories"] == before


@pytest.mark.parametrize("site", ["cross-site", "Cross-Site"])
def test_a_page_of_another_site_is_403_even_without_an_origin(server: Server, site: str) -> None:
    for method, path in (("GET", "/health"), ("GET", "/tools"), ("POST", SEARCH)):
        answer = server.ask(method, path, b"{}", **{"Sec-Fetch-Site": site})
        assert (answer.status, answer.code) == (403, "forbidden")


@pytest.mark.parametrize("site", ["none", "same-origin"])
def test_what_the_user_typed_is_answered(server: Server, site: str) -> None:
    assert server.ask("GET", "/health", **{"Sec-Fetch-Site": site}).status == 200


def test_its_own_origin_is_answered(server: Server) -> None:
    assert server.ask("POST", SEARCH, {"query": "tea"}, Origin=f"http://localhost:{server.port}").status == 200
