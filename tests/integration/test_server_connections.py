"""Half-open connections, slow requests and answers that nobody takes close, and lock nobody out. Whoever asks is answered."""

import http.client
import json
import os
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from commonplace import Commonplace
from commonplace.interfaces.http import connections
from commonplace.interfaces.http.listen import listen
from tests.integration.http_server import Server, served

pytestmark = pytest.mark.integration
HALF = b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: "
BODY = b"POST /tools/search_memory HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 20\r\n\r\n{"
IDLE = b""
WHOLE = b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"


def opened(port: int, sent: bytes, source: str = "127.0.0.1") -> socket.socket:
    connection = socket.create_connection(("127.0.0.1", port), timeout=60, source_address=(source, 0))
    connection.sendall(sent)
    return connection


@pytest.mark.parametrize("sent", [HALF, BODY, IDLE])
def test_three_hundred_half_open_connections_lock_nobody_out(memory_file: Path, sent: bytes) -> None:
    with served(memory_file) as server, ExitStack() as held:
        for number in range(300):
            held.enter_context(opened(server.port, sent, f"127.0.0.{2 + number % 3}"))
        client = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
        client.request("GET", "/health")
        assert client.getresponse().status == 200
        client.close()


@contextmanager
def stopped(server: Server) -> Iterator[None]:
    """While this takes, the system accepts connections for the server, and the server reads none of them."""
    os.kill(server.process.pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(server.process.pid, signal.SIGCONT)


def answered(connection: socket.socket) -> http.client.HTTPResponse:
    """The head of the answer; it raises where there is none."""
    answer = http.client.HTTPResponse(connection)
    answer.begin()
    return answer


def store(number: int) -> bytes:
    body = json.dumps({"content": f"I have read book {number} of the series."}).encode()
    return b"POST /tools/store_memory HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body)


@pytest.mark.parametrize("number", [100, 200])
def test_requests_that_come_at_once_from_one_address_are_all_answered(memory_file: Path, number: int) -> None:
    with served(memory_file) as server, ExitStack() as held:
        with stopped(server):
            asked = [held.enter_context(opened(server.port, WHOLE)) for _ in range(number)]
        assert [answered(one).status for one in asked] == [200] * number


def test_memories_that_come_at_once_are_all_stored(memory_file: Path) -> None:
    with served(memory_file) as server, ExitStack() as held:
        with stopped(server):
            asked = [held.enter_context(opened(server.port, store(number))) for number in range(100)]
        assert [answered(one).status for one in asked] == [200] * 100
        assert server.ask("GET", "/health").body["total_memories"] == 100


def test_who_comes_beyond_the_limit_is_told_to_ask_again(memory_file: Path) -> None:
    few = "from commonplace.interfaces.http import connections, listen\nconnections.MOST_OPEN = 40"
    with served(memory_file, code=few) as server, ExitStack() as held:
        with stopped(server):
            asked = [held.enter_context(opened(server.port, store(number))) for number in range(150)]
        answers = [answered(one) for one in asked]
        stored = server.ask("GET", "/health").body["total_memories"]
    refused = [one for one in answers if one.status == 503]
    assert {one.status for one in answers} == {200, 503}
    assert stored + len(refused) == 150
    for answer in refused:
        assert (answer.headers["Retry-After"], answer.headers["Content-Type"]) == ("1", "application/json")
        assert json.loads(answer.read())["error"]["code"] == "storage_unavailable"


def test_idle_connections_close_without_a_word_that_could_be_taken_for_an_answer(memory_file: Path) -> None:
    with served(memory_file) as server, ExitStack() as held:
        kept = [held.enter_context(opened(server.port, WHOLE)) for _ in range(2 * connections.MOST_WAITING)]
        for one in kept:
            assert answered(one).read()
        closed = [one.recv(64) for one in kept[: connections.MOST_WAITING]]
        assert closed == [b""] * connections.MOST_WAITING
        kept[-1].sendall(WHOLE)
        assert answered(kept[-1]).status == 200


def test_half_open_connections_beyond_every_limit_take_no_place(memory_file: Path) -> None:
    limit = "import resource\nresource.setrlimit(resource.RLIMIT_NOFILE, (1024, 1024))"
    with served(memory_file, code=limit) as server, ThreadPoolExecutor(16) as threads, ExitStack() as held:
        with stopped(server):
            begun = [held.enter_context(opened(server.port, HALF)) for _ in range(200)]
        begun += threads.map(
            lambda number: held.enter_context(opened(server.port, HALF, f"127.0.0.{number % 9 + 2}")), range(500)
        )
        with opened(server.port, WHOLE) as honest:
            assert answered(honest).status == 200


def test_who_has_few_connections_keeps_them(memory_file: Path) -> None:
    with served(memory_file) as server, ExitStack() as held:
        kept = held.enter_context(opened(server.port, HALF, "127.0.0.9"))
        others = [held.enter_context(opened(server.port, HALF)) for _ in range(2 * connections.MOST_WAITING)]
        for one in others[: connections.MOST_WAITING]:  # the oldest of the address that has most
            assert closed(one)
        kept.sendall(b"no\r\n\r\n")
        assert kept.recv(64).startswith(b"HTTP/1.1 200")


def test_a_connection_that_is_kept_waits_for_nothing_between_requests(memory_file: Path) -> None:
    with served(memory_file) as server:
        client = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
        spent = []
        for _ in range(20):
            begun = time.perf_counter()
            client.request("GET", "/health")
            client.getresponse().read()
            spent.append(time.perf_counter() - begun)
        client.close()
    assert sorted(spent)[len(spent) // 2] < 0.03  # a client tells after 40 ms that half an answer is there


def closed(connection: socket.socket) -> bool:
    """Waits until the server closes a connection, without a word."""
    try:
        return connection.recv(64) == b""
    except ConnectionError:
        return True


@contextmanager
def _closed_after(port: int, sent: bytes) -> Iterator[Callable[[bytes], None]]:
    """A connection that must be closed by the server, and a way to go on sending."""
    connection = opened(port, sent)

    def drip(piece: bytes) -> None:
        try:
            connection.sendall(piece)
        except OSError:
            return

    with connection:
        yield drip
        connection.settimeout(5)
        assert closed(connection)


@pytest.mark.parametrize(("sent", "drop"), [(HALF, b"a"), (BODY, b" "), (IDLE, b"")])
def test_a_request_that_comes_drop_by_drop_is_cut_off(
    memory: Commonplace, monkeypatch: pytest.MonkeyPatch, sent: bytes, drop: bytes
) -> None:
    monkeypatch.setattr(connections, "HEADER_SECONDS", 0.4)
    monkeypatch.setattr(connections, "REQUEST_SECONDS", 0.8)
    failures: list[AssertionError] = []

    def ask(url: str) -> None:
        try:
            with _closed_after(int(url.rpartition(":")[2]), sent) as drip:
                for _ in range(15):
                    time.sleep(0.15)
                    drip(drop)
        except AssertionError as error:  # told by the main thread
            failures.append(error)
        finally:
            os.kill(os.getpid(), signal.SIGTERM)

    listen(memory, "127.0.0.1", 0, lambda url: threading.Thread(target=ask, args=(url,)).start())
    assert not failures
