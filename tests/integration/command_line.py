"""The command line, run as a person or a script runs it: in this process, or in one of its own."""

import contextlib
import io
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

from commonplace.interfaces.cli import main

COMMAND = str(Path(sys.executable).with_name("commonplace"))
_LEFT_OUT = ("COMMONPLACE_", "ANTHROPIC_", "COLUMNS", "APPDATA", "XDG_CONFIG_HOME", "CLAUDE_CONFIG_DIR", "PYTHONUNBUFFERED")


@dataclass(frozen=True)
class Done:
    """How a command ended and what it printed."""

    code: object
    out: str
    err: str

    @property
    def answer(self) -> Any:
        """What it printed, read as JSON."""
        return json.loads(self.out)


def run(*arguments: str, home: Path, stdin: str | bytes = "", environment: Mapping[str, str] | None = None) -> Done:
    """Runs the command line to its end, in this process. `home`: where its default memory file is."""
    given = stdin.encode() if isinstance(stdin, str) else stdin
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="ascii") for _ in range(2))
    around = {"COMMONPLACE_DB": str(home / "default.db"), **(environment or {})}
    with (
        mock.patch.dict(os.environ, clean(home, around), clear=True),
        mock.patch.object(sys, "stdin", io.TextIOWrapper(io.BytesIO(given))),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        try:
            main(arguments)
        except SystemExit as ended:
            return Done(ended.code, _printed(out), _printed(err))
    raise AssertionError("the command did not exit")


def run_process(*arguments: str, home: Path, environment: Mapping[str, str] | None = None) -> Done:
    """The same in a process of its own, started by the installed script."""
    done = subprocess.run(
        [COMMAND, *arguments],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        env=clean(home, environment),
        timeout=60,
        check=False,
    )
    return Done(done.returncode, done.stdout.decode(), done.stderr.decode())


def clean(home: Path, environment: Mapping[str, str] | None = None) -> dict[str, str]:
    """An environment that says nothing of ours, nor where programs keep their settings; warnings are errors in it."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(_LEFT_OUT)}
    return {**kept, "HOME": str(home), "USERPROFILE": str(home), "PYTHONWARNINGS": "error", **(environment or {})}


def stored(text: str, memory_file: Path) -> str:
    """Stores a text in a file and gives its id."""
    done = run("store", text, "--db", str(memory_file), "--json", home=memory_file.parent)
    assert (done.code, done.err) == (0, "")
    memory_id: str = done.answer["memory_id"]
    return memory_id


def _printed(stream: io.TextIOWrapper) -> str:
    stream.flush()
    buffer = stream.buffer
    assert isinstance(buffer, io.BytesIO)
    return buffer.getvalue().decode()
