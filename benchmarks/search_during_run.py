"""Searches while another process applies a run to the same file: how long they take, whether one fails or lags behind."""

import argparse
import multiprocessing
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import cycle, islice
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.latency import filled, opened
from benchmarks.report import Cell, Table, main
from commonplace import Commonplace
from commonplace.domain.errors import CommonplaceError
from training.many import QUESTIONS, texts

SIZE, IMPORTED, ALONE = 5_000, 2_000, 400
_PLANNED, _APPLIED = "while the import is planned", "while it is applied"
_MOST_READ = 5  # results among which what was just stored has to be, when its own words are asked for


def options(parser: argparse.ArgumentParser) -> None:
    """Other sizes, to try it."""
    parser.add_argument("--memories", type=int, default=SIZE, help="how many are in the file")
    parser.add_argument("--imported", type=int, default=IMPORTED, help="how many the run stores")


def measure(given: argparse.Namespace) -> list[Table]:
    """p50 and p95 of `search_memory` alone, and while another process imports; then of what it had stored what was found."""
    records = _records(given.memories, given.imported)
    spent, failed = defaultdict[str, list[float]](list), defaultdict[str, int](int)
    with filled(given.memories) as path, opened(path) as memory:
        questions = cycle(QUESTIONS)
        memory.search_memory(next(questions))  # the first call of a process loads the columns
        for question in islice(questions, ALONE):
            _search(memory, question, "alone", spent, failed)
        begun, asked, missing = time.perf_counter(), 0, 0
        for done in _importing(path, records):
            _search(memory, next(questions), _APPLIED if done else _PLANNED, spent, failed)
            if done:
                asked += 1
                missing += not _is_found(memory, records[done - 1])
        seconds = time.perf_counter() - begun
    rows = [(when, len(times), *_shown(times), failed[when]) for when, times in spent.items()]
    notes = [
        f"The run planned and stored {given.imported:,} memories in {seconds:.0f} s, while the searches ran on the same two "
        "cores.",
        "Behind: a search for the memory's own words did not find it, although its transaction had ended before the search.",
    ]
    found = "Searches for memories that the run had just stored"
    columns = ("searches", "calls", "p50 ms", "p95 ms", "max ms", "failed")
    return [
        Table(
            f"A search with {given.memories:,} memories in the file", columns, rows,
            "none failed; p95 while it is applied <= 200 ms", notes,
        ),
        Table(found, ("searches", "behind"), [(asked, missing)], "none behind"),
    ]  # fmt: skip


def _records(skip: int, count: int) -> list[Mapping[str, Any]]:
    """Memories that the file has none of."""
    turns = [
        {"session_id": f"other-{number // 20}", "position": number % 20, "speaker": "user", "text": text}
        for number, text in enumerate(islice(texts(), skip, skip + count))
    ]
    with tempfile.TemporaryDirectory() as folder, opened(Path(folder) / "other.db") as memory:
        memory.import_turns(turns)
        return list(memory.export())


def _importing(path: Path, records: Sequence[Mapping[str, Any]]) -> Iterator[int]:
    """How many of the records another process has stored by now, again and again until it is done."""
    spawned = multiprocessing.get_context("spawn")
    done = spawned.Value("i", 0)
    worker = spawned.Process(target=_import, args=(path, records, done))
    worker.start()
    while worker.is_alive():
        yield int(done.value)
    worker.join()
    if worker.exitcode or done.value != len(records):
        raise SystemExit(f"the import ended with {worker.exitcode}, after {done.value} of {len(records)}")


def _import(path: Path, records: Sequence[Mapping[str, Any]], done: Any) -> None:
    with opened(path) as memory:
        memory.import_records(records, apply=True, progress=partial(_tell, done))


def _tell(done: Any, stored: int, _: int) -> None:
    done.value = stored


def _search(memory: Commonplace, question: str, when: str, spent: dict[str, list[float]], failed: dict[str, int]) -> None:
    start = time.perf_counter()
    try:
        memory.search_memory(question)
    except CommonplaceError:
        failed[when] += 1
    spent[when].append(1_000 * (time.perf_counter() - start))


def _is_found(memory: Commonplace, record: Mapping[str, Any]) -> bool:
    found = memory.search_memory(record["raw_text"], limit=_MOST_READ).results
    return record["memory_id"] in {hit.id for hit in found}


def _shown(times: Sequence[float]) -> tuple[Cell, ...]:
    return (*(float(value) for value in np.percentile(times, [50, 95])), max(times))


if __name__ == "__main__":
    main("search_during_run", "A search while a run is applied", measure, False, options)
