"""Opens a file to write and to read, or only to read; another program's database is refused before anything touches it."""

import os
import sqlite3
import stat
from contextlib import closing, suppress
from functools import partial
from importlib.resources import files
from pathlib import Path

from commonplace.adapters.sqlite import folding
from commonplace.adapters.sqlite.failure import unavailable

APPLICATION_ID = 0x434D4D50  # "CMMP" in the header of the file, by which other programs can tell whose it is
_OURS = {"users", "memories", "changes", "audits", "tags", "usage", "words"}  # tables since version 1, which set no id
_NOTHING: tuple[int, frozenset[str]] = 0, frozenset()
_AS_IT_STANDS, _BESIDE_WRITERS = "immutable=1", "mode=ro"
_OWNERS, _OWNERS_FOLDER = 0o600, 0o700
_VERSION = 4
_READ_FROM = 3  # the oldest form that can be read where it can't be brought up to date
_SCHEMA = ("schema.sql", "reembedding.sql", "aliases.sql")
_WITH_KEYS = "ALTER TABLE memories ADD COLUMN key TEXT;"  # since version 2; before it no tool gave a key

_text = partial(str, encoding="utf-8", errors="replace")  # one byte that is no UTF-8 is no reason to give no row at all

Stamp = tuple[int, int, bool]
"""By which a file that is read as it stands is known to be unchanged: time and size of the file, and if it has a log."""


def is_read_only(path: Path) -> bool:
    """Whether a file is there and can't be written: it, or its folder, in which a writer needs a log and a lock."""
    effective = os.access in os.supports_effective_ids
    return path.exists() and not all(os.access(one, os.W_OK, effective_ids=effective) for one in (path, path.parent))


def real(path: Path) -> Path:
    """Where the file itself is: there SQLite keeps the log, and there must be one lock, whatever link led to it."""
    return Path(os.path.realpath(path))


def refuse_devices(path: Path) -> None:
    """Refuses a device, a pipe or a folder before anything reads it, or takes it from everybody but its owner."""
    if path.exists() and not path.is_file():
        raise unavailable(f"the memory file {path} can't be used: it is a folder, a device or a pipe")


def make(path: Path) -> None:
    """Makes the file and the folders above it for their owner alone, as far as they aren't there."""
    for folder in reversed([one for one in path.parents if not one.exists()]):
        folder.mkdir(_OWNERS_FOLDER, exist_ok=True)
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL, _OWNERS))


def close_to_others(path: Path) -> None:
    """Takes the file and its log from everybody but their owner; what is somebody else's stays as it is."""
    for one in (path, *(path.with_name(path.name + beside) for beside in ("-wal", "-shm"))):
        with suppress(FileNotFoundError, PermissionError):
            one.chmod(stat.S_IMODE(one.stat().st_mode) & _OWNERS_FOLDER)


def rights(path: Path) -> int:
    """Who may use the file may use its lock, too, as SQLite has it with the log."""
    return stat.S_IMODE(path.stat().st_mode) & 0o666 | _OWNERS


def connect(path: Path, wait_seconds: float) -> sqlite3.Connection:
    """A connection that writes too."""
    connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False, timeout=wait_seconds)
    connection.text_factory = _text
    return connection


def connect_read_only(path: Path, wait_seconds: float) -> tuple[sqlite3.Connection, Stamp | None]:
    """A connection that makes no file beside the memory file. With a stamp the file is read as it stands: it must not change.

    What stands in a log can only be read where its writer is at work or the folder may be written.
    """
    stamp = stamp_of(path)
    connection = _connect_uri(path, _BESIDE_WRITERS if stamp[-1] else _AS_IT_STANDS, wait_seconds)
    try:
        _refuse(path, *_contents(connection))
    except Exception as error:
        connection.close()
        if not (stamp[-1] and isinstance(error, sqlite3.OperationalError)):
            raise
        why = f"{path} can't be written, and its last changes stand in a log beside it that can't be read so: copy both"
        raise unavailable(why) from error
    return connection, None if stamp[-1] else stamp


def refuse_others(path: Path, wait_seconds: float) -> None:
    """Raises `STORAGE_UNAVAILABLE` for a database of another program; nothing is written into it or beside it."""
    if not path.exists() or path.stat().st_size == 0:
        return
    try:
        with closing(_connect_uri(path, _AS_IT_STANDS, wait_seconds)) as connection:
            found = _contents(connection)
    except (sqlite3.DatabaseError, UnicodeDecodeError):  # a page that another process is just writing
        found = _NOTHING
    if found == _NOTHING:  # what there is may stand in the log
        with closing(_connect_uri(path, _BESIDE_WRITERS, wait_seconds)) as connection:
            found = _contents(connection)
    _refuse(path, *found)


def stamp_of(path: Path) -> Stamp:
    """The stamp of a file as it is now."""
    log, found = path.with_name(path.name + "-wal"), path.stat()
    return found.st_mtime_ns, found.st_size, log.exists() and log.stat().st_size > 0


def set_up(connection: sqlite3.Connection, synchronous: str) -> None:
    """Settings of a connection that writes."""
    connection.execute(f"PRAGMA synchronous = {synchronous}")
    connection.execute("PRAGMA fullfsync = 1")  # macOS: a plain fsync leaves data in the drive's cache
    connection.execute("PRAGMA wal_autocheckpoint = 0")
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA secure_delete = ON")  # what is deleted or replaced is overwritten


def is_marked(connection: sqlite3.Connection) -> bool:
    """Whether the file carries the application id, which files of 0.1 have not."""
    found: int = connection.execute("PRAGMA application_id").fetchone()[0]
    return found == APPLICATION_ID


def is_up_to_date(connection: sqlite3.Connection, path: Path) -> bool:
    """Whether the file has the form of this version, and a log; who only reads it then waits for no writer."""
    journal = connection.execute("PRAGMA journal_mode").fetchone()
    return journal == ("wal",) and _version(connection, path) == _VERSION


def bring_up_to_date(connection: sqlite3.Connection, path: Path) -> None:
    """Gives a new or older file the form of this version. Other writers are kept out meanwhile."""
    connection.execute("PRAGMA journal_mode = WAL")
    if _version(connection, path) == _VERSION:
        return
    schema = "".join(files(__package__).joinpath(name).read_text("utf-8") for name in _SCHEMA)
    columns = [name for (name,) in connection.execute("SELECT name FROM pragma_table_info('memories')")]
    older = bool(columns) and "key" not in columns
    if older:
        connection.execute("VACUUM")  # what that version deleted may still lie in free pages
    added = _WITH_KEYS if older else ""
    marks = f"PRAGMA user_version = {_VERSION}; PRAGMA application_id = {APPLICATION_ID};"
    connection.executescript(f"BEGIN IMMEDIATE; {added} {schema} {folding.TABLE}; {marks} COMMIT;")
    if older:
        folding.set_due(connection)


def refuse_older(connection: sqlite3.Connection, path: Path) -> None:
    """Raises `STORAGE_UNAVAILABLE` for a form that can't be read as it stands."""
    if _version(connection, path) < _READ_FROM:
        raise unavailable(f"{path} has an older form and can't be written; open it once where it can")


def _version(connection: sqlite3.Connection, path: Path) -> int:
    found: int = connection.execute("PRAGMA user_version").fetchone()[0]
    if found > _VERSION:
        raise unavailable(f"{path.name} was written by a newer version; upgrade commonplace")
    return found


def _contents(connection: sqlite3.Connection) -> tuple[int, frozenset[str]]:
    """The application id of a file, and the names of its tables."""
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
    return application, frozenset(name for (name,) in tables)


def _refuse(path: Path, application: int, tables: frozenset[str]) -> None:
    if application != APPLICATION_ID and (application or tables) and not tables >= _OURS:
        raise unavailable(f"{path} is a database of another program, and was left as it is")


def _connect_uri(path: Path, how: str, wait_seconds: float) -> sqlite3.Connection:
    uri = f"{path.as_uri()}?{how}"
    connection = sqlite3.connect(uri, uri=True, isolation_level=None, check_same_thread=False, timeout=wait_seconds)
    connection.text_factory = _text
    return connection
