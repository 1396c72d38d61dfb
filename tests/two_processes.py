"""Processes that begin their work at the same moment: each says `ready`, and waits for a line."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from typing import Any


def at_once(script: str, arguments: Sequence[Sequence[str]], environment: Mapping[str, str]) -> list[Any]:
    """Runs the script once for each list of arguments, all at once, and gives what each printed at its end, as JSON."""
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", script, *given],
            env=os.environ | environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for given in arguments
    ]
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    return [json.loads(process.communicate(timeout=120)[0]) for process in processes]
