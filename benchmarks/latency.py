"""How long a whole tool call takes, with 1,000, 10,000 and 100,000 memories of one user in the file."""

import argparse
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

import numpy as np
from commonplace import Commonplace
from commonplace.settings import Settings
from rich.progress import Progress

from benchmarks.many import QUESTIONS, texts, turns
from benchmarks.report import Table, main

SIZES = (1_000, 10_000, 100_000)
_STORES = 200


@contextmanager
def filled(count: int) -> Iterator[Path]:
    """A memory file with that many memories."""
    with tempfile.TemporaryDirectory() as folder, Progress() as progress:
        path = Path(folder) / "memory.db"
        task = progress.add_task(f"storing {count:,}", total=count)
        with opened(path) as memory:
            memory.import_turns(turns(count), progress=lambda done: progress.update(task, completed=done))
        yield path


def opened(path: Path) -> Commonplace:
    """The file by rules, whatever the environment says."""
    return Commonplace(path, user_id="bench", settings=Settings.model_validate({"timezone": "UTC"}))


def _times(calls: list[Callable[[], object]]) -> list[float]:
    found = []
    for call in calls:
        start = time.perf_counter()
        call()
        found.append((time.perf_counter() - start) * 1000)
    return found


def _row(size: int, tool: str, times: list[float], first: float | None) -> tuple[str | int | float | None, ...]:
    return f"{size:,}", tool, len(times), *(float(value) for value in np.percentile(times, [50, 95])), max(times), first


def measure(_: argparse.Namespace) -> list[Table]:
    """p50 and p95 of search_memory and store_memory; the first call of a process apart, since it loads the columns."""
    rows = []
    fresh = islice(texts(), SIZES[-1] + 1, None)
    for size in SIZES:
        with filled(size) as path, opened(path) as memory:
            first = _times([lambda m=memory: m.call("search_memory", {"query": QUESTIONS[0]})])[0]  # type: ignore[misc]
            calls = [lambda q=q, m=memory: m.call("search_memory", {"query": q}) for q in QUESTIONS * 10]
            rows.append(_row(size, "search_memory", _times(calls), first))
            stores = [lambda t=t, m=memory: m.call("store_memory", {"content": t}) for t in islice(fresh, _STORES)]
            rows.append(_row(size, "store_memory", _times(stores), None))
            both = [call for pair in zip(stores_again(memory, fresh), calls, strict=False) for call in pair]
            rows.append(_row(size, "search after each store", _times(both)[1::2], None))
    columns = ("memories", "tool", "calls", "p50 ms", "p95 ms", "max ms", "first ms")
    reach = "search p95 <= 10 ms at 10,000, <= 100 ms at 100,000; store p95 <= 10 ms, flat"
    return [Table("A whole tool call, Python to disk and back, one process", columns, rows, reach)]


def stores_again(memory: Commonplace, fresh: Iterator[str]) -> list[Callable[[], object]]:
    """Stores of further texts."""
    return [lambda t=t: memory.call("store_memory", {"content": t}) for t in islice(fresh, 100)]


if __name__ == "__main__":
    main("latency", "Latency: search and store as the memories grow", measure, False)
