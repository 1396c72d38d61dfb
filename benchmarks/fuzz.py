"""The long run of `make fuzz`: every property test once with all its examples, then rounds of `tests/fuzz` by new seeds."""

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.report import FOLDER, Cell, Table, main

_ROOT = FOLDER.parent
_ABOUT = {
    "tool": "tools, in Python", "local": "the local server, by its OpenAPI", "cloud": "the cloud in a box, by its OpenAPI",
    "import": "imports", "record": "interactions recorded", "night": "nights by rules", "pages": "edited pages",
    "damaged": "damaged files", "found": "found again by id",
}  # fmt: skip


@dataclass
class _Tally:
    """What came of all rounds."""

    seeds: list[int] = field(default_factory=list)
    properties_failed: bool = False
    failed: dict[int, int] = field(default_factory=dict)
    calls: Counter[tuple[str, str]] = field(default_factory=Counter)
    slowest: defaultdict[str, float] = field(default_factory=lambda: defaultdict(float))

    def add(self, counts: Mapping[str, Any]) -> None:
        """The counts of one round."""
        for what, count in counts.items():
            kind = what.replace(":", "").split()[0]
            self.calls[kind, "answered"] += count["answered"]
            for code, number in count["refused"].items():
                self.calls[kind, "failed" if code == "internal" else "refused"] += number
                self.calls["code", code] += number
            self.slowest[kind] = max(self.slowest[kind], count["slowest"])


def measure(given: argparse.Namespace, tally: _Tally) -> list[Table]:
    """The property tests, then rounds for so many minutes, the last of which is ended; with a seed, that one round alone."""
    if given.seed is None:
        tally.properties_failed = bool(_properties(given))
    until = time.monotonic() + 60 * given.minutes
    while not tally.seeds or (given.seed is None and time.monotonic() < until):
        seed = given.seed if given.seed is not None else random.SystemRandom().randrange(10**6)
        tally.seeds.append(seed)
        print(f"round {len(tally.seeds)}: --seed {seed} --times {given.times}", flush=True)
        if failures := _round(seed, given, tally):
            tally.failed[seed] = failures
    return _tables(tally, given)


def _properties(given: argparse.Namespace) -> int:
    """Every property test outside `tests/fuzz`, with all its examples; pytest's exit code, 1 if a test failed."""
    print("property tests, all examples", flush=True)
    marked = "hypothesis" if given.cloud else "hypothesis and not dynamodb and not opensearch"
    command = [sys.executable, "-m", "pytest", "tests", "--ignore", "tests/fuzz", "-m", marked]
    command += ["-n", "auto", "-q", "--tb=short"]
    done = subprocess.run(command, cwd=_ROOT, env=os.environ | {"COMMONPLACE_FUZZ_TIMES": "1"}, check=False)
    if done.returncode not in (0, 1):
        raise SystemExit(f"pytest ended with {done.returncode}")
    return done.returncode


def _round(seed: int, given: argparse.Namespace, tally: _Tally) -> int:
    """Draws everything once by that seed; the number of tests that failed, whose output stands on the terminal."""
    with tempfile.TemporaryDirectory() as folder:
        counts = Path(folder) / "counts.json"
        around = {"COMMONPLACE_FUZZ_TIMES": str(given.times), "COMMONPLACE_FUZZ_COUNTS": str(counts)}
        left_out = [] if given.cloud else ["--ignore", "tests/fuzz/test_cloud.py"]
        command = [sys.executable, "-m", "pytest", "tests/fuzz", "-n", "0", "-q", "--tb=short"]
        command += [f"--hypothesis-seed={seed}", *left_out]
        done = subprocess.run(command, cwd=_ROOT, env=os.environ | around, check=False)
        if done.returncode not in (0, 1):
            raise SystemExit(f"pytest ended with {done.returncode}")
        tally.add(json.loads(counts.read_text("utf-8")))
    return done.returncode


def _tables(tally: _Tally, given: argparse.Namespace) -> list[Table]:
    calls = {kind: [tally.calls[kind, how] for how in ("answered", "refused", "failed")] for kind in _ABOUT}
    rows: list[tuple[Cell, ...]] = [
        (about, *calls[kind], tally.slowest[kind] or None) for kind, about in _ABOUT.items() if any(calls[kind])
    ]
    codes = sorted((number, code) for (kind, code), number in tally.calls.items() if kind == "code")
    whole = sum(map(sum, calls.values()))
    return [
        Table(
            f"{whole:,} calls in {len(tally.seeds)} rounds of {given.times} times as many inputs as in the tests",
            ("what", "answered", "refused", "internal", "slowest, s of processor time"),
            rows,
            "no call is internal, and no check in tests/fuzz fails; a tool takes at most 1 s",
            [
                f"Rounds in which something failed: {len(tally.failed)} of {len(tally.seeds)}"
                + (f" (--seed {', '.join(map(str, tally.failed))})." if tally.failed else "."),
                "The servers run in processes of their own, and their time is not counted.",
                f"The property tests, with all their examples: {'failed' if tally.properties_failed else 'passed'}.",
            ],
        ),
        Table("Refused calls, by error code", ("code", "calls"), [(code, number) for number, code in reversed(codes)]),
    ]


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--minutes", type=float, default=10.0, help="begin rounds for so long (10)")
    parser.add_argument("--times", type=int, default=10, help="so many times the examples of the tests in a round (10)")
    parser.add_argument("--seed", type=int, help="one round by this seed, to see again what failed")
    parser.add_argument("--no-cloud", dest="cloud", action="store_false", help="without OpenSearch and DynamoDB Local")


if __name__ == "__main__":
    whole = _Tally()
    about = "Hostile calls, with inputs drawn at random"
    main("fuzz", about, lambda given: measure(given, whole), needs_data=False, options=_options)
    sys.exit(bool(whole.failed or whole.properties_failed))
