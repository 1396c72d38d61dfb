"""The SQLite connection: write-ahead log, full durability, one writer at a time across processes."""

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from importlib.resources import files
from pathlib import Path

from filelock import FileLock, Timeout

from commonplace.adapters.sqlite import opening

_WAIT_SECONDS = 30.0
_LOG_BYTES = 8_000_000  # the log is folded into the file when it is longer than this
_SCHEMA_VERSION = 3
_READ_FROM = 3  # the oldest form that can be read where it can't be brought up to date
_WITH_KEYS = "ALTER TABLE memories ADD COLUMN key TEXT;"  # since version 2; before it no tool gave a key


class Database:
    """One SQLite file. Safe to share between threads and to open in several processes.

    `read_only`: it can't be written, here, by this user.
    """

    def __init__(self, path: Path, wait_seconds: float = _WAIT_SECONDS) -> None:
        self._path, self._log, self._wait = path, path.with_name(path.name + "-wal"), wait_seconds
        self._guard = threading.RLock()
        self._fold_is_due = self._closed = self._is_marked = False
        self._stamp: opening.Stamp | None = None
        # SQLite before 3.51.3 can lose a commit when one process resets the log while another checkpoints, so commits
        # and checkpoints are serialised by a lock of our own; readers never wait for it.
        self._writing = FileLock(f"{path}.lock", timeout=wait_seconds, thread_local=False)
        with opening.storage_errors(path), ExitStack() as opened:  # a file that can't be used is let go of
            self.read_only = opening.is_read_only(path)
            (self._open_to_read if self.read_only else self._open_to_write)(opened)
            opened.pop_all()

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """One consistent state of the file."""
        with self._in_use():
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
        with self._in_use(), self._locked():
            self._main.execute("BEGIN IMMEDIATE")
            try:
                self._mark()
                yield self._main
            except BaseException:
                self._main.execute("ROLLBACK")
                raise
            self._main.execute("COMMIT")
            self._is_marked = True
            self._fold_log(erases)

    @contextmanager
    def counting(self) -> Iterator[sqlite3.Connection | None]:
        """A transaction for usage that doesn't wait: None when another writer is at work, and no sync to disk."""
        with self._in_use():
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
        """Folds the log into the file and lets go of it; once is enough."""
        with self._guard, opening.storage_errors(self._path), ExitStack() as held:
            if self._closed:
                return
            if not self.read_only:
                held.enter_context(self._locked())
                self._usage.close()
            self._main.close()
            self._closed = True

    def _open_to_write(self, opened: ExitStack) -> None:
        opening.refuse_others(self._path, self._wait)
        self._path.parent.mkdir(parents=True, exist_ok=True)
        self._main = opened.enter_context(closing(opening.connect(self._path, self._wait)))
        self._usage = opened.enter_context(closing(opening.connect(self._path, self._wait)))
        opening.set_up(self._main, "FULL")
        opening.set_up(self._usage, "NORMAL")
        self._usage.execute("PRAGMA busy_timeout = 0")  # from now on: who opens waits for another that makes the file
        with self._locked():
            self._main.execute("PRAGMA journal_mode = WAL")
            self._prepare()
        (application,) = self._main.execute("PRAGMA application_id").fetchone()
        self._is_marked = application == opening.APPLICATION_ID

    def _open_to_read(self, opened: ExitStack) -> None:
        connection, self._stamp = opening.connect_read_only(self._path, self._wait)
        self._main = opened.enter_context(closing(connection))
        if self._version() < _READ_FROM:
            raise opening.unavailable(f"{self._path} has an older form and can't be written; open it once where it can")

    @contextmanager
    def _in_use(self) -> Iterator[None]:
        """For one use of the file; raises when it was closed, or was changed although it is read as it stands."""
        with self._guard, opening.storage_errors(self._path):
            if self._closed:
                raise opening.unavailable("this memory was closed; open it again")
            if self._stamp is not None and self._stamp != opening.stamp_of(self._path):
                raise opening.unavailable(f"{self._path} was changed since it was opened to be read; open it again")
            yield

    def _version(self) -> int:
        found: int = self._main.execute("PRAGMA user_version").fetchone()[0]
        if found > _SCHEMA_VERSION:
            raise opening.unavailable(f"{self._path.name} was written by a newer version; upgrade commonplace")
        return found

    def _mark(self) -> None:
        """Sets the application id, which files of 0.1 have not."""
        if not self._is_marked:
            self._main.execute(f"PRAGMA application_id = {opening.APPLICATION_ID}")

    def _prepare(self) -> None:
        if self._version() < _SCHEMA_VERSION:
            self._upgrade()

    def _upgrade(self) -> None:
        folder = files("commonplace.adapters.sqlite")
        schema = "".join(folder.joinpath(name).read_text("utf-8") for name in ("schema.sql", "reembedding.sql"))
        columns = [name for (name,) in self._main.execute("SELECT name FROM pragma_table_info('memories')")]
        older = bool(columns) and "key" not in columns
        if older:
            self._main.execute("VACUUM")  # what that version deleted may still lie in free pages
        added = _WITH_KEYS if older else ""
        marks = f"PRAGMA user_version = {_SCHEMA_VERSION}; PRAGMA application_id = {opening.APPLICATION_ID};"
        self._main.executescript(f"BEGIN IMMEDIATE; {added} {schema} {marks} COMMIT;")
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
        if self.read_only:
            raise opening.unavailable(
                f"{self._path} can't be written: it, or its folder, is read-only; it can be searched and exported"
            )
        try:
            with self._writing:
                yield
        except Timeout as error:
            raise opening.unavailable("another process is writing; try again") from error
