"""What a function's first invocation waits for: the built functions, started by Lambda's own runtime client, and called."""

import argparse
import json
import os
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from rich.progress import track

from benchmarks.cloud_in_a_box import cloud, fill, memories, refuse_degraded, request, user
from benchmarks.report import Cell, Table, main
from cloud.built import ROOT, folders, unzipped, zipped
from cloud.lambda_runtime import PYTHON, Container, other_handler, started
from cloud.template import Template
from commonplace.adapters.sentence_encoder import SentenceEncoder
from commonplace.contract.registry import TOOLS

_STARTS = 5
_USERS = 2 * _STARTS  # each calls a function once
_MEMORIES = 100
_EMPTY = "an empty handler"
_TOOLS = {tool.function: tool.name for tool in reversed(TOOLS)}  # the first of each function
_PASSED_ON = (
    "AWS_ENDPOINT_URL_DYNAMODB", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_REGION", "COMMONPLACE_TABLE",
    "COMMONPLACE_SEARCH_ENDPOINT",
)  # fmt: skip
_COLUMNS = (
    "function", "start ms", "start CPU ms", "CPU ms beyond an empty handler", "tool", "first call ms", "first CPU ms",
    "second call ms", "second CPU ms", "MB once started", "MB zipped", "MB unzipped",
)  # fmt: skip
_TARGET = "search: <= 400 ms of processor time beyond an empty handler"
_NOTES = [
    f"The times are medians of {_STARTS} starts, and all functions take turns. A start ends when the runtime asks for the "
    "first invocation, so it includes the interpreter, the runtime client and the handler's imports. Before a start, Lambda "
    "also fetches the code and makes a container, which is not included.",
    f"The calls have the form in which the HTTP API passes them on. Each call is by another user with {_MEMORIES} memories, "
    "and the servers run on this machine. There is no key, so rules do Claude's work. Functions that serve no tool are only "
    "started.",
    "The sizes include the layers of the function. Processor time is measured in steps of 10 ms.",
]
Took = tuple[float, float]  # seconds, and seconds of processor time


@dataclass(frozen=True)
class Start:
    """One start: what it took until it was ready, the MB that it then held, what each call took."""

    ready: Took
    memory: float
    calls: tuple[Took, ...]


def measure(_: argparse.Namespace) -> list[Table]:
    """Every function of the template, beside a handler that imports nothing."""
    functions = list(Template().functions)
    _refuse_unbuilt(functions)
    found: dict[str, list[Start]] = {name: [] for name in (_EMPTY, *functions)}
    loads: list[float] = []
    with cloud() as settings, TemporaryDirectory() as made:
        fill(settings, memories(_MEMORIES * _USERS, _USERS, embedder=SentenceEncoder()), _MEMORIES * _USERS)
        given = {name: os.environ[name] for name in _PASSED_ON}
        empty, log = other_handler(Path(made) / "empty"), Path(made) / "log"
        for name in track(list(found) * _STARTS, "starting"):
            callers = [user(2 * len(found[name]) + call) for call in range(2)]
            more = empty if name == _EMPTY else given
            found[name].append(_start(name, more, log, callers))
            loads.append(os.getloadavg()[0])
    load = (
        f"The machine's load during the measurement was {median(loads):.1f}, and the measurement itself causes about 1 of it."
    )
    return [Table("A cold start, per function", _COLUMNS, _rows(found), _TARGET, [*_NOTES, load])]


def _refuse_unbuilt(functions: Sequence[str]) -> None:
    needed = {PYTHON, *(part for function in functions for part in folders(function))}
    missing = sorted(str(path.relative_to(ROOT)) for path in needed if not path.exists())
    if missing:
        sys.exit(f"not built: {', '.join(missing)}; run make built")


def _start(name: str, environment: Mapping[str, str], log: Path, callers: Sequence[str]) -> Start:
    with started("search" if name == _EMPTY else name, environment, log) as container:
        ready, memory = (container.seconds, container.cpu()), container.memory()
        calls = tuple(_call(container, _TOOLS[name], caller) for caller in callers) if name in _TOOLS else ()
        return Start(ready, memory, calls)


def _call(container: Container, tool: str, caller: str) -> Took:
    event = request(caller, tool, json.loads((ROOT / "events" / f"{tool}.json").read_text("utf-8")))
    begun, cpu = time.perf_counter(), container.cpu()
    answer = container.api.invoke(event)
    took = time.perf_counter() - begun, container.cpu() - cpu
    refuse_degraded(answer)
    return took


def _rows(found: Mapping[str, Sequence[Start]]) -> list[tuple[Cell, ...]]:
    (_, empty) = _ms([start.ready for start in found[_EMPTY]])
    return [_row(name, starts, empty) for name, starts in found.items()]


def _row(name: str, starts: Sequence[Start], empty: int) -> tuple[Cell, ...]:
    wall, cpu = _ms([start.ready for start in starts])
    calls: list[Cell] = [cell for took in zip(*(start.calls for start in starts), strict=True) for cell in _ms(took)]
    sizes = [_sizes(part) for part in folders(name)] if name != _EMPTY else []
    weights: list[Cell] = [round(sum(size), 1) for size in zip(*sizes, strict=True)]
    return (
        name, wall, cpu, cpu - empty, _TOOLS.get(name), *(calls or [None] * 4), median(start.memory for start in starts),
        *(weights or [None] * 2),
    )  # fmt: skip


def _ms(times: Sequence[Took]) -> tuple[int, int]:
    """The median of each."""
    wall, cpu = (round(median(column) * 1000) for column in zip(*times, strict=True))
    return wall, cpu


@cache
def _sizes(part: Path) -> tuple[float, float]:
    return zipped(part), unzipped(part)


if __name__ == "__main__":
    main("cold_start", "Cold start: import and first call, per function", measure, False)
