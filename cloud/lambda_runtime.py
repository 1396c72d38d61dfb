"""A function as Lambda runs it: the built folder and layers, the real runtime client, nothing else on its path."""

import os
import shutil
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from cloud.built import ROOT, folders
from cloud.runtime_api import RuntimeApi

PYTHON = ROOT / ".venv-lambda" / "bin" / "python"
_TICKS = os.sysconf("SC_CLK_TCK")
_PATIENCE = 60.0  # seconds


@dataclass(frozen=True)
class Container:
    """A running one: its Runtime API, its process, the file of its log, and the seconds until it was ready."""

    api: RuntimeApi
    process: "subprocess.Popen[bytes]"
    log: Path
    seconds: float

    def cpu(self) -> float:
        """Seconds of processor time so far."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text("utf-8").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / _TICKS

    def memory(self) -> float:
        """MB that it holds now."""
        pages = int(Path(f"/proc/{self.process.pid}/statm").read_text("utf-8").split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


@contextmanager
def started(function: str, environment: Mapping[str, str], log: Path) -> Iterator[Container]:
    """A container that has imported its handler and waits for the first invocation; `RuntimeError` if it could not."""
    api = RuntimeApi()
    threading.Thread(target=api.serve_forever, daemon=True).start()
    given = {**_environment(function, api), **environment}
    command = [str(PYTHON), "-s", "-m", "awslambdaric", "app.handler"]
    with log.open("wb") as told:
        begun = time.perf_counter()
        process = subprocess.Popen(command, cwd=given["LAMBDA_TASK_ROOT"], env=given, stdout=told, stderr=told)
        try:
            ready = api.ready.wait(_PATIENCE)
            seconds = time.perf_counter() - begun
            if not ready or not api.answered.empty():  # nothing was asked yet: it tells why it could not be imported
                raise RuntimeError(log.read_text("utf-8") if api.answered.empty() else api.answered.get())
            yield Container(api, process, log, seconds)
        finally:
            process.kill()
            process.wait()
            api.shutdown()
            api.server_close()


def other_handler(folder: Path, text: str = "") -> dict[str, str]:
    """For `started`: what runs a handler that imports `text` and does nothing, over the layers of a function."""
    folder.mkdir()
    (folder / "app.py").write_text(f"{text}\ndef handler(event, context):\n    return None\n", "utf-8")
    return _code(folder, folders("search")[1:])


def _environment(function: str, api: RuntimeApi) -> dict[str, str]:
    own, *layers = folders(function)
    return {
        **_code(own, layers),
        "PATH": "/usr/bin:/bin",
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
        "LANG": "en_US.UTF-8",
        "TZ": ":UTC",
    }


def _code(own: Path, layers: list[Path]) -> dict[str, str]:
    return {"LAMBDA_TASK_ROOT": str(own), "PYTHONPATH": f"{own}:{_laid_over(tuple(layers)).name}/python"}


@cache
def _laid_over(layers: tuple[Path, ...]) -> "TemporaryDirectory[str]":
    """The layers in one folder, as Lambda lays them over each other in `/opt`; by links, and gone with this process."""
    opt = TemporaryDirectory(prefix="opt-", dir=ROOT / ".aws-sam")
    for layer in layers:
        shutil.copytree(layer, opt.name, copy_function=_linked, dirs_exist_ok=True)
    return opt


def _linked(source: str, target: str) -> None:
    Path(target).unlink(missing_ok=True)
    os.link(source, target)
