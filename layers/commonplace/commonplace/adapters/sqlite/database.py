"""Manages the connections to a SQLite file, with a write-ahead log and full durability. Only one process writes at a time.

A checkpoint folds the log into the file. Until then, the log may contain erased data. A row in the file records that the log
must be folded, so that the next process that opens the file folds it.
"""

import os
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from weakref import WeakSet

from filelock import FileLock, Timeout

from commonplace.adapters.sqlite import opening
from commonplace.domain import loading

_WAIT_SECONDS = 30.0
_PATIENCE, _PAUSE = 5.0, 0.02  # seconds to wait for readers after an erasure, and between attempts
_FREE_PAGES = 2_048  # if more pages are free than this, each write releases this many
_LOG_BYTES = 8_000_000  # a longer log is folded into the file after a write


class Database:
    """A SQLite file. Threads can share a `Database`, and several processes can open the same file."""

    def __init__(self, path: Path) -> None:
        self._path = opening.real(path)
        self._log, self._wait = self._path.with_name(self._path.name + "-wal"), _WAIT_SECONDS
        self._turn, self._guard = threading.RLock(), threading.RLock()
        self._closed = False
        self._stamp: opening.Stamp | None = None
        with opening.storage_errors(self._path), ExitStack() as opened:  # closes the connections if the file can't be used
            opening.refuse_devices(self._path)
            self.read_only = opening.is_read_only(self._path)
            (self._open_to_read if self.read_only else self._open_to_write)(opened)
            self._connections = opened.pop_all()
        with _registering:
            _opened.add(self)

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """Yield a connection that sees one consistent state of the file."""
        with self._guard_use():
            if self._main.in_transaction:
                yield self._main
                return
            try:  # a signal may arrive as soon as the transaction has begun
                self._main.execute("BEGIN")
                yield self._main
            finally:
                _roll_back(self._main)

    @contextmanager
    def writing(self, erases: bool = False) -> Iterator[sqlite3.Connection]:
        """Run one transaction, which is durable once the context ends normally and rolled back after an exception.

        If `erases` is true, the old data is also removed from the log. If a reader blocks that, `fold_log` removes it later.
        """
        with self._lock_for_writing(), self._guard_use():
            try:
                self._main.execute("BEGIN IMMEDIATE")
                if erases:
                    self._main.execute("INSERT INTO folding_due VALUES (1) ON CONFLICT DO NOTHING")
                yield self._main
                self._main.execute("COMMIT")
            except BaseException:
                _roll_back(self._main)
                raise
            self._release_free_pages()
            self._fold_log()

    @contextmanager
    def counting(self) -> Iterator[sqlite3.Connection | None]:
        """Run a transaction that counts uses, without waiting or syncing. Yield None if another writer is active."""
        with self._guard_use(), ExitStack() as stack:
            try:
                stack.enter_context(self._writing.acquire(timeout=0))
                self._usage.execute("BEGIN IMMEDIATE")
            except (Timeout, sqlite3.OperationalError) as error:
                if isinstance(error, sqlite3.OperationalError) and not opening.is_busy(error):
                    raise
                yield None
                return
            try:
                yield self._usage
            except BaseException:
                _roll_back(self._usage)
                raise
            self._usage.execute("COMMIT")
            self._checkpoint_if_due()

    def fold_log(self, wait: bool) -> bool:
        """Remove erased data from the log, and return whether it is gone. If `wait` is true, wait up to 5 s for readers."""
        until = time.monotonic() + (_PATIENCE if wait else 0.0)
        while True:
            with self._guard_use():
                if not self.read_only:
                    self._fold_unless_busy()
                if not _is_folding_due(self._main):
                    return True
            if time.monotonic() >= until:
                return False
            time.sleep(_PAUSE)

    def close(self) -> None:
        """Fold the log and close the file. Closing twice is safe."""
        with self._guard, opening.storage_errors(self._path), ExitStack() as stack:
            if self._closed:
                return
            if not self.read_only:
                with suppress(Timeout):  # another process has the lock, and folds the log when it closes
                    stack.enter_context(self._writing.acquire(timeout=0))
                    self._checkpoint_if_due()
            self._close_connections()

    def _open_to_write(self, opened: ExitStack) -> None:
        """Open the two connections, and create the file and its tables if they are missing. Folds the log."""
        opening.refuse_other_files(self._path, self._wait)
        opening.make(self._path)
        self._main = opened.enter_context(closing(opening.connect(self._path, self._wait)))
        self._usage = opened.enter_context(closing(opening.connect(self._path, self._wait)))
        opening.set_up(self._main, "FULL")
        opening.set_up(self._usage, "NORMAL")
        self._usage.execute("PRAGMA busy_timeout = 0")  # set last, as opening must wait for a process that creates the file
        if opening.is_empty(self._main, self._path):  # an existing file may be shared on purpose
            opening.restrict_access(self._path)
        # Before SQLite 3.51.3, a log reset in one process during a checkpoint in another can lose a commit. This lock
        # serializes commits and checkpoints, and readers never wait for it.
        lock = f"{self._path}.lock"
        self._writing = FileLock(lock, self._wait, opening.rights(self._path))
        if not opening.is_set_up(self._main):
            with self._lock_for_writing():
                opening.make_tables(self._main, self._path)
        self._fold_unless_busy()

    def _open_to_read(self, opened: ExitStack) -> None:
        connection, self._stamp = opening.connect_read_only(self._path, self._wait)
        self._main = opened.enter_context(closing(connection))

    def _close_connections(self) -> None:
        self._connections.close()
        self._closed = True

    @contextmanager
    def _guard_use(self) -> Iterator[None]:
        """Raise `STORAGE_UNAVAILABLE` if the file was closed, or was opened as immutable and then changed."""
        with self._guard, opening.storage_errors(self._path):
            if self._closed:
                raise opening.unavailable("this memory was closed; open it again")
            if self._stamp is not None and self._stamp != opening.stamp_of(self._path):
                raise opening.unavailable(f"{self._path} was changed since it was opened to be read; open it again")
            yield

    def _fold_unless_busy(self) -> None:
        """Fold the log if it contains erased data and no other process holds the write lock."""
        with suppress(Timeout), self._writing.acquire(timeout=0):
            self._checkpoint_if_due()

    def _checkpoint_if_due(self) -> None:
        if _is_folding_due(self._main):
            self._fold_log()

    def _release_free_pages(self) -> None:
        """Release up to 2,048 free pages in 0.1 to 0.4 s without blocking readers. VACUUM would take 5 s for 330 MB."""
        with suppress(sqlite3.OperationalError):  # the data is written; the next write tries again
            if self._main.execute("PRAGMA freelist_count").fetchone()[0] > _FREE_PAGES:
                self._main.executescript(f"PRAGMA incremental_vacuum({_FREE_PAGES})")  # `execute` would release a single page

    def _fold_log(self) -> None:
        """Empty the write-ahead log if it contains erased data or is too long. If it is busy, the next call tries again."""
        due = _is_folding_due(self._main)
        if not due and not (self._log.exists() and self._log.stat().st_size > _LOG_BYTES):
            return
        with suppress(sqlite3.OperationalError):  # the data is written, and the next call tries to fold again
            if _empty_log(self._main) and due:
                self._usage.execute("DELETE FROM folding_due")  # losing this in a crash is harmless

    @contextmanager
    def _lock_for_writing(self) -> Iterator[None]:
        """Hold the write lock for one thread of one process. Waiting threads don't hold the guard, so others can read."""
        with self._guard_use():
            if self.read_only:
                raise opening.unavailable(
                    f"{self._path} can't be written: it, or its folder, is read-only; it can be searched and exported"
                )
        with opening.storage_errors(self._path), self._turn:
            try:
                with self._writing:
                    yield
            except Timeout as error:
                raise opening.unavailable("another process is writing; try again") from error


class DatabaseAdapter:
    def __init__(self, database: Database) -> None:
        self._database = database


def _roll_back(connection: sqlite3.Connection) -> None:
    """Roll back the transaction, unless SQLite has already done so, for example because of a full disk or a damaged page."""
    if connection.in_transaction:
        connection.execute("ROLLBACK")


def _is_folding_due(connection: sqlite3.Connection) -> bool:
    """Return whether the log may still contain erased data."""
    return connection.execute("SELECT 1 FROM folding_due").fetchone() is not None


def _empty_log(connection: sqlite3.Connection) -> bool:
    """Fold and empty the log without waiting. Return False if a reader still needs an older state."""
    (wait,) = connection.execute("PRAGMA busy_timeout").fetchone()
    connection.execute("PRAGMA busy_timeout = 0")
    try:
        (busy, *_) = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    finally:
        connection.execute(f"PRAGMA busy_timeout = {wait}")
    return not busy


_opened, _registering, _locks = WeakSet[Database](), threading.RLock(), ExitStack()


def _lock_for_fork() -> None:
    """Wait until no thread uses a file, because the child process inherits the locks but not the threads that hold them."""
    _locks.enter_context(_registering)
    for database in _opened:
        _locks.enter_context(database._guard)


def _close_files() -> None:
    """Close the files in the child process, because SQLite would treat reopened files as locked by the same process."""
    loading.forked()
    for database in _opened:
        database._close_connections()
    _locks.pop_all().close()


if hasattr(os, "register_at_fork"):  # Windows has no fork
    os.register_at_fork(before=_lock_for_fork, after_in_parent=lambda: _locks.pop_all().close(), after_in_child=_close_files)
