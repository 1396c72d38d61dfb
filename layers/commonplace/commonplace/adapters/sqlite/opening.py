"""Opens a memory file for writing or read-only, and refuses other programs' databases before anything is changed."""

import os
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from functools import partial
from importlib.resources import files
from pathlib import Path

from commonplace.domain.errors import CommonplaceError, ErrorCode
from commonplace.domain.folders import OWNER_ONLY, make_private

APPLICATION_ID = 0x434D4D50  # "CMMP" in the file header identifies our files
_OURS = {"users", "memories", "changes", "audits", "tags", "usage", "words"}  # files of the first version have no id
_IMMUTABLE, _READ_ONLY = "immutable=1", "mode=ro"
_OWNERS = 0o600
_VERSION = 6
_text = partial(str, encoding="utf-8", errors="replace")  # one invalid UTF-8 byte must not hide a whole row
Stamp = tuple[int, int, bool]
"""A file's modification time and size, and whether its log has content. If all three are the same, the file is unchanged."""
_OF_THE_SYSTEM = (
    sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM,
    sqlite3.SQLITE_NOMEM,
)  # fmt: skip


def is_read_only(path: Path) -> bool:
    """Return whether a file exists but can't be written. The folder must also be writable, for the log and the lock file."""
    effective = os.access in os.supports_effective_ids
    return path.exists() and not all(os.access(path, os.W_OK, effective_ids=effective) for path in (path, path.parent))


def real(path: Path) -> Path:
    """Resolve links in a path, because the log is next to the real file and all processes need the same lock."""
    return Path(os.path.realpath(path))


def refuse_devices(path: Path) -> None:
    """Raise `STORAGE_UNAVAILABLE` for a folder, a device or a pipe. Call this function before the file is read or changed."""
    if path.is_dir():
        raise unavailable(f"the memory file {path} is a folder: name a file in it, such as {path / 'memory.db'}")
    if path.exists() and not path.is_file():
        raise unavailable(f"the memory file {path} can't be used: it is a device or a pipe")


def make(path: Path) -> None:
    """Create the file and any missing folders, with access for the owner only."""
    make_private(path.parent)
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL, _OWNERS))


def restrict_access(path: Path) -> None:
    """Restrict access to the file and its log to the owner. Files that belong to other users stay unchanged."""
    for file in (path, *(path.with_name(path.name + suffix) for suffix in ("-wal", "-shm"))):
        with suppress(FileNotFoundError, PermissionError):
            file.chmod(stat.S_IMODE(file.stat().st_mode) & OWNER_ONLY)


def rights(path: Path) -> int:
    """Return the permissions for the lock file. Like the permissions of SQLite's log, they match those of the memory file."""
    return stat.S_IMODE(path.stat().st_mode) & 0o666 | _OWNERS


def connect(path: Path | str, wait_seconds: float, uri: bool = False) -> sqlite3.Connection:
    """Open a connection for writing, or in the mode that a URI specifies."""
    connection = sqlite3.connect(path, uri=uri, isolation_level=None, check_same_thread=False, timeout=wait_seconds)
    connection.text_factory = _text
    return connection


def connect_read_only(path: Path, wait_seconds: float) -> tuple[sqlite3.Connection, Stamp | None]:
    """Open a connection that creates no files. If the returned stamp is not None, the file is read as immutable."""
    stamp = stamp_of(path)
    connection = _connect_uri(path, _READ_ONLY if stamp[-1] else _IMMUTABLE, wait_seconds)
    try:
        if is_empty(connection, path):
            raise unavailable(f"{path} is empty, and can't be written")
    except Exception as error:
        connection.close()
        if not (stamp[-1] and isinstance(error, sqlite3.OperationalError)):
            raise
        why = f"{path} can't be written, and its last changes are in a log that can't be read without writing: copy both"
        raise unavailable(why) from error
    return connection, None if stamp[-1] else stamp


def refuse_other_files(path: Path, wait_seconds: float) -> None:
    """Raise `STORAGE_UNAVAILABLE` if the file is another program's database or has a different version. Write nothing."""
    if not path.exists() or path.stat().st_size == 0:
        return
    try:
        with closing(_connect_uri(path, _IMMUTABLE, wait_seconds)) as connection:
            is_new = is_empty(connection, path)
    except (sqlite3.DatabaseError, UnicodeDecodeError):  # another process may be writing this page
        is_new = True
    if is_new:  # the content may still be in the log
        with closing(_connect_uri(path, _READ_ONLY, wait_seconds)) as connection:
            is_empty(connection, path)


def stamp_of(path: Path) -> Stamp:
    """Return a file's modification time in nanoseconds, its size, and whether its log has content."""
    log, status = path.with_name(path.name + "-wal"), path.stat()
    return status.st_mtime_ns, status.st_size, log.exists() and log.stat().st_size > 0


def set_up(connection: sqlite3.Connection, synchronous: str) -> None:
    """Configure a connection for writing."""
    connection.execute(f"PRAGMA synchronous = {synchronous}")
    connection.execute("PRAGMA fullfsync = 1")  # macOS: a plain fsync leaves data in the drive's cache
    connection.execute("PRAGMA wal_autocheckpoint = 0")
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA secure_delete = ON")  # overwrite deleted and replaced data


def is_empty(connection: sqlite3.Connection, path: Path) -> bool:
    """Return whether the file is empty. Raises `STORAGE_UNAVAILABLE` for another program's file or a different version."""
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    if not (application or tables):
        return True
    if application != APPLICATION_ID and not tables >= _OURS:
        raise unavailable(f"{path} is a database of another program, and was not changed")
    version = _load_schema_version(connection)
    if version != _VERSION:
        raise unavailable(
            f"{path} is a memory file of version {version}, and this release opens version {_VERSION}. Run"
            ' "commonplace export > memories.jsonl" with the release that wrote it, then "commonplace import memories.jsonl'
            ' --apply" with this release and a new file'
        )
    return False


def is_set_up(connection: sqlite3.Connection) -> bool:
    """Return whether the file already has its tables and a log, in which case opening it need not wait for a writer."""
    return connection.execute("PRAGMA journal_mode").fetchone() == ("wal",) and _load_schema_version(connection) == _VERSION


def make_tables(connection: sqlite3.Connection, path: Path) -> None:
    """Enable the log, and create the tables if the file is new. The caller must hold the write lock."""
    connection.execute("PRAGMA auto_vacuum = INCREMENTAL")  # takes effect only on new files
    connection.execute("PRAGMA journal_mode = WAL")
    if is_empty(connection, path):
        schema = files(__package__).joinpath("schema.sql").read_text("utf-8")
        marks = f"PRAGMA user_version = {_VERSION}; PRAGMA application_id = {APPLICATION_ID};"
        connection.executescript(f"BEGIN IMMEDIATE; {schema} {marks} COMMIT;")


def _load_schema_version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def _connect_uri(path: Path, parameters: str, wait_seconds: float) -> sqlite3.Connection:
    return connect(f"{path.as_uri()}?{parameters}", wait_seconds, uri=True)


def unavailable(why: str) -> CommonplaceError:
    """Return the error for a file that can't be used."""
    return CommonplaceError(ErrorCode.STORAGE_UNAVAILABLE, why)


def is_busy(error: Exception) -> bool:
    """Return whether the call failed because another connection blocked it."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


@contextmanager
def storage_errors(path: Path) -> Iterator[None]:
    """Convert SQLite and system errors to `STORAGE_UNAVAILABLE`. Messages that may quote data are not passed on."""
    try:
        yield
    # UnicodeDecodeError: SQLite's message quotes damaged data. OverflowError: a number is too large for SQLite.
    except (sqlite3.Error, UnicodeDecodeError, OverflowError) as error:
        raise unavailable(_explain_error(path, error)) from None
    except OSError as error:
        where = f": {error.filename}" if error.filename not in (None, str(path)) else ""  # for example a parent folder
        raise unavailable(f"the memory file {path} can't be used: {error.strerror}{where}") from error


def damaged(path: Path, how: str) -> str:
    """Return a message that reports a damaged file and explains how to restore the data."""
    return (
        f"{path} is not a memory file, or it is damaged ({how}): restore a copy of it;"
        ' "commonplace doctor" lists what can\'t be read, and .recover of the program sqlite3 saves what can'
    )


def _explain_error(path: Path, error: Exception) -> str:
    if is_busy(error):
        return "another process is writing; try again"
    if getattr(error, "sqlite_errorcode", 0) & 0xFF in _OF_THE_SYSTEM:
        return f"the memory file {path} can't be used: {error}"
    return damaged(path, getattr(error, "sqlite_errorname", type(error).__name__))
