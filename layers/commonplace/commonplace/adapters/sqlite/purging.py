"""Deletes expired data once the user's own records confirm that the expiry time has passed.

A write purges only the writing user's data, and only up to the time that `believed` returns. After months without writes, the
clock is not trusted on the first day. From the second day on, a record that is a day old confirms the clock.
"""

import sqlite3
from datetime import datetime
from typing import Literal

from commonplace.adapters.sqlite import removal, writes
from commonplace.memories.transitions import DAY_SECONDS, believed
from commonplace.ports.values import RATING_TTL, SEARCH_TTL

Expiring = Literal["kept_files", "documents", "searches", "feedback"]
_MADE_AT = "(julianday(iif(json_valid({0}), json_extract({0}, '$.{1}'), NULL)) - 2440587.5) * 86400"
_DUE_AND_WRITTEN: dict[Expiring, tuple[str, str]] = {  # in seconds since 1970
    "kept_files": ("expires_at", _MADE_AT.format("file", "made_at")),
    "documents": ("purge_at", _MADE_AT.format("head", "updated_at")),
    "searches": ("purge_at", f"purge_at - {SEARCH_TTL.total_seconds()}"),
    "feedback": ("until", f"until - {RATING_TTL.total_seconds()}"),
}
_BATCH = 100  # rows per write, to limit its duration; later writes delete the rest
_PURGE_AT = "iif(json_valid(record), json_extract(record, '$.purge_at'), NULL)"  # invalid JSON must not fail a write
_INDEX = (
    "CREATE INDEX IF NOT EXISTS memories_by_owner_purge ON memories"
    f" (owner, julianday({_PURGE_AT})) WHERE {_PURGE_AT} IS NOT NULL"
)
_DUE = (
    f"{writes.STORED} WHERE owner = ? AND {_PURGE_AT} IS NOT NULL"
    f" AND julianday({_PURGE_AT}) <= 2440587.5 + ? / {DAY_SECONDS} ORDER BY julianday({_PURGE_AT}) LIMIT {_BATCH}"
)
_NEWEST = """WITH newest AS (
    SELECT created_at, valid_to FROM memories WHERE owner = :owner ORDER BY change DESC LIMIT :most
)
SELECT max(at) FROM (
    SELECT created_at AS at FROM newest UNION ALL SELECT valid_to FROM newest UNION ALL SELECT * FROM (
        SELECT read_seconds FROM interactions WHERE owner = :owner AND interaction IS NOT NULL AND read_seconds <= :before
        ORDER BY read_seconds DESC LIMIT 1
    )
) WHERE at <= :before"""
_MOST, _ALL = 200, -1  # the last 200 writes nearly always include the newest time; an older one only delays deletions


def purge(connection: sqlite3.Connection, owner: int, now: datetime) -> None:
    """Delete a user's memories whose `purge_at` has passed, and other expired rows, within the caller's transaction."""
    for table in _DUE_AND_WRITTEN:
        if table != "documents":  # expired documents are purged when the user writes a document
            drop_expired(connection, table, owner, now.timestamp())
    connection.execute(_INDEX)  # deleting a damaged record drops the index
    if connection.execute(_DUE, (owner, now.timestamp())).fetchone() is None:
        return  # the usual case, in which no time needs to be confirmed
    for values in connection.execute(_DUE, (owner, confirmed(connection, owner, now))).fetchall():
        row = writes.StoredRow.of(*values)
        if row is None:
            removal.remove_row(connection, values[0], values[3])
        else:
            removal.remove(connection, row)


def drop_expired(connection: sqlite3.Connection, table: Expiring, owner: int, now: float) -> None:
    """Delete the rows that `expired_rows` returns."""
    for row in expired_rows(connection, table, owner, now):
        connection.execute(f"DELETE FROM {table} WHERE rowid = ?", (row,))


def expired_rows(connection: sqlite3.Connection, table: Expiring, owner: int, now: float) -> list[int]:
    """Return the rowids of the owner's rows whose expiry the records confirm. `now` is the clock's time, in Unix seconds."""
    due, written = _DUE_AND_WRITTEN[table]
    over = f"SELECT rowid, {due}, {written} FROM {table} WHERE owner = ? AND {due} <= ?"
    rows = connection.execute(over, (owner, now)).fetchall()
    if not rows:
        return []
    newest = f"SELECT max({written}) FROM {table} WHERE owner = ? AND {written} <= ?"
    times = connection.execute(newest, (owner, now - DAY_SECONDS)).fetchone()
    known = [time for time in (*times, _find_newest_time(connection, owner, now)) if time is not None]
    return [row for row, until, at in rows if until <= believed(now, known, until - (until if at is None else at))]


def confirmed(connection: sqlite3.Connection, owner: int, now: datetime) -> float:
    """Return the time, at most `now`, up to which the user's records confirm the clock. It is in seconds since 1970."""
    newest = _find_newest_time(connection, owner, now.timestamp())
    return believed(now.timestamp(), [] if newest is None else [newest])


def _find_newest_time(connection: sqlite3.Connection, owner: int, now: float) -> float | None:
    """Return the newest timestamp in the user's data that is at least a day old."""
    for most in (_MOST, _ALL):
        (newest,) = connection.execute(_NEWEST, {"owner": owner, "before": now - DAY_SECONDS, "most": most}).fetchone()
        if newest is not None:
            return float(newest)
    return None
