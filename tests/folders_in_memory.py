"""Puts the folders of tests in memory where there is room, so that no commit waits for the disk."""

import os
import shutil
from pathlib import Path

MEMORY, ROOM = Path("/dev/shm"), 6 << 30
_VARIABLE = "PYTEST_DEBUG_TEMPROOT"  # read by pytest; the workers and programs of a test inherit it


def pytest_configure() -> None:
    """Choose the folder before the first test asks for one. A variable that is set already wins."""
    if _VARIABLE not in os.environ and is_fit(MEMORY):
        os.environ[_VARIABLE] = str(MEMORY)


def is_fit(folder: Path) -> bool:
    """Return whether a folder can be written, has room, and can hold programs. Containers often give it 64 MB, or no programs."""
    if not os.access(folder, os.W_OK) or shutil.disk_usage(folder).free < ROOM:
        return False
    return not os.statvfs(folder).f_flag & os.ST_NOEXEC
