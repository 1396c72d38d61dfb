"""What a person waits for before a command begins: fresh processes, and what their imports are made of."""

import argparse
import os
import re
import resource
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from benchmarks.report import Cell, Table, main

_RUNS = 15
_LAUNCH = "from commonplace.interfaces.cli import main; main()"  # as the console script does
_STATEMENTS = ("I moved to Lisbon in May.", "My daughter Mia is allergic to peanuts.", "I go running before work.")
_TARGETS = {
    ("--help",): 0.15,
    ("runs", "list"): 0.3,
    ("search", "is anybody allergic?"): 0.6,
    ("store", "My neighbour's name is Olga."): 0.9,
}
_BESIDE = {
    "an interpreter, nothing imported": "pass",
    "import click": "import click",
    "import pydantic": "import pydantic.main",
    "import numpy": "import numpy",
}
_WITH_PYDANTIC = {"pydantic", "pydantic_core", "annotated_types", "typing_extensions", "typing_inspection"}
_OWNERS = ("commonplace", "click", "pydantic", "numpy", "python", "others")
_IMPORT = re.compile(r"^import time:\s+(\d+) \|\s+\d+ \|\s+(\S+)$", re.MULTILINE)
Took = tuple[float, float]  # seconds, and seconds of processor time


def measure(_: argparse.Namespace) -> list[Table]:
    """Each command over a few memories, in turn."""
    with TemporaryDirectory() as folder:
        environment = {**os.environ, "COMMONPLACE_DB": str(Path(folder, "memory.db")), "COMMONPLACE_TIMEZONE": "UTC"}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)  # who starts a command twice has it compiled
        for statement in _STATEMENTS:
            _run((_LAUNCH, "store", statement), environment)
        programs = {**{name: (code,) for name, code in _BESIDE.items()}, **{c[0]: (_LAUNCH, *c) for c in _TARGETS}}
        found: dict[str, list[Took]] = {name: [] for name in programs}
        loads = []
        for name in list(programs) * _RUNS:
            found[name].append(_run(programs[name], environment))
            loads.append(os.getloadavg()[0])
        shares = [_shares(command, environment) for command in _TARGETS]
    columns = ("command", "all", *_OWNERS)
    by_owner = Table("Milliseconds of imports, by the library that they belong to", columns, shares, "", [_SHARES])
    return [_times(found, median(loads)), by_owner]


_SHARES = (
    "The figures are each module's own time as reported by `python -X importtime`, which itself slows the imports. The "
    "figure for pydantic includes the packages that it brings."
)


def _run(program: Sequence[str], environment: Mapping[str, str]) -> Took:
    before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run([sys.executable, "-c", *program], env=environment, check=True, capture_output=True)
    seconds, after = time.perf_counter() - begun, resource.getrusage(resource.RUSAGE_CHILDREN)
    return seconds, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _times(found: Mapping[str, Sequence[Took]], load: float) -> Table:
    targets = {command[0]: target for command, target in _TARGETS.items()}
    rows: list[tuple[Cell, ...]] = []
    for name, took in found.items():
        seconds, processor = zip(*took, strict=True)
        target = targets.get(name)
        met = None if target is None else "yes" if min(seconds) <= target else "no"
        rows.append((name, min(seconds), median(seconds), min(processor), target, met))
    columns = ("process", "least s", "median s", "least CPU s", "target s", "met")
    notes = [
        f"Each row is from {_RUNS} fresh processes over {len(_STATEMENTS)} memories, and the rows take turns. `runs` is "
        "`runs list`. The target applies to the least time, because other processes on the machine can only make a command "
        f"slower. The machine's load during the measurement was {load:.1f}, and the measurement itself causes about 1 of it."
    ]
    return Table(
        "A fresh process per command",
        columns,
        rows,
        "on an idle machine: --help <= 0.15 s, runs list <= 0.3, search <= 0.6, store <= 0.9",
        notes,
    )


def _shares(command: Sequence[str], environment: Mapping[str, str]) -> tuple[Cell, ...]:
    """Milliseconds of the imports of a command, all of them and by owner; of three runs the quickest."""
    runs = [_owned(command, environment) for _ in range(3)]
    least = min(runs, key=Counter.total)
    return (command[0], round(least.total() / 1000), *(round(least[owner] / 1000) for owner in _OWNERS))


def _owned(command: Sequence[str], environment: Mapping[str, str]) -> Counter[str]:
    process = [sys.executable, "-X", "importtime", "-c", _LAUNCH, *command]
    told = subprocess.run(process, env=environment, check=True, capture_output=True, text=True).stderr
    microseconds: Counter[str] = Counter()
    for own, module in _IMPORT.findall(told):
        microseconds[_owner(module.partition(".")[0])] += int(own)
    return microseconds


def _owner(package: str) -> str:
    if package in _WITH_PYDANTIC:
        return "pydantic"
    if package in sys.stdlib_module_names:
        return "python"
    return package if package in _OWNERS else "others"


if __name__ == "__main__":
    main("command_start", "Start: how long a command takes before it begins", measure, False)
