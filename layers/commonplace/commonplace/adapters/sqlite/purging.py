"""What was kept long enough goes for good, as the table's TTL takes it on AWS: 30 days after a deletion or an expiry."""

import sqlite3
from datetime import UTC, datetime

from commonplace.adapters.sqlite import writes

_AT_ONCE = 100  # a write never waits for more; the rest goes with the next ones
_GOES_AT = "julianday(json_extract(record, '$.purge_at'))"  # as it is indexed


def purge(connection: sqlite3.Connection, now: datetime) -> None:
    """Takes out the memories whose `purge_at` has come, whoever they are of, with their words, audit rows and counts.

    Whoever writes calls it at the end of the transaction, so that no schedule is needed.
    """
    due = connection.execute(
        f"SELECT row, owner, record, embedding FROM memories WHERE {_GOES_AT} <= julianday(?) ORDER BY {_GOES_AT} LIMIT ?",
        (now.astimezone(UTC).isoformat(), _AT_ONCE),
    ).fetchall()
    for found in due:
        writes.remove(connection, writes.Kept.of(*found))
