"""A real server in a process of its own: started, waited for, stopped, killed, and started again on the same data."""

import http.client
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

QUICK_START = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")
"""Halve the processor time of a JVM in its first minutes. Benchmarks run longer and go without them."""

_PATIENCE = 240.0  # seconds until a server must answer; it takes some ten where nothing else runs


def free_port(among: Iterable[int] = (0,)) -> int:
    """The first of some ports that nobody listens on at this moment; by default any. Raises `OSError` if all are taken."""
    for port in among:
        with suppress(OSError), socket.create_server(("127.0.0.1", port)) as door:
            found: int = door.getsockname()[1]
            return found
    raise OSError("no port is free")


class Server(ABC):
    """One server on the loopback. Without a folder its data goes when it is closed; `kill` and `start` keep it."""

    def __init__(self, port: int, data: Path | None = None) -> None:
        self.port = port
        self.data = data.resolve() if data else Path(tempfile.mkdtemp(prefix="commonplace-"))
        self._temporary = data is None
        self._process: subprocess.Popen[bytes] | None = None
        self._watch: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def log(self) -> Path:
        """What the server says."""
        return self.data / "server.log"

    @abstractmethod
    def command(self) -> Sequence[str | Path]:
        """The command line that runs it in the foreground."""

    def start(self) -> Self:
        """Starts it and waits until it answers; raises `RuntimeError` with the end of its log if it doesn't."""
        self.data.mkdir(parents=True, exist_ok=True)
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                self.command(), stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=self.data, start_new_session=True
            )
        self._watch = _end_with_us(self._process.pid)
        until = time.monotonic() + _PATIENCE
        while not self.answers():
            if self._process.poll() is not None or time.monotonic() > until:
                end = self.log.read_text("utf-8", "replace")[-2000:]
                self.close()
                raise RuntimeError(f"{type(self).__name__} does not answer on {self.url}:\n{end}")
            time.sleep(0.1)
        return self

    @abstractmethod
    def answers(self) -> bool:
        """Whether it serves requests now."""

    def ask(self, path: str) -> tuple[int, bytes]:
        """Status and body of a GET; status 0 when nobody is there."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=5)
        try:
            connection.request("GET", path)
            answer = connection.getresponse()
            return answer.status, answer.read()
        except (OSError, http.client.HTTPException):
            return 0, b""
        finally:
            connection.close()

    def stop(self) -> None:
        """Asks it to end and waits."""
        self._end(signal.SIGTERM)

    def kill(self) -> None:
        """Ends it at once, as a power cut would (kill -9); its data stays."""
        self._end(signal.SIGKILL)

    def close(self) -> None:
        """Stops it and removes data that nobody asked to keep."""
        self.stop()
        if self._temporary:
            shutil.rmtree(self.data, ignore_errors=True)

    def wait(self) -> int:
        """Waits until it ends by itself and gives its exit code."""
        return self._process.wait() if self._process else 0

    def _end(self, number: signal.Signals) -> None:
        for process in (self._watch, self._process):
            if process is None:
                continue
            process.send_signal(signal.SIGKILL if process is self._watch else number)
            try:
                process.wait(timeout=30)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            if process.stdin:
                process.stdin.close()
        self._process = self._watch = None

    def __enter__(self) -> Self:
        try:
            return self.start()
        except BaseException:  # Ctrl-C too: neither a server nor a folder is left behind
            self.close()
            raise

    def __exit__(self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None) -> None:
        self.close()


def _end_with_us(pid: int) -> "subprocess.Popen[bytes]":
    """A shell that waits for our end, however it comes, and then ends the server: no gigabyte is left behind."""
    script = f"cat >/dev/null; kill -9 {pid}"
    return subprocess.Popen(["/bin/sh", "-c", script], stdin=subprocess.PIPE, start_new_session=True)
