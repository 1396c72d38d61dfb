"""Which tables a file has: one of an older version lacks those that came since, and some come with what they keep."""

import sqlite3


def has_table(connection: sqlite3.Connection, name: str) -> bool:
    """Whether the file has a table of that name."""
    return connection.execute("SELECT 1 FROM sqlite_master WHERE name = ?", (name,)).fetchone() is not None


def delete_rows_if_there(connection: sqlite3.Connection, table: str, condition: str, *values: object) -> int:
    """Takes rows out of a table, by a condition on its columns; tells how many. None where the file has no such table."""
    if not has_table(connection, table):
        return 0
    return connection.execute(f"DELETE FROM {table} WHERE {condition}", values).rowcount
