"""DynamoDB Local, streams included, on the loopback: `python -m cloud.dynamodb --port 8000`."""

from collections.abc import Sequence
from pathlib import Path

from cloud.fetch import fetch, java
from cloud.foreground import run
from cloud.process import QUICK_START, Server, free_port

_MAIN = "com.amazonaws.services.dynamodbv2.local.main.ServerRunner"


class DynamoDB(Server):
    """A server whose tables every client sees, whatever its region and keys; in memory unless a folder is given."""

    def __init__(
        self, port: int | None = None, data: Path | None = None, heap: str = "256m", flags: Sequence[str] = QUICK_START
    ) -> None:
        super().__init__(port or free_port(), data)
        self._heap, self._flags = heap, flags

    def command(self) -> Sequence[str | Path]:
        """The server with its jars and the native SQLite that lies beside them."""
        jars = fetch("dynamodb")
        kept = ["-inMemory"] if self._temporary else ["-dbPath", self.data]
        return [
            java(), *self._flags, f"-Xmx{self._heap}", f"-Djava.library.path={jars}", "-cp", f"{jars}/*", _MAIN,
            "-port", str(self.port), "-sharedDb", "-disableTelemetry", *kept,
        ]  # fmt: skip

    def answers(self) -> bool:
        """Whether something that knows HTTP is there: a request without a signature is refused with a 400."""
        return self.ask("/")[0] == 400


if __name__ == "__main__":
    run(DynamoDB, 8000)
