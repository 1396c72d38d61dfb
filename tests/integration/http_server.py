"""`commonplace serve` in a process of its own, and plain HTTP to speak to it."""

import http.client
import json
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.integration.command_line import COMMAND, clean


@dataclass(frozen=True)
class Answer:
    """A response: its status, its headers, and its body as JSON."""

    status: int
    headers: Mapping[str, str]
    body: Any

    @property
    def code(self) -> str:
        """The code of an error, after a look at its shape."""
        assert set(self.body) == {"error"}
        assert set(self.body["error"]) == {"code", "message", "field", "retryable"}
        code: str = self.body["error"]["code"]
        return code


@dataclass(frozen=True)
class Server:
    """A server that listens."""

    process: "subprocess.Popen[str]"
    port: int
    announced: str

    def ask(self, method: str, path: str, body: Any = None, **headers: str) -> Answer:
        """One request on a connection of its own; what is no bytes, and no pieces of them, is sent as JSON."""
        sent = body if body is None or isinstance(body, (bytes, Iterator)) else json.dumps(body).encode()
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request(method, path, sent, headers)
            response = connection.getresponse()
            text = response.read()
            whole = json.loads(text) if response.headers.get_content_subtype() == "json" and text else text or None
            return Answer(response.status, dict(response.headers), whole)
        finally:
            connection.close()

    def call(self, tool: str, **arguments: Any) -> Any:
        """A tool's answer."""
        answer = self.ask("POST", f"/tools/{tool}", arguments)
        assert answer.status == 200, answer.body
        return answer.body

    def told(self, words: str) -> bool:
        """Waits for a line with some words on stdout; False if it ends without one."""
        assert self.process.stdout is not None
        return any(words in line for line in self.process.stdout)

    def end(self, signal_number: int) -> tuple[int, str, str]:
        """Sends a signal and waits: exit code, the rest of stdout, stderr."""
        self.process.send_signal(signal_number)
        out, err = self.process.communicate(timeout=60)
        return self.process.returncode, out, err


_LAST = {"serve": "discover_memory_tools", "ui": "Ctrl-C"}  # what the last line that tells of it holds


@contextmanager
def served(memory_file: Path, *options: str, by: str = "serve", code: str = "") -> Iterator[Server]:
    """A server over a file, on a free port, by `serve` or `ui`; `code` runs before it. Killed at the end, if it still runs."""
    whole = f"{code.strip()}\nfrom commonplace.interfaces.cli import main\nmain()"
    command = [sys.executable, "-c", whole] if code else [COMMAND]
    process = subprocess.Popen(
        [*command, by, "--port", "0", "--db", str(memory_file), *options],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8", env=clean(memory_file.parent),
    )  # fmt: skip
    try:
        yield Server(process, *_announced(process, _LAST[by]))
    finally:
        process.kill()
        process.communicate()


def _announced(process: "subprocess.Popen[str]", last: str) -> tuple[int, str]:
    assert process.stdout is not None
    lines = ""
    while last not in lines:
        line = process.stdout.readline()
        assert line, process.communicate()
        lines += line
    found = re.search(r"http://[^ /]+:(\d+)", lines)
    assert found, lines
    return int(found[1]), lines
