"""Runs every command of the README and of the tour, and compares what it prints with what the page says.

`python -m tests.integration.test_readme --write` writes the outputs again, from a new run.
"""

import contextlib
import io
import json
import re
import runpy
import shlex
import signal
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import count
from pathlib import Path
from unittest import mock
from zoneinfo import ZoneInfo

import pytest

from commonplace.bootstrap import local
from tests.integration.command_line import COMMAND, clean, run
from tests.integration.http_server import served

pytestmark = pytest.mark.integration

ROOT = Path(__file__).parents[2]
README = ROOT / "README.md"
TOUR = ROOT / "docs" / "tour.md"
NOW = datetime(2026, 11, 20, 21, 0, tzinfo=ZoneInfo("Europe/Berlin"))  # the evening of demo/day.jsonl
COLUMNS = 90
NOT_RUN = {
    r"git clone <URL": "the URL is for the reader to fill in",
    r"make demo": "it installs into .venv; tests/integration/test_demo.py runs the demo itself",
    r"make deploy": "it needs an AWS account",
    r"commonplace ui": "it serves until it is stopped; tests/integration/test_page_served.py opens the page",
    r"make run|commonplace serve": "it serves until it is stopped; test_server_life.py and test_server_tokens.py start it",
    r".*_COMMONPLACE_COMPLETE=(zsh|fish)_source": "that shell may not be there, and the line only defines a function",
    r"curl APIURL": "it needs a stack in an AWS account; tests/cloud asks the same routes",
    r"create_agent": "it needs a framework; tests/frameworks runs the code of docs/agents.md",
}
"""Lines that cannot run here, as patterns, each with the reason."""
_ELISION = ("…", "...")
_ROW = re.compile(r"^\| [^|]+ \| `([^`]+)` \| ")
_VARIES = re.compile(r"\b(?P<kind>mem|run|op)_[0-9A-HJKMNP-TV-Z]{26}\b|\b\d\d:\d\d\b|─+")
_NEAR = 0.03  # what another processor may round otherwise; of larger numbers a hundredth
_WIDEST = 112


@dataclass(frozen=True)
class Command:
    """A command of a page, what it prints according to the page, and its page and line."""

    page: Path
    line: int
    typed: str
    printed: tuple[str, ...] = ()

    @property
    def reason(self) -> str | None:
        """Why it is not run."""
        return next((why for pattern, why in NOT_RUN.items() if re.match(pattern, self.typed)), None)


def blocks(text: str) -> Iterator[tuple[int, list[str]]]:
    """The indented blocks, without their indentation, each with the number of its first line."""
    found: list[str] = []
    for number, line in enumerate([*text.splitlines(), "end"], 1):
        if line.startswith("    "):
            found.append(line[4:])
        elif line or not found:
            if found:
                while not found[-1]:
                    found.pop()
                yield number - 1 - len(found), found
            found = []
        else:
            found.append("")


def commands(page: Path) -> Iterator[Command]:
    """The commands of a page: after `$` with their output, else a line each; a Python block is one. Then its table's."""
    text = page.read_text("utf-8")
    for first, lines in blocks(text):
        if lines[0].startswith("from "):
            yield Command(page, first, "python", tuple(lines))
        elif lines[0].startswith("$ "):
            starts = [at for at, line in enumerate(lines) if line.startswith("$ ")]
            for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
                printed = "\n".join(lines[start + 1 : end]).rstrip().splitlines()
                yield Command(page, first + start, lines[start][2:], tuple(printed))
        else:
            paragraphs = "\n".join(lines).replace("\\\n", " ").split("\n\n")
            yield from (Command(page, first, line) for part in paragraphs for line in part.splitlines() if line)
    for number, line in enumerate(text.splitlines(), 1):
        if row := _ROW.match(line):
            yield from _in_a_row(page, number, row[1])


def _in_a_row(page: Path, number: int, code: str) -> Iterator[Command]:
    if code.startswith("Commonplace("):
        found = 'print(Commonplace("memory.db").search_memory("where do we live?"))'
        yield Command(page, number, "python", ("from commonplace import Commonplace", code, found))
    else:
        yield Command(page, number, code)


@dataclass(frozen=True)
class World:
    """A scratch home, a clock, and a server over the same memory file."""

    home: Path
    port: int
    clock: Callable[[], datetime]

    def perform(self, command: Command) -> str:
        """Runs a command and returns what it printed; AssertionError if it failed."""
        words = shlex.split(command.typed, comments=True)
        if command.typed == "python":
            return self._python("\n".join(command.printed))
        if words[0] != "commonplace":
            return self._shell(command.typed.replace(":8787", f":{self.port}"))
        with contextlib.chdir(ROOT), mock.patch.object(local, "local_clock", return_value=self.clock):
            done = run(*words[1:], home=self.home, stdin="y\n", environment={"COLUMNS": str(COLUMNS)})
        assert done.code == 0, done.err
        return done.out

    def _shell(self, line: str) -> str:
        environment = clean(self.home)
        environment["PATH"] = f"{Path(COMMAND).parent}:{environment['PATH']}"
        done = subprocess.run(
            ["bash", "-c", line], cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60, check=False
        )
        assert done.returncode == 0, done.stderr
        if line.startswith("curl"):
            assert "error" not in json.loads(done.stdout), done.stdout
        return done.stdout

    def _python(self, program: str) -> str:
        (self.home / "program.py").write_text(program, "utf-8")
        out = io.StringIO()
        with contextlib.chdir(self.home), contextlib.redirect_stdout(out):
            runpy.run_path("program.py")
        assert "We moved to Lisbon" in out.getvalue()
        return out.getvalue()


@contextlib.contextmanager
def world() -> Iterator[World]:
    """A home in a folder of its own; each look at the clock is a minute later."""
    minutes = count()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "default.db"
        with served(file) as server:
            yield World(Path(folder), server.port, lambda: NOW + timedelta(minutes=next(minutes)))
            server.end(signal.SIGINT)


def parts(lines: Sequence[str]) -> tuple[list[str], list[str] | None]:
    """The lines before the elision and those after it; None where nothing is left out."""
    at = next((at for at, line in enumerate(lines) if line.strip() in _ELISION), None)
    return ([*lines], None) if at is None else ([*lines[:at]], [*lines[at + 1 :]])


def tokens(lines: Iterable[str]) -> list[str]:
    """The words without what is of the moment: the characters of ids, times of day."""
    return _VARIES.sub(lambda found: found["kind"] or "", "\n".join(lines)).split()


def is_same(said: Sequence[str], printed: Sequence[str]) -> bool:
    """Whether words are the same, and numbers as good as the same."""
    return len(said) == len(printed) and all(map(_is_same_word, said, printed))


def _is_same_word(one: str, other: str) -> bool:
    with contextlib.suppress(ValueError):
        left, right = (float(word.replace(",", "")) for word in (one, other))
        return abs(left - right) <= _NEAR * max(1.0, left / 3)
    return one == other


def agrees(said: Sequence[str], printed: str) -> bool:
    """Whether an output is what the page says, apart from the lines that the page leaves out."""
    before, after = (None if part is None else tokens(part) for part in parts(said))
    whole = tokens(printed.splitlines())
    assert before is not None
    if after is None:
        return is_same(before, whole)
    fits = len(before) + len(after) <= len(whole)
    return fits and is_same(before, whole[: len(before)]) and is_same(after, whole[len(whole) - len(after) :])


COMMANDS = [command for page in (README, TOUR) for command in commands(page)]


@pytest.fixture(scope="module")
def worlds() -> Iterator[dict[Path, World]]:
    """A world for each page, so that a reader may begin with either."""
    with contextlib.ExitStack() as stack:
        yield {page: stack.enter_context(world()) for page in (README, TOUR)}


@pytest.mark.parametrize(
    "command", [one for one in COMMANDS if not one.reason], ids=lambda one: f"{one.page.name} {one.line} {one.typed[:40]}"
)
def test_it_runs_and_prints_what_the_page_says(worlds: dict[Path, World], command: Command) -> None:
    printed = worlds[command.page].perform(command)
    if command.printed and command.typed != "python":
        assert agrees(command.printed, printed), f"write it anew: python -m {__spec__.name} --write\n{printed}"


def test_each_reason_is_needed_and_most_commands_run() -> None:
    left = {one.reason for one in COMMANDS if one.reason}
    assert left == set(NOT_RUN.values())
    compared = " ".join(one.typed for one in COMMANDS if one.printed)
    assert [verb for verb in ("store", "search", "runs show", "context", "stats", "python") if verb not in compared] == []
    assert any(one.printed and one.typed.startswith("commonplace search") for one in COMMANDS if one.page == README)


@pytest.mark.parametrize(
    ("said", "printed", "same"),
    [
        ("id mem_01M82WTBCY5KGD3DXKG0SYH08H at 10:20", "id mem_01M82WTBCY5KGD3DXKG0SYH08J\n  at 11:59", True),
        ("a 0.78 b", "a 0.80 b", True),
        ("a 0.78 b", "a 0.88 b", False),
        ("a\n…\nz", "a\nb\nc\nz", True),
        ("a\n…\nz", "a\nb\nc\ny", False),
        ("a\n...", "a\nb", True),
        ("a\nb", "a", False),
        ("a\n…\na", "a", False),
    ],
)
def test_only_what_is_of_the_moment_may_differ(said: str, printed: str, same: bool) -> None:
    assert agrees(said.splitlines(), printed) is same


def written(command: Command, printed: str) -> list[str]:
    """The output as the page shows it: as many lines before and after an elision as there were."""
    lines = [part for line in printed.strip("\n").splitlines() for part in _folded(line)]
    before, after = parts(command.printed)
    if after is None:
        return lines
    return [*lines[: len(before)], "…", *lines[len(lines) - len(after) :]]


def _folded(line: str) -> list[str]:
    return textwrap.wrap(line, _WIDEST, subsequent_indent=" ", break_long_words=False) if len(line) > _WIDEST else [line]


def write() -> None:
    """Writes the outputs of a new run into the pages."""
    for page in (README, TOUR):
        lines = page.read_text("utf-8").splitlines()
        with world() as opened:
            outputs = {one: opened.perform(one) for one in COMMANDS if one.page == page and not one.reason}
        for command, printed in sorted(outputs.items(), key=lambda output: output[0].line, reverse=True):
            if command.printed and command.typed != "python":
                shown = [f"    {line}".rstrip() for line in written(command, printed)]
                lines[command.line : command.line + len(command.printed)] = shown
        page.write_text("\n".join(lines) + "\n", "utf-8")


if __name__ == "__main__" and "--write" in sys.argv:
    write()
