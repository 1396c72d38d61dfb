"""Notes which files of the project a Python process opens, while a slow check runs: Python imports this when it starts.

`SLOW_CHECK_ROOT`: the project; `SLOW_CHECK_OPENED`: the file to which each path is appended, relative to the project.
"""

import os
import re
import sys

_CACHED = re.compile(r"__pycache__/([^/]+)\.cpython-\d+[^/]*\.pyc$")


def note_opened_files(root: str, notes: str) -> None:
    seen: set[str] = set()
    file = os.open(notes, os.O_WRONLY | os.O_CREAT | os.O_APPEND)

    def note(event: str, arguments: tuple[object, ...]) -> None:
        if event != "open" or not isinstance(arguments[0], (str, bytes, os.PathLike)):
            return
        path = os.path.abspath(os.fsdecode(arguments[0]))  # noqa: PTH100 - a link counts under its own name
        if path not in seen:
            seen.add(path)
            if path.startswith(root):
                name = _CACHED.sub(r"\1.py", path.removeprefix(root))
                os.write(file, f"{name}\n".encode(errors="surrogateescape"))

    sys.addaudithook(note)


if "SLOW_CHECK_OPENED" in os.environ:
    note_opened_files(os.environ["SLOW_CHECK_ROOT"] + os.sep, os.environ["SLOW_CHECK_OPENED"])
