"""What goes wrong with a file, in our words: which file, and what to do."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from commonplace.domain.errors import CommonplaceError, ErrorCode

_OF_THE_SYSTEM = (
    sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM,
    sqlite3.SQLITE_NOMEM,
)  # fmt: skip


def unavailable(why: str) -> CommonplaceError:
    """The error for a file that can't be used, now or so."""
    return CommonplaceError(ErrorCode.STORAGE_UNAVAILABLE, why)


def is_busy(error: sqlite3.OperationalError) -> bool:
    """Whether another connection was in the way."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


@contextmanager
def storage_errors(path: Path) -> Iterator[None]:
    """SQLite's errors in our words, without its own, which may quote data."""
    try:
        yield
    # UnicodeDecodeError: a message of SQLite that names what is damaged; OverflowError: a number that SQLite had no room for
    except (sqlite3.Error, UnicodeDecodeError, OverflowError) as error:
        raise unavailable(_why(path, error)) from None
    except OSError as error:
        where = f": {error.filename}" if error.filename not in (None, str(path)) else ""  # such as a folder above it
        why = f"the memory file {path} can't be used: {error.strerror}{where}"
        raise unavailable(why) from error


def damaged(path: Path, how: str) -> str:
    """What is told of a file that is damaged, and what to do."""
    return (
        f"{path} is not a memory file, or it is damaged ({how}): restore a copy of it;"
        ' "commonplace doctor" lists what can\'t be read, and .recover of the program sqlite3 saves what can'
    )


def _why(path: Path, error: Exception) -> str:
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return "another process is writing; try again"
    if path.is_dir():
        return f"the memory file {path} is a folder: name a file in it, such as {path / 'memory.db'}"
    if code in _OF_THE_SYSTEM:
        return f"the memory file {path} can't be used: {error}"
    return damaged(path, getattr(error, "sqlite_errorname", type(error).__name__))
