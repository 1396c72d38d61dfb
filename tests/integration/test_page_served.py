"""`commonplace ui` as a person runs it: a process that shows the memories of a file."""

import re
import signal
import socket
from pathlib import Path

import pytest

from commonplace import Commonplace
from commonplace.interfaces.cli.serving import free_port
from tests.integration.http_server import served

pytestmark = pytest.mark.integration


def test_its_address_opens_the_page_once(memory_file: Path) -> None:
    with Commonplace(memory_file) as memory:
        memory.store_memory("I drink green tea at noon.")
    with served(memory_file, "--no-browser", by="ui") as server:
        (path,) = re.findall(r"http://127\.0\.0\.1:\d+(/ui\?token=\S+)", server.announced)
        assert server.ask("GET", "/ui").status == 401
        answer = server.ask("GET", path)
        assert (answer.status, answer.headers["Location"]) == (303, "/ui")
        cookie = answer.headers["Set-Cookie"].partition(";")[0]
        shown = server.ask("GET", "/ui", Cookie=cookie)
        assert b"I drink green tea at noon." in shown.body
        assert shown.headers["Content-Security-Policy"].startswith("default-src 'none'")
        assert server.ask("GET", path).status == 401
        style = server.ask("GET", "/ui/static/ui.css")
        assert style.status == 200
        (tag,) = (value for name, value in style.headers.items() if name.lower() == "etag")
        again = server.ask("GET", "/ui/static/ui.css", **{"If-None-Match": tag})
        assert (again.status, again.body) == (304, None)
        assert server.ask("GET", "/ui/static/../page.py").status == 404
        assert server.ask("GET", "/ui", Cookie=cookie, Host="evil.example").status == 403
        assert server.call("search_memory", query="tea")["total_found"] == 1  # agents and programs go on as with serve
        code, _, err = server.end(signal.SIGINT)
    assert (code, err) == (0, "")


def test_the_usual_port_where_it_is_free_else_any() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        usual = taken.getsockname()[1]
        assert free_port(usual) == 0
    assert free_port(usual) == usual
