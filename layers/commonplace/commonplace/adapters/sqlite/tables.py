"""Which tables a file has: one of an older version lacks those that came since."""

import sqlite3


def has_table(connection: sqlite3.Connection, name: str) -> bool:
    """Whether the file has a table of that name."""
    return connection.execute("SELECT 1 FROM sqlite_master WHERE name = ?", (name,)).fetchone() is not None
