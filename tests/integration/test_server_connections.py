"""Half-open connections, slow requests and answers that nobody takes: they close, and lock nobody out."""

import http.client
import os
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from commonplace import Commonplace
from commonplace.interfaces.http import connections
from commonplace.interfaces.http.listen import listen
from tests.integration.http_server import served

pytestmark = pytest.mark.integration
HALF = b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: "
BODY = b"POST /tools/search_memory HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 20\r\n\r\n{"
IDLE = b""


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


def test_who_has_few_connections_keeps_them(memory_file: Path) -> None:
    with served(memory_file) as server, ExitStack() as held:
        kept = held.enter_context(opened(server.port, HALF, "127.0.0.9"))
        for _ in range(2 * connections.MOST_WAITING):
            held.enter_context(opened(server.port, HALF))
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
        try:
            left = connection.recv(64)
        except ConnectionError:
            left = b""
        assert left == b""


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
