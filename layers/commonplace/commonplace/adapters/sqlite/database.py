"""The SQLite connection: write-ahead log, full durability, one writer at a time across processes."""

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from importlib.resources import files
from pathlib import Path

from filelock import FileLock, Timeout

from commonplace.domain.errors import CommonplaceError, ErrorCode

_WAIT_SECONDS = 30.0
_LOG_BYTES = 8_000_000  # the log is folded into the file when it is longer than this
_SCHEMA_VERSION = 3
_WITH_KEYS = "ALTER TABLE memories ADD COLUMN key TEXT;"  # since version 2; before it no tool gave a key


class Database:
    """One SQLite file. Safe to share between threads and to open in several processes."""

    def __init__(self, path: Path, wait_seconds: float = _WAIT_SECONDS) -> None:
        self._path, self._log, self._wait = path, path.with_name(path.name + "-wal"), wait_seconds
        self._guard = threading.RLock()
        self._fold_is_due = False
        # SQLite before 3.51.3 can lose a commit when one process resets the log while another checkpoints, so commits
        # and checkpoints are serialised by a lock of our own; readers never wait for it.
        self._writing = FileLock(f"{path}.lock", timeout=wait_seconds, thread_local=False)
        with _storage_error(path), ExitStack() as opened:  # a file that can't be used is let go of
            path.parent.mkdir(parents=True, exist_ok=True)
            self._main = opened.enter_context(closing(_connect(path, wait_seconds)))
            self._usage = opened.enter_context(closing(_connect(path, 0.0)))
            _set_up(self._main, "FULL")
            _set_up(self._usage, "NORMAL")
            with self._locked():
                self._main.execute("PRAGMA journal_mode = WAL")
                self._prepare()
            opened.pop_all()

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """One consistent state of the file."""
        with self._guard, _storage_error(self._path):
            if self._main.in_transaction:
                yield self._main
                return
            self._main.execute("BEGIN")
            try:
                yield self._main
            finally:
                self._main.execute("ROLLBACK")

    @contextmanager
    def writing(self, erases: bool = False) -> Iterator[sqlite3.Connection]:
        """One transaction: on disk when this ends, or not at all. `erases`: the log keeps nothing of what was there."""
        with self._guard, _storage_error(self._path), self._locked():
            self._main.execute("BEGIN IMMEDIATE")
            try:
                yield self._main
            except BaseException:
                self._main.execute("ROLLBACK")
                raise
            self._main.execute("COMMIT")
            self._fold_log(erases)

    @contextmanager
    def counting(self) -> Iterator[sqlite3.Connection | None]:
        """A transaction for usage that doesn't wait: None when another writer is at work, and no sync to disk."""
        with self._guard, _storage_error(self._path):
            try:
                self._writing.acquire(timeout=0)
            except Timeout:
                yield None
                return
            try:
                self._usage.execute("BEGIN IMMEDIATE")
                try:
                    yield self._usage
                except BaseException:
                    self._usage.execute("ROLLBACK")
                    raise
                self._usage.execute("COMMIT")
            finally:
                self._writing.release()

    def close(self) -> None:
        """Folds the log into the file and lets go of it."""
        with self._guard, _storage_error(self._path), self._locked():
            self._usage.close()
            self._main.close()

    def _prepare(self) -> None:
        found: int = self._main.execute("PRAGMA user_version").fetchone()[0]
        if found > _SCHEMA_VERSION:
            raise CommonplaceError(
                ErrorCode.STORAGE_UNAVAILABLE, f"{self._path.name} was written by a newer version; upgrade commonplace"
            )
        if found < _SCHEMA_VERSION:
            self._upgrade()

    def _upgrade(self) -> None:
        schema = files("commonplace.adapters.sqlite").joinpath("schema.sql").read_text("utf-8")
        columns = [name for (name,) in self._main.execute("SELECT name FROM pragma_table_info('memories')")]
        older = bool(columns) and "key" not in columns
        if older:
            self._main.execute("VACUUM")  # what that version deleted may still lie in free pages
        added = _WITH_KEYS if older else ""
        self._main.executescript(f"BEGIN IMMEDIATE; {added} {schema} PRAGMA user_version = {_SCHEMA_VERSION}; COMMIT;")
        self._fold_log(older)

    def _fold_log(self, at_once: bool) -> None:
        self._fold_is_due |= at_once
        if self._fold_is_due or (self._log.exists() and self._log.stat().st_size > _LOG_BYTES):
            self._main.execute("PRAGMA busy_timeout = 0")  # with a reader at work it is left for the next commit
            (busy, *_) = self._main.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            self._fold_is_due &= bool(busy)
            self._main.execute(f"PRAGMA busy_timeout = {round(self._wait * 1000)}")

    @contextmanager
    def _locked(self) -> Iterator[None]:
        try:
            with self._writing:
                yield
        except Timeout as error:
            raise CommonplaceError(ErrorCode.STORAGE_UNAVAILABLE, "another process is writing; try again") from error


def _connect(path: Path, wait_seconds: float) -> sqlite3.Connection:
    return sqlite3.connect(path, isolation_level=None, check_same_thread=False, timeout=wait_seconds)


def _set_up(connection: sqlite3.Connection, synchronous: str) -> None:
    connection.execute(f"PRAGMA synchronous = {synchronous}")
    connection.execute("PRAGMA fullfsync = 1")  # macOS: a plain fsync leaves data in the drive's cache
    connection.execute("PRAGMA wal_autocheckpoint = 0")
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA secure_delete = ON")  # what is deleted or replaced is overwritten


@contextmanager
def _storage_error(path: Path) -> Iterator[None]:
    """SQLite's errors in our words, without its own, which may quote data."""
    try:
        yield
    except sqlite3.OperationalError as error:
        busy = getattr(error, "sqlite_errorcode", 0) & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
        why = "another process is writing; try again" if busy else f"the memory file {path} can't be used: {error}"
        raise CommonplaceError(ErrorCode.STORAGE_UNAVAILABLE, why) from error
    except sqlite3.DatabaseError as error:
        raise CommonplaceError(ErrorCode.STORAGE_UNAVAILABLE, f"{path} is not a memory file, or it is damaged") from error
    except OSError as error:
        where = f": {error.filename}" if error.filename not in (None, str(path)) else ""  # such as a folder above it
        why = f"the memory file {path} can't be used: {error.strerror}{where}"
        raise CommonplaceError(ErrorCode.STORAGE_UNAVAILABLE, why) from error
