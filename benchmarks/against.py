"""This version beside an older one on the same texts, call by call in turns: what a search and a store take of each."""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.report import FOLDER, Cell, Table, show
from training.many import QUESTIONS, texts, turns

_OPENERS = (
    "", "tell me: ", "please, ", "again: ", "do you know ", "remind me, ", "quickly: ", "I forgot, ", "say, ", "hey, ",
)  # fmt: skip
_STORES = 100
_CLOCKS = ("processor", "wall")
_COLUMNS = ("call", "measured", "old p50 ms", "new p50 ms", "new/old", "old p95 ms", "new p95 ms", "new/old p95")


class Version:
    """A process with one version's package, over a memory file of its own."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process

    def ask(self, told: object) -> Any:
        """Sends a line and waits for the answer."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(told) + "\n")
        self._process.stdin.flush()
        return json.loads(self._process.stdout.readline())


@contextmanager
def running(checkout: Path, file: Path, size: int, more: Sequence[Path] = ()) -> Iterator[Version]:
    """The version of a checkout at work on a copy of the file, which it fills if it is not there.

    `more`: folders of libraries that only this version needs.
    """
    path = os.pathsep.join(map(str, (checkout / "layers" / "commonplace", *more)))
    environment = {**os.environ, "PYTHONPATH": path}

    @contextmanager
    def started(on: Path, begin: Sequence[object]) -> Iterator[Version]:
        command = [sys.executable, str(FOLDER / "one_version.py"), str(on)]
        with subprocess.Popen(
            command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        ) as process:
            version = Version(process)
            version.ask(begin)
            yield version
            assert process.stdin is not None
            process.stdin.close()

    if not file.exists():
        with started(file, turns(size)):
            pass  # it is filled and closed
    with tempfile.TemporaryDirectory() as folder, started(Path(shutil.copy(file, folder)), []) as version:
        yield version


def measure(old: Version, new: Version, size: int) -> list[Table]:
    """Medians and 95th percentiles of 200 searches and 100 stores, and how many searches find the same in both."""
    questions = [opener + question for opener in _OPENERS for question in QUESTIONS]
    searches = [("search_memory", {"query": question}) for question in questions]
    fresh = [("store_memory", {"content": text}) for text in islice(texts(), size, size + _STORES)]
    for version in (old, new):
        version.ask(searches[0])  # the first call loads what all need
    found = [_in_turns(old, new, call, number) for number, call in enumerate(searches)]
    stored = [_in_turns(old, new, call, number) for number, call in enumerate(fresh)]
    alike = sum(one["found"] == other["found"] for one, other in found)
    rows = [
        row
        for call, pairs in (("search_memory", found), ("store_memory", stored))
        for clock in _CLOCKS
        for row in (
            _row(call, clock, pairs, lambda whole, _: whole),
            _row(f"{call} without the models", clock, pairs, lambda whole, models: whole - models),
            _row(f"the models in {call}", clock, pairs, lambda _, models: models),
        )
    ]
    note = f"{alike} of {len(found)} searches find the same memories, in the same order, with the same relevance."
    return [Table(f"Two versions in turns, {size:,} memories each", _COLUMNS, rows, "", [note])]


def _in_turns(old: Version, new: Version, call: object, number: int) -> tuple[Any, Any]:
    """The answers of both; who is asked first changes from call to call."""
    if number % 2:
        later = new.ask(call)
        return old.ask(call), later
    return old.ask(call), new.ask(call)


def _row(call: str, clock: str, pairs: Sequence[tuple[Any, Any]], share: Callable[[float, float], float]) -> tuple[Cell, ...]:
    """`share`: what is told of the time of a whole call and of the models in it."""
    at = _CLOCKS.index(clock)
    taken = [[1000 * share(one["whole"][at], one["models"][at]) for one in side] for side in zip(*pairs, strict=True)]
    (old, old_late), (new, new_late) = (map(float, np.percentile(times, [50, 95])) for times in taken)
    return call, clock, old, new, new / old, old_late, new_late, new_late / old_late


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.against", description=__doc__)
    parser.add_argument("checkout", type=Path, help="a checkout of the older version")
    parser.add_argument("--size", type=int, default=10_000, help="how many memories each has")
    parser.add_argument("--files", type=Path, help="a folder that keeps the filled files, old.db and new.db, for another run")
    parser.add_argument("--libraries", type=Path, action="append", default=[], help="a folder of what only the old one needs")
    given = parser.parse_args()
    with ExitStack() as opened:
        folder = given.files or Path(opened.enter_context(tempfile.TemporaryDirectory()))
        old = opened.enter_context(running(given.checkout, folder / "old.db", given.size, given.libraries))
        new = opened.enter_context(running(FOLDER.parent, folder / "new.db", given.size))
        for table in measure(old, new, given.size):
            show(table)


if __name__ == "__main__":
    main()
