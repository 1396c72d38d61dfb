"""The write-ahead log is folded into the file; what was erased stands in it until then, and the file says so.

Whoever opens the file next sees that, and folds.
"""

import sqlite3


def set_due(connection: sqlite3.Connection) -> None:
    """Says, in the transaction that erases, that the log is to be folded."""
    connection.execute("INSERT INTO folding_due VALUES (1) ON CONFLICT DO NOTHING")


def is_due(connection: sqlite3.Connection) -> bool:
    """Whether the log still holds what was erased."""
    return connection.execute("SELECT 1 FROM folding_due").fetchone() is not None


def fold(connection: sqlite3.Connection) -> bool:
    """Folds the log and empties it, or not, without waiting, where somebody reads an older state of the file."""
    (wait,) = connection.execute("PRAGMA busy_timeout").fetchone()
    connection.execute("PRAGMA busy_timeout = 0")
    try:
        (busy, *_) = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    finally:
        connection.execute(f"PRAGMA busy_timeout = {wait}")
    return not busy


def set_done(connection: sqlite3.Connection) -> None:
    """Says that the log was folded. Whoever calls this has kept writers out since."""
    connection.execute("DELETE FROM folding_due")
