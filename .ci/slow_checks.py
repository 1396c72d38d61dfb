"""Run the slow checks whose inputs changed since they last passed.

`slow_checks.toml` names each check, the make target that runs it, and its inputs: files and folders, of which those that
git knows count. `slow_checks.json` holds a SHA-256 of the inputs with which each check last passed. It is committed, so
a fresh clone knows what has been checked. `make slow-checks` runs every check regardless; both write the file when a
check passes. It needs nothing but git and Python 3.11.
"""

import argparse
import hashlib
import json
import subprocess
import sys
import time
import tomllib
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parent
PASSED = HERE / "slow_checks.json"


def declared() -> dict[str, dict[str, list[str]]]:
    """Each check by its name, which is its make target, with `inputs`, a list of git path patterns."""
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
        if subprocess.run(["make", name], cwd=ROOT, check=False).returncode:
            sys.exit(f"{name} failed")
        print(f"== {name}: passed in {time.monotonic() - began:.0f} s", flush=True)
        record(name, now)


if __name__ == "__main__":
    main()
