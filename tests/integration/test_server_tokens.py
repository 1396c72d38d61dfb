"""`commonplace serve --tokens`: each sees only their own memories, whoever has no token nothing, and the log no text."""

import json
import signal
import socket
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from commonplace.interfaces.http.tokens import TokenFile
from tests.integration.http_server import Answer, Server, served

pytestmark = pytest.mark.integration
ANA, BEN = "My daughter Mia is allergic to peanuts.", "My son Tom is allergic to pollen."
ROUTES = [
    ("GET", "/"), ("GET", "/openapi.json"), ("GET", "/tools"), ("POST", "/tools/search_memory"), ("POST", "/memories"),
    ("POST", "/import"), ("GET", "/exports/x"), ("POST", "/uploads"), ("POST", "/interactions"), ("GET", "/runs"),
    ("GET", "/runs/last"), ("POST", "/runs/last/undo"), ("POST", "/runs/last/approve"), ("POST", "/runs/last/discard"),
    ("GET", "/history/tea"), ("GET", "/memories/x"), ("POST", "/feedback"), ("POST", "/feedback/forget"), ("GET", "/nowhere"),
    ("POST", "/mcp"), ("GET", "/mcp"), ("GET", "/ui"),
]  # fmt: skip


@dataclass(frozen=True)
class Home:
    """A server for two users, and the token of each."""

    server: Server
    ana: str
    ben: str
    tokens: Path

    def ask(self, token: str, method: str, path: str, body: Any = None, **headers: str) -> Answer:
        return self.server.ask(method, path, body, Authorization=f"Bearer {token}", **headers)

    def call(self, token: str, tool: str, **arguments: Any) -> Any:
        answer = self.ask(token, "POST", f"/tools/{tool}", arguments)
        assert answer.status == 200, answer.body
        return answer.body

    def lines(self) -> list[dict[str, Any]]:
        """Ends the server, and reads what it logged."""
        code, _, err = self.server.end(signal.SIGTERM)
        assert code == 0
        return [json.loads(line) for line in err.splitlines()]


def challenge(answer: Answer) -> str | None:
    """What a refusal asks for; a server may write the name of the header as it likes."""
    return {name.lower(): value for name, value in answer.headers.items()}.get("www-authenticate")


def at_home(folder: Path, *options: str, code: str = "") -> Iterator[Home]:
    file = folder / "tokens.json"
    ana, ben = (TokenFile(file).add(f"{user}-laptop", user) for user in ("ana", "ben"))
    with served(folder / "memory.db", "--tokens", str(file), *options, code=code) as server:
        yield Home(server, ana, ben, file)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    yield from at_home(tmp_path_factory.mktemp("home"), "--allow-host", "nas.lan")


@pytest.fixture
def fresh(tmp_path: Path) -> Iterator[Home]:
    yield from at_home(tmp_path, "--per-minute", "5")


def test_one_never_sees_what_is_the_others(home: Home) -> None:
    ids = {}
    for token, text in ((home.ana, ANA), (home.ben, BEN)):
        fact = {"key": "allergy", "value": text, "category": "personal_context", "durability": "durable"}
        ids[token] = home.call(token, "write_memory", **fact)["memory_id"]
    file = home.call(home.ana, "export_memories")["export_id"]
    backup = home.call(home.ana, "backup_restore", action="backup")["backup_id"]
    for token, own, foreign in ((home.ana, ANA, BEN), (home.ben, BEN, ANA)):
        asked = [
            home.call(token, "search_memory", query="is anybody allergic?"), home.call(token, "list_memories"),
            home.call(token, "get_memory", key="allergy"), home.ask(token, "GET", "/history/allergy").body,
            home.ask(token, "GET", "/memories/allergy").body,
        ]  # fmt: skip
        assert all(own in json.dumps(body) and foreign not in json.dumps(body) for body in asked)
    of_ana = ids[home.ana]
    assert home.ask(home.ben, "GET", f"/memories/{of_ana}").status == 404
    assert home.ask(home.ben, "GET", f"/exports/{file}").status == 404
    assert home.ask(home.ben, "POST", "/tools/delete_memory", {"memory_id": of_ana}).status == 404
    assert home.ask(home.ben, "POST", "/tools/backup_restore", {"action": "verify", "backup_id": backup}).status == 404
    rated = {"memory_id": of_ana, "query": "allergic", "useful": True}
    assert home.ask(home.ben, "POST", "/feedback", rated).status == 404
    assert home.ask(home.ana, "GET", f"/memories/{of_ana}").status == 200


def test_nobody_names_another_user(home: Home) -> None:
    for headers in ({"X-Commonplace-User": "ana"}, {"X-Forwarded-User": "ana"}, {"Cookie": "token=" + home.ana}):
        listed = home.ask(home.ben, "POST", "/tools/list_memories", {}, **headers)
        assert ANA not in json.dumps(listed.body)
    assert home.ask(home.ben, "POST", "/tools/list_memories", {"user_id": "ana"}).status == 400
    assert home.server.ask("POST", f"/tools/list_memories?token={home.ana}", {}).status == 401
    assert home.server.ask("POST", "/tools/list_memories", {}, Cookie=f"token={home.ana}").status == 401


def test_a_page_for_people_is_not_served_to_holders_of_tokens(home: Home) -> None:
    assert home.ask(home.ana, "GET", "/ui").status == 404


def test_the_document_says_that_it_takes_a_token(home: Home) -> None:
    document = home.ask(home.ana, "GET", "/openapi.json").body
    assert document["security"] == [{"token": []}]
    assert document["components"]["securitySchemes"]["token"]["scheme"] == "bearer"
    for operation in (one for item in document["paths"].values() for name, one in item.items() if name != "parameters"):
        refused = {status: operation["responses"][status] for status in ("401", "429")}
        assert [(one["description"], [*one["headers"]]) for one in refused.values()] == [
            ("unauthorized", ["WWW-Authenticate"]), ("too_many_requests", ["Retry-After"])
        ]  # fmt: skip
        assert len({json.dumps(one["content"]) for one in (*refused.values(), operation["responses"]["500"])}) == 1
    assert "machine only" not in json.dumps(home.ask(home.ana, "GET", "/").body) + json.dumps(document["servers"])


def test_whether_it_lives_is_told_to_anybody_and_no_more(home: Home) -> None:
    assert set(home.server.ask("GET", "/health").body) == {"status", "version"}
    assert "total_memories" in home.ask(home.ana, "GET", "/health").body
    assert home.server.ask("GET", "/health", Host="evil.example").status == 403


@pytest.mark.parametrize(
    ("host", "status"), [("nas.lan", 200), ("nas.lan:{port}", 200), ("other.lan", 403), ("evil.nas.lan", 403)]
)
def test_it_answers_to_the_names_that_were_allowed(home: Home, host: str, status: int) -> None:
    named = host.format(port=home.server.port)
    assert home.ask(home.ana, "GET", "/runs", Host=named).status == status
    foreign = home.ask(home.ana, "GET", "/runs", Host="nas.lan", Origin="https://evil.example")
    assert (foreign.status, foreign.code) == (403, "forbidden")


def test_what_a_proxy_would_say_is_not_believed(home: Home) -> None:
    told = {
        "X-Forwarded-Host": "evil.example",
        "X-Forwarded-For": "10.0.0.1",
        "X-Forwarded-Proto": "https",
        "Forwarded": "host=evil",
    }
    answer = home.ask(home.ana, "GET", "/", **told)
    assert answer.status == 200
    assert "evil" not in json.dumps(answer.body)
    assert home.ask(home.ana, "GET", "/runs", **told, Host="evil.example").status == 403


def test_without_a_token_nothing_is_opened(tmp_path: Path) -> None:
    for home in at_home(tmp_path):
        for method, path in ROUTES[:9]:
            answer = home.server.ask(method, path, b"{}")
            assert (answer.status, answer.code, challenge(answer)) == (401, "unauthorized", "Bearer")
        for given in (
            f"Bearer {home.ana}x",
            "Bearer",
            f"Basic {home.ana}",
            f"Bearer {home.ana}, {home.ben}",
            home.ana,
            "Bearer é",
        ):
            answer = home.server.ask("GET", "/runs", Authorization=given)
            assert (answer.status, answer.code) == (401, "unauthorized")
            assert challenge(answer) == 'Bearer error="invalid_token"'
        assert not (tmp_path / "memory.db").exists()  # nobody's memory was opened
        assert home.ask(home.ana, "GET", "/runs").status == 200


def test_every_route_asks_for_a_token(tmp_path: Path) -> None:
    for home in at_home(tmp_path):
        statuses = {(method, path): home.server.ask(method, path, b"{}").status for method, path in ROUTES}
        assert set(statuses.values()) == {401, 429}  # so many without a token are too many
        assert list(statuses.values())[:20] == [401] * 20
        late = home.server.ask("GET", "/runs", Authorization="Bearer x")
        assert (late.status, late.code) == (429, "too_many_requests")
        assert 1 <= int(late.headers["Retry-After"]) <= 3
        assert home.ask(home.ana, "GET", "/runs").status == 200  # of the same address, with a token


def test_a_token_that_asks_too_often_waits_and_no_other(fresh: Home) -> None:
    answers = [fresh.ask(fresh.ana, "GET", "/runs") for _ in range(6)]
    assert [one.status for one in answers] == [200] * 5 + [429]
    assert answers[-1].code == "too_many_requests"
    assert 1 <= int(answers[-1].headers["Retry-After"]) <= 12
    assert fresh.ask(fresh.ben, "GET", "/runs").status == 200
    logged = [(line["token"], line["status"]) for line in fresh.lines()]
    assert logged == [("ana-laptop", 200)] * 5 + [("ana-laptop", 429), ("ben-laptop", 200)]


def test_one_token_does_not_take_every_thread(tmp_path: Path) -> None:
    slow = (
        "import time\nfrom commonplace import Commonplace\nquick = Commonplace.call\n"
        "Commonplace.call = lambda self, tool, *a, **k: time.sleep(60) if tool == 'browse' else quick(self, tool, *a, **k)"
    )
    for home in at_home(tmp_path, code=slow):
        head = f"POST /tools/browse HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {home.ana}\r\nContent-Length: 2\r\n\r\n{{}}"
        with ExitStack() as open_ones:
            for _ in range(9):
                one = open_ones.enter_context(socket.create_connection(("127.0.0.1", home.server.port), timeout=60))
                one.sendall(head.encode())
            assert one.recv(64).split()[1] == b"429"
            late = home.ask(home.ana, "GET", "/runs")
            assert (late.status, late.code, late.headers["Retry-After"]) == (429, "too_many_requests", "1")
            assert home.server.ask("GET", "/health").status == 200
            assert home.ask(home.ben, "GET", "/runs").status == 200


def test_a_changed_file_counts_with_the_next_request(fresh: Home) -> None:
    cem = TokenFile(fresh.tokens).add("cem-phone", "cem")
    assert fresh.ask(cem, "GET", "/runs").status == 200
    TokenFile(fresh.tokens).remove("ana-laptop")
    assert fresh.ask(fresh.ana, "GET", "/runs").status == 401
    fresh.tokens.unlink()
    gone = fresh.ask(fresh.ben, "GET", "/runs")
    assert (gone.status, gone.code) == (503, "storage_unavailable")
    assert str(fresh.tokens) not in json.dumps(gone.body)


def test_the_log_has_a_line_for_each_request_and_no_word_of_it(fresh: Home) -> None:
    fresh.call(fresh.ana, "store_memory", content="The wifi password is 7hQ-plover-92x, and my dog is called Biscuit.")
    fresh.ask(fresh.ben, "GET", "/memories/plover?about=plover")
    fresh.ask(fresh.ben, "GET", "/plover/plover")
    fresh.server.ask("GET", "/runs", Authorization="Bearer plover", Host=f"localhost:{fresh.server.port}")
    fresh.ask(fresh.ben, "PLOVER", "/runs")
    lines = fresh.lines()
    assert not [word for word in ("plover", "PLOVER", "Biscuit", fresh.ana, fresh.ben) if word in json.dumps(lines)]
    told = [(line["token"], line["method"], line["route"], line["status"]) for line in lines]
    assert told == [
        ("ana-laptop", "POST", "/tools/<name>", 200), ("ben-laptop", "GET", "/memories/<path:memory_id>", 404),
        ("ben-laptop", "GET", None, 404), (None, "GET", None, 401), ("ben-laptop", None, None, 405),
    ]  # fmt: skip
    assert all(set(line) == {"time", "token", "method", "route", "status", "ms"} for line in lines)
    assert all(line["ms"] >= 0 and line["time"].endswith("+00:00") for line in lines)


def test_the_log_has_a_line_for_what_is_no_http(fresh: Home) -> None:
    for sent in (b"plover plover\r\n\r\n", b"GET /plover HTTP/1.1\r\nHost : plover\r\n\r\n"):
        with socket.create_connection(("127.0.0.1", fresh.server.port), timeout=60) as connection:
            connection.sendall(sent)
            assert connection.recv(65536).startswith(b"HTTP/1.1 400 ")
    lines = fresh.lines()
    assert "plover" not in json.dumps(lines)
    assert [(line["token"], line["method"], line["route"], line["status"]) for line in lines] == [(None, None, None, 400)] * 2
    assert all(0 <= line["ms"] < 60_000 for line in lines)


@pytest.mark.parametrize("size", [1_000_000, 10**9])
def test_who_has_no_token_is_told_so_before_a_body_is_read(tmp_path: Path, size: int) -> None:
    for home in at_home(tmp_path):
        for _ in range(21):
            with socket.create_connection(("127.0.0.1", home.server.port), timeout=60) as connection:
                head = f"POST /import HTTP/1.1\r\nHost: localhost\r\nContent-Length: {size}\r\n\r\n"
                connection.sendall(head.encode())
                last = connection.recv(64).split()[1]
        assert last == b"429"
        assert [(line["token"], line["status"]) for line in home.lines()] == [(None, 401)] * 20 + [(None, 429)]


@pytest.mark.parametrize("line", [b"GET /runs", b"POST /mcp"])
def test_a_request_of_two_tokens_is_no_ones(home: Home, line: bytes) -> None:
    with socket.create_connection(("127.0.0.1", home.server.port), timeout=60) as connection:
        connection.sendall(line + b" HTTP/1.1\r\nHost: localhost:%d\r\n" % home.server.port)
        connection.sendall(f"Authorization: Bearer {home.ana}\r\nAuthorization: Bearer {home.ben}\r\n\r\n".encode())
        assert connection.recv(64).split()[1] == b"401"


@pytest.mark.parametrize("length", [b"Content-Length: 40000000", b"Transfer-Encoding: chunked"])
@pytest.mark.parametrize("token", [b"", b"Authorization: Bearer wrong\r\n"])
def test_of_who_has_no_token_no_long_body_is_read(home: Home, length: bytes, token: bytes) -> None:
    asked = b"POST /uploads HTTP/1.1\r\nHost: 127.0.0.1\r\n" + token + length + b"\r\n\r\n"
    with socket.create_connection(("127.0.0.1", home.server.port), 5, source_address=("127.0.0.7", 0)) as asking:
        asking.sendall(asked)
        for _ in range(2):
            with suppress(ConnectionError):
                asking.sendall(b"9c40\r\n%s\r\n" % (b"x" * 40_000))
        assert asking.recv(4_096).startswith(b"HTTP/1.1 401 ")
