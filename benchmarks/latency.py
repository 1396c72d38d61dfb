"""How long a whole tool call takes, with 1,000, 10,000 and 100,000 memories of one user in the file."""

import argparse
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import islice
from pathlib import Path

import numpy as np
from rich.progress import Progress

from benchmarks.report import Table, main
from commonplace import Commonplace
from commonplace.settings import Settings
from training.many import QUESTIONS, texts, turns

SIZES = (1_000, 10_000, 100_000)


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


def _times(calls: Iterable[Callable[[], object]]) -> list[float]:
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
            searches = [partial(memory.call, "search_memory", {"query": question}) for question in QUESTIONS * 10]
            first = _times(searches[:1])[0]
            rows.append(_row(size, "search_memory", _times(searches), first))
            rows.append(_row(size, "store_memory", _times(_stores(memory, fresh, 200)), None))
            mixed = [call for pair in zip(_stores(memory, fresh, 100), searches, strict=False) for call in pair]
            rows.append(_row(size, "search after each store", _times(mixed)[1::2], None))
    columns = ("memories", "tool", "calls", "p50 ms", "p95 ms", "max ms", "first ms")
    target = "search p95 <= 10 ms at 10,000, <= 100 ms at 100,000; store p95 <= 10 ms, flat"
    return [Table("A whole tool call, Python to disk and back, one process", columns, rows, target)]


def _stores(memory: Commonplace, fresh: Iterator[str], count: int) -> list[Callable[[], object]]:
    return [partial(memory.call, "store_memory", {"content": text}) for text in islice(fresh, count)]


if __name__ == "__main__":
    main("latency", "Latency: search and store as the memories grow", measure, False)
