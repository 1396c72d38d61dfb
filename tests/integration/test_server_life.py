import contextlib
import gc
import http.client
import json
import logging
import os
import signal
import socket
import sqlite3
import threading
import time
from pathlib import Path

import pytest

from commonplace import Commonplace
from commonplace.interfaces.http import listen as listening
from commonplace.interfaces.http.connections import Connection
from commonplace.interfaces.http.listen import listen
from commonplace.interfaces.logs import WithoutTexts
from tests.asgi import client_of
from tests.integration.command_line import run
from tests.integration.http_server import served

pytestmark = pytest.mark.integration

SLOW = """
import time
from commonplace import Commonplace
def slow(*_, **__):
    print("began", flush=True)
    time.sleep(60)
Commonplace.call = slow
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_cleanly_and_closes_the_file(memory_file: Path, number: int) -> None:
    with served(memory_file) as server:
        memory_id = server.call("store_memory", content="I play the cello.")["memory_id"]
        code, out, err = server.end(number)
    assert (code, err) == (0, "")
    assert "stopped" in out
    assert not memory_file.with_name("memory.db-wal").exists()  # folded into the file by closing it
    with sqlite3.connect(f"file:{memory_file}?mode=ro&immutable=1", uri=True) as connection:
        rows = connection.execute("SELECT memory_id FROM memories").fetchall()
    connection.close()
    assert rows == [(memory_id,)]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_in_the_middle_of_closing_a_connection_loses_no_socket(
    memory: Commonplace, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    closing = Connection.connection_lost
    asked = threading.Event()

    def closed(connection: Connection, error: Exception | None) -> None:
        asked.set()
        os.kill(os.getpid(), number)
        closing(connection, error)

    def ask(url: str) -> None:
        client = http.client.HTTPConnection(url.removeprefix("http://"), timeout=60)
        client.request("GET", "/health")
        client.getresponse().read()
        client.close()

    monkeypatch.setattr(Connection, "connection_lost", closed)
    listen(memory, "127.0.0.1", 0, lambda url: threading.Thread(target=ask, args=(url,)).start())
    gc.collect()
    assert asked.is_set()


def test_a_request_that_runs_is_answered_before_the_end(memory_file: Path) -> None:
    turns = [
        {"session_id": "s", "position": n, "speaker": "user", "text": f"Note {n}, about the garden."} for n in range(120)
    ]
    with served(memory_file) as server:
        statuses: list[int] = []
        asking = threading.Thread(target=lambda: statuses.append(server.ask("POST", "/import", {"turns": turns}).status))
        asking.start()
        while not server.ask("GET", "/health").body["total_memories"]:
            time.sleep(0.02)
        code, _, err = server.end(signal.SIGTERM)
        asking.join(30)
    assert (code, err, statuses) == (0, "", [200])
    with Commonplace(memory_file, user_id="local") as memory:
        assert sum(1 for _ in memory.export()) == len(turns)


def test_who_asks_while_it_ends_is_refused_and_told(memory: Commonplace, monkeypatch: pytest.MonkeyPatch) -> None:
    began, may_end = threading.Event(), threading.Event()
    statuses: dict[str, int] = {}
    told: list[int] = []

    def slow(*_: object) -> dict[str, object]:
        began.set()
        assert may_end.wait(20)
        return {}

    def ask(url: str, name: str) -> bytes:
        client = http.client.HTTPConnection(url.removeprefix("http://"), timeout=60)
        client.request("POST", f"/tools/{name}", "{}")
        answer = client.getresponse()
        statuses[name] = answer.status
        text = answer.read()
        client.close()
        return text

    def day(url: str) -> None:
        running = threading.Thread(target=ask, args=(url, "memory_stats"))
        running.start()
        assert began.wait(20)
        os.kill(os.getpid(), signal.SIGTERM)
        while not told:
            time.sleep(0.01)
        assert b"stopping" in ask(url, "list_memories")
        may_end.set()
        running.join(20)

    def go(url: str) -> None:
        days.append(threading.Thread(target=day, args=(url,)))
        days[0].start()

    days: list[threading.Thread] = []
    monkeypatch.setattr(memory, "call", slow)
    listen(memory, "127.0.0.1", 0, go, told.append)
    days[0].join(20)  # the server is gone before the client has looked at its answer
    assert statuses == {"memory_stats": 200, "list_memories": 503}
    assert told == [1]


@pytest.mark.parametrize("asked", ["twice", "long ago"])
def test_what_still_runs_then_is_not_waited_for(memory: Commonplace, monkeypatch: pytest.MonkeyPatch, asked: str) -> None:
    began, may_end, told = threading.Event(), threading.Event(), threading.Event()

    def slow(*_: object) -> dict[str, object]:
        began.set()
        assert may_end.wait(60)
        return {}

    def ask(url: str) -> None:
        client = http.client.HTTPConnection(url.removeprefix("http://"), timeout=60)
        with contextlib.suppress(http.client.HTTPException, OSError):  # cut off, in a process that goes on
            client.request("POST", "/tools/memory_stats", "{}")
            client.getresponse()
        client.close()

    def day(url: str) -> None:
        threads.append(threading.Thread(target=ask, args=(url,)))
        threads[-1].start()
        assert began.wait(20)
        os.kill(os.getpid(), signal.SIGTERM)
        assert told.wait(20)
        if asked == "twice":
            os.kill(os.getpid(), signal.SIGTERM)

    def go(url: str) -> None:
        threads.append(threading.Thread(target=day, args=(url,)))
        threads[-1].start()

    threads: list[threading.Thread] = []
    monkeypatch.setattr(memory, "call", slow)
    if asked == "long ago":
        monkeypatch.setattr(listening, "LAST_ANSWERS", 0.5)
    listen(memory, "127.0.0.1", 0, go, lambda _: told.set())
    assert not may_end.is_set()
    may_end.set()
    for thread in threads:
        thread.join(20)


def test_a_second_signal_ends_it_as_the_first_one_would(memory_file: Path) -> None:
    with served(memory_file, code=SLOW) as server:

        def ask() -> None:
            with contextlib.suppress(http.client.HTTPException, OSError):
                server.ask("POST", "/tools/memory_stats", {})

        asking = threading.Thread(target=ask)
        asking.start()
        assert server.told("began")
        server.process.send_signal(signal.SIGTERM)
        assert server.told("one request is still running")
        code, out, err = server.end(signal.SIGINT)
        asking.join(30)
    assert (code, out) == (0, "commonplace: stopped, everything is saved\n")
    assert "Traceback" not in err
    assert not memory_file.with_name("memory.db-wal").exists()


def test_an_import_that_is_stopped_tells_how_far_it_came(memory: Commonplace) -> None:
    turns = [{"session_id": "s", "position": n, "speaker": "user", "text": f"Note {n} on the garden."} for n in range(250)]
    asked = [None, None, time.monotonic() - 60]
    stopped = client_of(memory, 80, ending=lambda: asked.pop(0)).post("/import", json={"turns": turns})
    assert stopped.status_code == 503
    error = json.loads(stopped.text)["error"]
    assert error["retryable"]
    assert "200 of 250 turns are stored; send the same again" in error["message"]
    assert sum(1 for _ in memory.export()) == 200
    again = client_of(memory, 80).post("/import", json={"turns": turns})
    assert len(json.loads(again.text)["ids"]) == 250
    assert sum(1 for _ in memory.export()) == 250


def test_a_port_in_use_is_told_with_code_4(memory_file: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        done = run("serve", "--port", port, "--db", str(memory_file), home=memory_file.parent)
    assert done.code == 4
    assert f"{port} is in use" in done.err
    assert "--port" in done.err


def test_it_listens_on_ipv6_loopback_too(memory_file: Path) -> None:
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
    except OSError:
        pytest.skip("there is no IPv6 here")
    with served(memory_file, "--host", "::1") as server:
        assert f"http://[::1]:{server.port}" in server.announced
        with socket.create_connection(("::1", server.port), timeout=60) as connection:
            connection.sendall(b"GET /health HTTP/1.1\r\nHost: [::1]:%d\r\n\r\n" % server.port)
            assert connection.recv(64).startswith(b"HTTP/1.1 200")


def test_a_secret_comes_back_in_no_answer_file_or_log(memory_file: Path) -> None:
    with served(memory_file) as server:
        stored = server.ask("POST", "/tools/store_memory", {"content": "The wifi password is 7hQ-plover-92x, the SSID Möwe."})
        refused = server.ask("POST", "/tools/store_memory", b'{"content": "7hQ-plover-92x", "content": "7hQ-plover-92x"}')
        wrong = server.ask("POST", "/tools/store_memory", {"content": ["7hQ-plover-92x"]})
        _, out, err = server.end(signal.SIGTERM)
    assert (stored.status, refused.status, wrong.status) == (200, 400, 400)
    assert "plover" not in f"{stored}{refused}{wrong}{out}{err}"
    assert all(b"plover" not in file.read_bytes() for file in memory_file.parent.iterdir() if file.is_file())


def test_a_mistake_of_ours_is_500_with_a_number_and_without_words(
    memory: Commonplace, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("my darkest secret")

    monkeypatch.setattr(memory, "call", broken)
    asked = client_of(memory, 80).post("/tools/search_memory", json={})
    error = json.loads(asked.text)["error"]
    assert asked.status_code == 500
    assert error["code"] == "internal"
    assert "secret" not in asked.text
    (record,) = caplog.records
    line = WithoutTexts().format(record)
    assert line.startswith("error: unexpected failure ")
    assert "tests.integration.test_server_life:" in line
    assert error["message"].split()[4] in line
    assert "secret" not in line
    assert record.levelno == logging.ERROR
