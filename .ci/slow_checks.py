"""Run the slow checks whose inputs changed since they last passed.

`slow_checks.toml` names each check, the make target that runs it, and its inputs: files and folders, of which those that
git knows count. `slow_checks.json` holds a SHA-256 of the inputs with which each check last passed. It is committed, so
a fresh clone knows what has been checked. `make slow-checks` runs every check regardless; both write the file when a
check passes. It needs nothing but git and Python 3.11.

While a check runs, its Python processes note which files of the project they open (`opened/sitecustomize.py`). The check
fails if one of them is neither an input nor `covered`: files that the check reads and that `make test` tests by themselves.
"""

import argparse
import hashlib
import json
import os
import subprocess
import sys
import tempfile
import time
import tomllib
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parent
PASSED = HERE / "slow_checks.json"


def declared() -> dict[str, dict[str, list[str]]]:
    """Each check by its name, which is its make target, with `inputs` and `covered`, lists of git path patterns."""
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


def run(name: str, root: Path = ROOT) -> tuple[int, set[str]]:
    """Run a make target. Return its exit code and the files that its Python processes opened, relative to the project."""
    with tempfile.NamedTemporaryFile() as notes:
        path = os.pathsep.join(filter(None, [str(HERE / "opened"), os.environ.get("PYTHONPATH")]))
        noting = {"PYTHONPATH": path, "SLOW_CHECK_ROOT": str(root), "SLOW_CHECK_OPENED": notes.name}
        done = subprocess.run(["make", name], cwd=root, env={**os.environ, **noting}, check=False)
        return done.returncode, set(Path(notes.name).read_text("utf-8", "surrogateescape").splitlines())


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
    for name in given.names or checks:
        now = fingerprint(checks[name]["inputs"])
        if not given.all and now == passed().get(name):
            print(f"== {name}: its inputs have not changed since it passed", flush=True)
            continue
        print(f"== {name}", flush=True)
        began = time.monotonic()
        code, opened = run(name)
        if code:
            sys.exit(f"{name} failed")
        if missing := undeclared(opened, [*checks[name]["inputs"], *checks[name].get("covered", [])]):
            sys.exit(f"{name} reads files that are not among its inputs in slow_checks.toml:\n  " + "\n  ".join(missing))
        print(f"== {name}: passed in {time.monotonic() - began:.0f} s", flush=True)
        record(name, now)


if __name__ == "__main__":
    main()
