"""A function as Lambda runs it: the built folder and layers, the real runtime client, nothing else on its path."""

import os
import platform
import subprocess
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.artefacts.runtime_api import RuntimeApi
from tests.stack import ROOT, Stack

HOST = {"aarch64": "arm64"}.get(platform.machine(), platform.machine())
PYTHON = ROOT / ".venv-lambda" / "bin" / "python"
_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Container:
    """A running one: its Runtime API, its process, and the folder of its log."""

    api: RuntimeApi
    process: "subprocess.Popen[bytes]"
    log: Path

    def cpu(self) -> float:
        """Seconds of processor time so far."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text("utf-8").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / _TICKS

    def memory(self) -> float:
        """MB that it holds now."""
        pages = int(Path(f"/proc/{self.process.pid}/statm").read_text("utf-8").split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def folder(name: str, architecture: str = HOST) -> Path:
    """What `make artefacts` built of a function or layer, by its name in the template."""
    return ROOT / ".aws-sam" / architecture / name


def folders(function: str, architecture: str = HOST) -> list[Path]:
    """The folders that a function is made of: its own, then its layers."""
    layers = Stack().functions()[function]["Layers"]
    return [folder(f"{function.title()}Function", architecture), *(folder(layer, architecture) for layer in layers)]


@contextmanager
def started(function: str, environment: Mapping[str, str], log: Path) -> Iterator[Container]:
    """A container that has imported its handler and waits for the first invocation."""
    own, *layers = folders(function)
    api = RuntimeApi()
    threading.Thread(target=api.serve_forever, daemon=True).start()
    given = {
        "PATH": "/usr/bin:/bin",
        "PYTHONPATH": ":".join([str(own), *(str(layer / "python") for layer in layers)]),
        "PYTHONDONTWRITEBYTECODE": "1",  # layers are read-only in Lambda
        "AWS_LAMBDA_RUNTIME_API": f"127.0.0.1:{api.server_port}",
        "AWS_LAMBDA_FUNCTION_NAME": f"commonplace-{function}",
        "AWS_LAMBDA_FUNCTION_MEMORY_SIZE": "1769",
        "AWS_LAMBDA_FUNCTION_VERSION": "$LATEST",
        "AWS_LAMBDA_LOG_FORMAT": "JSON",
        "AWS_EXECUTION_ENV": "AWS_Lambda_python3.13",
        "AWS_REGION": "eu-central-1",
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
        "LAMBDA_TASK_ROOT": str(own),
        "LANG": "en_US.UTF-8",
        "TZ": ":UTC",
        **environment,
    }
    with log.open("wb") as told:
        process = subprocess.Popen(
            [PYTHON, "-s", "-m", "awslambdaric", "app.handler"],
            cwd=given["LAMBDA_TASK_ROOT"],
            env=given,
            stdout=told,
            stderr=told,
        )
        try:
            assert api.ready.wait(60), log.read_text("utf-8")
            assert api.answered.empty(), api.answered.get()  # the handler could not be imported
            yield Container(api, process, log)
        finally:
            process.kill()
            process.wait()
            api.shutdown()
            api.server_close()
