"""Run the slow checks whose inputs changed since they last passed.

`slow_checks.toml` names each check, the make target that runs it, and its inputs: files and folders, of which those that
git knows count. `slow_checks.json` holds a SHA-256 of the inputs with which each check last passed. It is committed, so
a fresh clone knows what has been checked. `make slow-checks` runs every check regardless; both write the file when a
check passes. It needs nothing but git and Python 3.11.

While a check runs, its Python processes note which files of the project they open (`opened/sitecustomize.py`). The check
fails if one of them is neither an input nor `covered`: files that the check reads and that `make test` tests by themselves.

The checks with `cores = 1` run last, as many at a time as the machine has cores, in the order of `slow_checks.toml`.
"""

import argparse
import hashlib
import itertools
import json
import os
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import IO, Any, NamedTuple

HERE = Path(__file__).parent
ROOT = HERE.parent
PASSED = HERE / "slow_checks.json"


class Outcome(NamedTuple):
    """How a check ended: its exit code, the files that it opened, relative to the project, and its seconds."""

    code: int
    opened: set[str]
    seconds: float


def declared() -> dict[str, Any]:
    """Each check by its name, which is its make target: `inputs` and `covered`, lists of git path patterns, and `cores`."""
    return tomllib.loads((HERE / "slow_checks.toml").read_text("utf-8"))


def input_files(patterns: list[str], root: Path = ROOT) -> list[str]:
    """The files that the patterns name: tracked ones, and new ones that git does not ignore. Sorted, without duplicates."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *patterns]
    listed = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True).stdout
    return sorted({name for name in listed.split("\0") if name and (root / name).is_file()})


def fingerprint(patterns: list[str], root: Path = ROOT) -> str:
    """A SHA-256 over the names and the bytes of the input files, in hexadecimal."""
    whole = hashlib.sha256()
    for name in input_files(patterns, root):
        whole.update(f"{name}\0{hashlib.sha256((root / name).read_bytes()).hexdigest()}\n".encode())
    return whole.hexdigest()


def passed() -> dict[str, str]:
    """The fingerprint with which each check last passed."""
    recorded: dict[str, str] = json.loads(PASSED.read_text("utf-8"))
    return recorded


def record(name: str, value: str) -> None:
    PASSED.write_text(json.dumps({**passed(), name: value}, indent=4, sort_keys=True) + "\n", "utf-8")


def run(name: str, root: Path = ROOT, output: IO[str] | None = None) -> Outcome:
    """Run a make target, and write what it prints to `output`, or to this process's own output if that is None."""
    began = time.monotonic()
    with tempfile.NamedTemporaryFile() as notes:
        path = os.pathsep.join(filter(None, [str(HERE / "opened"), os.environ.get("PYTHONPATH")]))
        noting = {"PYTHONPATH": path, "SLOW_CHECK_ROOT": str(root), "SLOW_CHECK_OPENED": notes.name}
        environment, errors = {**os.environ, **noting}, subprocess.STDOUT if output else None
        done = subprocess.run(["make", name], cwd=root, env=environment, stdout=output, stderr=errors, check=False)
        opened = set(Path(notes.name).read_text("utf-8", "surrogateescape").splitlines())
    return Outcome(done.returncode, opened, time.monotonic() - began)


def run_in_order(names: Iterable[str]) -> Iterator[tuple[str, Outcome]]:
    """Run the checks one after another."""
    for name in names:
        print(f"== {name}", flush=True)
        yield name, run(name)


def run_together(names: list[str]) -> Iterator[tuple[str, Outcome]]:
    """Run as many checks at a time as there are cores. Each one's output is printed when it ends, before its outcome."""
    if names and (code := run(".venv/dev").code):  # otherwise several of them might install it at once
        sys.exit(code)

    def run_apart(name: str) -> tuple[str, Outcome, str]:
        with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as output:
            outcome = run(name, output=output)
            output.seek(0)
            return name, outcome, output.read()

    with ThreadPoolExecutor(os.cpu_count()) as threads:
        running = [threads.submit(run_apart, name) for name in names]
        try:
            for done in as_completed(running):
                name, outcome, printed = done.result()
                print(f"== {name}\n{printed}", end="", flush=True)
                yield name, outcome
        finally:
            threads.shutdown(cancel_futures=True)


def undeclared(opened: set[str], patterns: list[str], root: Path = ROOT) -> list[str]:
    """The tracked files among those opened that no pattern names."""
    return sorted(opened.intersection(input_files(["."], root)).difference(input_files(patterns, root)))


def main() -> None:
    parser = argparse.ArgumentParser(description="Run the slow checks whose inputs changed since they last passed.")
    parser.add_argument("--all", action="store_true", help="run every check, changed or not")
    parser.add_argument("names", nargs="*", help="only these checks")
    given = parser.parse_args()
    checks = declared()
    if unknown := set(given.names) - set(checks):
        sys.exit(f"unknown check {', '.join(sorted(unknown))}; there are {', '.join(checks)}")
    stale: dict[str, str] = {}
    for name in given.names or checks:
        now = fingerprint(checks[name]["inputs"])
        if not given.all and now == passed().get(name):
            print(f"== {name}: its inputs have not changed since it passed", flush=True)
        else:
            stale[name] = now
    together = [name for name in stale if checks[name].get("cores") == 1]
    in_order = [name for name in stale if name not in together]
    for name, (code, opened, seconds) in itertools.chain(run_in_order(in_order), run_together(together)):
        if code:
            sys.exit(f"{name} failed")
        if missing := undeclared(opened, [*checks[name]["inputs"], *checks[name].get("covered", [])]):
            sys.exit(f"{name} reads files that are not among its inputs in slow_checks.toml:\n  " + "\n  ".join(missing))
        print(f"== {name}: passed in {seconds:.0f} s", flush=True)
        record(name, stale[name])


if __name__ == "__main__":
    main()
